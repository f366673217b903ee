"""The notebook of the examples runs from its first cell to its last."""

import pathlib

import nbclient
import nbformat
import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "python"


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda f: f.name)
def test_it_runs(file, tmp_path, monkeypatch):
    monkeypatch.setenv("RIDGE_NOTEBOOK_SIZE", "48")
    monkeypatch.setenv("RIDGE_NOTEBOOK_SECONDS", "3")
    monkeypatch.setenv("RIDGE_WISDOM", str(tmp_path / "wisdom"))
    book = nbformat.read(file, as_version=4)
    assert not any(c.get("outputs") for c in book.cells), "results are not kept in the repository"
    nbclient.NotebookClient(book, timeout=400, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [o["data"]["text/html"] for c in book.cells for o in c.get("outputs", ())
             if "text/html" in o.get("data", {})]
    assert sum("<table>" in s for s in shown) >= 4 and "<iframe" in shown[-1]
    kernels = shown[0]
    assert "block=256x1x1" in kernels and kernels.count("<td>ok</td>") >= 7
