"""Records: what launches leave."""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Optional, Union

from . import _core
from ._command import run_command
from ._files import replacing


class Record(Mapping[str, Any]):
    """What ran, under which schedule, how long, and how far from the roof it was: the fields of
    `ridge bench --json`, as attributes and as a mapping. Units: seconds, bytes, operations; a field
    that a launch does not have (a time where nothing was timed) is None as an attribute."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = dict(fields)

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._fields and name not in _KNOWN:
            raise AttributeError(f"a record has no field '{name}'; this one has {', '.join(self)}")
        return self._fields.get(name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._fields, *_KNOWN})

    @property
    def kernel(self) -> str:
        return str(self._fields["kernel"])

    @property
    def device(self) -> str:
        return str(self._fields["device"])

    @property
    def schedule(self) -> str:
        """One line of text, which is a schedule again."""
        return str(self._fields["schedule"])

    @property
    def seconds(self) -> Optional[float]:
        """The median of the repeats."""
        return self._fields.get("seconds")

    @property
    def fraction(self) -> Optional[float]:
        """What was reached of the roof that was measured beside."""
        return self._fields.get("fraction")

    @property
    def ok(self) -> Optional[bool]:
        """Whether the result equals the reference; None where it was not checked."""
        check = self._fields.get("check")
        return None if check is None else bool(check["ok"])

    def __repr__(self) -> str:
        parts = [self.kernel, f"on {self.device}"]
        if self.seconds is not None:
            parts.append(time_text(self.seconds))
        if self.fraction is not None:
            parts.append(f"{self.fraction:.3f} of {self._fields.get('roof_name')}")
        if self.ok is not None:
            parts.append("ok" if self.ok else "WRONG: " + self._fields["check"].get("message", ""))
        return f"<Record {', '.join(parts)}; {self.schedule}>"

    def _repr_html_(self) -> str:
        return table([self])


_KNOWN = ("seconds_min", "seconds_max", "repeats", "achieved", "achieved_unit", "roof", "roof_name",
          "fraction_low", "fraction_high", "host_seconds", "check", "adjoint", "in_cache", "schedule_name")


class Records(list[Record]):
    """Records in order; a table in notebooks."""

    def _repr_html_(self) -> str:
        return table(self)


def records_of(text: str) -> Records:
    """Records from JSON: an array, or one."""
    found = json.loads(text)
    return Records(Record(r) for r in (found if isinstance(found, list) else [found]))


def time_text(seconds: float) -> str:
    """Seconds, as people write them."""
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def table(records: Iterable[Mapping[str, Any]]) -> str:
    """An HTML table of records."""
    columns = ("kernel", "device", "precision", "size", "time", "achieved", "fraction", "check",
               "schedule")
    rows = []
    for r in records:
        seconds = r.get("seconds")
        achieved = r.get("achieved")
        fraction = r.get("fraction")
        check = r.get("check")
        cells = (
            r["kernel"], r["device"], r["precision"], "x".join(map(str, r["size"])),
            "" if seconds is None else time_text(seconds),
            "" if achieved is None else f"{achieved:.3g} {r.get('achieved_unit', '')}",
            "" if fraction is None else f"{fraction:.3f}",
            "" if check is None else "ok" if check["ok"] else check.get("message", "wrong"),
            r["schedule"],
        )
        rows.append(cells)
    return html_table(columns, rows)


def html_table(columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """An HTML table of texts and numbers."""
    def line(tag: str, cells: Iterable[Any]) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(c))}</{tag}>" for c in cells) + "</tr>"

    body = "".join(line("td", cells) for cells in rows)
    return f"<table><thead>{line('th', columns)}</thead><tbody>{body}</tbody></table>"


def report(records: Union[Mapping[str, Any], Iterable[Mapping[str, Any]]]) -> Report:
    """The page of `ridge report` for records, or for one: roofline, fractions, schedules compared. In
    notebooks it shows itself; str() of it is the HTML. Raises UsageError for no records."""
    all_records = [records] if isinstance(records, Mapping) else records
    if not isinstance(all_records, Iterable) or isinstance(all_records, (str, bytes)):
        raise TypeError(f"report takes records, not {type(records).__name__}")
    given_records = []
    for r in all_records:
        if not isinstance(r, Mapping):
            raise TypeError(f"report takes records, such as those of measure(), not {type(r).__name__}")
        given_records.append(dict(r))
    if not given_records:
        raise _core.UsageError("report: there are no records; give those of ridge.bench or measure")
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "records.json"
        page = Path(folder) / "report.html"
        given.write_text(json.dumps(given_records))
        run_command(["report", str(given), "-o", str(page)])
        return Report(page.read_text())


class Report:
    """A page of HTML that needs nothing else."""

    def __init__(self, page: str) -> None:
        self._page = page

    def __str__(self) -> str:
        return self._page

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the page to a file, whole or not at all. Raises UsageError for a folder, Failure where it cannot be written."""
        name = os.fspath(file)
        if os.path.isdir(name):
            raise _core.UsageError(f"{name} is a folder; give a file name")
        try:
            with replacing(name) as draft:
                Path(draft).write_text(self._page)
        except OSError as error:
            raise _core.Failure(f"writing {name}: {error.strerror}") from None

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self._page, quote=True)}" width="100%" height="700" '
                'style="border:0"></iframe>')
