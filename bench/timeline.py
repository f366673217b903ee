#!/usr/bin/env python3
"""Draws what the GPUs of a run over ranks did, from the folder that bench/timeline.cpp filled: three lines a rank
(points that need nothing of other ranks, messages, points that need halos) over the last steps, as SVG on standard output.

Usage: timeline.py FOLDER [STEPS]      two steps if none is named
"""

import bisect
import pathlib
import statistics
import sys
import typing

WIDTH, ROW, GAP, LEFT, RIGHT, TOP, BOTTOM = 860, 20, 12, 250, 20, 14, 40
ROLES = {
    "inner": ("points that need no halos", "#1d4ed8"),
    "messages": ("messages", "#b45309"),
    "outer": ("points that need halos", "#60a5fa"),
}
MESSAGES = ("PushMessages", "ncclDevKernel", "CopyBoxes", "copy")


class Activity(typing.NamedTuple):
    begin: int
    end: int
    queue: int
    name: str

    @property
    def nanoseconds(self):
        return self.end - self.begin


def read(path):
    """The activities of one rank, by when they began."""
    lines = (line.rstrip("\n").split("\t", 3) for line in path.read_text().splitlines())
    return sorted(Activity(int(begin), int(end), int(queue), name) for begin, end, queue, name in lines)


def role_of(activity, longest):
    """What it does for a step: a kernel that takes long computes what lies inside."""
    if any(word in activity.name for word in MESSAGES):
        return "messages"
    return "inner" if 2 * activity.nanoseconds > longest else "outer"


def beside(activities, others):
    """Those of the activities that run while one of the others does."""
    begins = [other.begin for other in others]
    longest = max((other.nanoseconds for other in others), default=0)
    for a in activities:
        near = others[bisect.bisect_left(begins, a.begin - longest):bisect.bisect_left(begins, a.end)]
        if any(other.end > a.begin for other in near):
            yield a


def last_steps(activities, steps):
    """When the last steps that send messages while they compute begin and end, and how long the kernel for the
    points inside takes."""
    sent = [a for a in activities if role_of(a, 0) == "messages"]
    computed = list(beside([a for a in activities if role_of(a, 0) != "messages"], sent))
    if not computed:
        raise SystemExit("timeline.py: no kernel ran beside a message")
    longest = statistics.median(sorted(a.nanoseconds for a in computed)[-len(computed) // 4:])
    inside = [a for a in computed if 2 * a.nanoseconds > longest][-(steps + 2):-1]
    if len(inside) <= steps:
        raise SystemExit(f"timeline.py: there are no {steps} steps with messages beside them")
    return inside[0].begin, inside[steps].begin, longest


def shape(x, y, width, role, title):
    return (f'<rect x="{x:.2f}" y="{y}" width="{max(width, 0.5):.2f}" height="{ROW - 4}" fill="{ROLES[role][1]}">'
            f"<title>{title}</title></rect>")


def drawn(ranks, steps):
    begin, end, longest = last_steps(ranks[0], steps)
    begin, end = begin - (end - begin) // 50, end + (end - begin) // 50
    scale = (WIDTH - LEFT - RIGHT) / (end - begin)
    height = TOP + len(ranks) * (len(ROLES) * ROW + GAP) + BOTTOM
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
             f'height="{height}" font-family="system-ui, sans-serif" font-size="12">'
             f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>']
    for rank, activities in enumerate(ranks):
        top = TOP + rank * (len(ROLES) * ROW + GAP)
        for row, (role, (words, _)) in enumerate(ROLES.items()):
            y = top + row * ROW
            parts.append(f'<text x="{LEFT - 10}" y="{y + ROW - 8}" text-anchor="end">rank {rank}: {words}</text>')
            parts.append(f'<path d="M{LEFT} {y + ROW - 2}H{WIDTH - RIGHT}" stroke="#e5e5e5"/>')
            for a in activities:
                if a.end > begin and a.begin < end and role_of(a, longest) == role:
                    x, to = (LEFT + (min(max(t, begin), end) - begin) * scale for t in (a.begin, a.end))
                    parts.append(shape(x, y, to - x, role, f"{a.nanoseconds / 1e3:.1f} us"))
    step = 10 ** len(str(int((end - begin) / 5e3))) // 10  # of the axis, in microseconds
    step *= next(n for n in (1, 2, 5, 10) if n * step * 8 >= (end - begin) / 1e3)
    y = height - BOTTOM + 4
    for us in range(0, int((end - begin) / 1e3) + 1, step):
        x = LEFT + us * 1e3 * scale
        parts.append(f'<path d="M{x:.1f} {TOP}V{y}" stroke="#d4d4d4" stroke-dasharray="2 3"/>'
                     f'<text x="{x:.1f}" y="{y + 14}" text-anchor="middle">{us}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{y + 30}" text-anchor="middle">microseconds</text></svg>')
    return "\n".join(parts)


def said(ranks, steps):
    """The same in words: of each rank the median time of each kind within a step."""
    begin, end, longest = last_steps(ranks[0], steps)
    for rank, activities in enumerate(ranks):
        shown = [a for a in activities if begin <= a.begin < end]
        times = {role: [a.nanoseconds / 1e3 for a in shown if role_of(a, longest) == role] for role in ROLES}
        yield f"rank {rank}: step {(end - begin) / steps / 1e3:.1f} us; " + ", ".join(
            f"{ROLES[role][0]} {statistics.median(found):.1f} us ({len(found) / steps:g} a step)"
            for role, found in times.items() if found)


def main():
    if len(sys.argv) not in (2, 3) or len(sys.argv) == 3 and not sys.argv[2].isdecimal():
        raise SystemExit(__doc__)
    paths = sorted(pathlib.Path(sys.argv[1]).glob("*.tsv"), key=lambda path: int(path.stem))
    if not paths:
        raise SystemExit(f"timeline.py: {sys.argv[1]} has no *.tsv")
    ranks = [read(path) for path in paths]
    steps = int(sys.argv[2]) if len(sys.argv) == 3 else 2
    print(drawn(ranks, steps))
    print("\n".join(said(ranks, steps)), file=sys.stderr)


if __name__ == "__main__":
    main()
