"""The documents: links lead somewhere, and what programs write is as they write it.

RIDGE is the command; without it build/ridge is."""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import blocks  # noqa: E402
import make_results  # noqa: E402

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
CODE = ["include", "src", "wings", "test", "bench", "examples", "scripts", "cmake"]
SOURCES = [".hpp", ".cpp", ".cu", ".py", ".sh", ".json", ".cmake"]


def anchors(document):
    """What `#...` may name in a document: its titles, as they are shown on the web."""
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def links(document):
    text = re.sub(r"```.*?```|`[^`\n]*`(?!\])", "", document.read_text(), flags=re.DOTALL)
    return re.findall(r"\]\(([^)\s]+)\)", text)


def dead(document, link):
    """Why a link leads nowhere, or None."""
    if re.match(r"https?://", link):
        return None
    path, _, anchor = link.partition("#")
    target = (document.parent / path).resolve() if path else document
    if not target.exists():
        return f"there is no {path}"
    if anchor and anchor not in anchors(target):
        return f"{target.name} has no title #{anchor}"
    return None


class Documents(unittest.TestCase):
    maxDiff = None

    def test_links_lead_somewhere(self):
        found = [(d, link) for d in DOCUMENTS for link in links(d)]
        self.assertGreater(len(found), 100)
        wrong = [f"{d.relative_to(ROOT)}: {link}: {dead(d, link)}" for d, link in found if dead(d, link)]
        self.assertEqual(wrong, [])

    def test_code_points_to_documents_that_exist(self):
        named = []
        for folder in CODE:
            for file in (ROOT / folder).rglob("*.*"):
                if file.suffix in SOURCES:
                    found = re.findall(r"docs/[\w/-]+\.md", file.read_text())
                    named += [(file, at) for at in found]
        self.assertGreater(len(named), 20)
        wrong = [f"{file.relative_to(ROOT)}: {at}" for file, at in named
                 if not (ROOT / at).exists()]
        self.assertEqual(wrong, [])

    def test_every_design_page_is_listed_with_its_title_and_sections(self):
        folder = ROOT / "docs/design"
        listed = re.findall(r"\| \[(.*?)\]\((.*?)\) \| (\d+) \|", (folder / "README.md").read_text())
        pages = []
        for page in sorted(folder.glob("*.md")):
            if page.name != "README.md":
                text = page.read_text()
                sections = len(re.findall(r"^## ", text, re.MULTILINE))
                pages.append((re.match(r"# (.*)", text).group(1), page.name, str(sections)))
        self.assertEqual(sorted(listed), sorted(pages))

    def test_no_page_is_left_out(self):
        """Every document is reached from the README."""
        reached, waiting = set(), [ROOT / "README.md"]
        while waiting:
            document = waiting.pop()
            if document in reached:
                continue
            reached.add(document)
            targets = [(document.parent / link.partition("#")[0]).resolve() for link in links(document)]
            waiting += [t for t in targets if t.suffix == ".md" and t.exists()]
        self.assertEqual([str(d) for d in DOCUMENTS if d not in reached], [])

    def test_all_records_are_in_the_results(self):
        folder = ROOT / "docs/results"
        records = {*folder.glob("*/*.json"), *folder.glob("h200/systems/*.json")}
        self.assertGreater(len(records), 100)
        self.assertEqual(make_results.files_shown(page.read_text() for page in make_results.PAGES), records)

    def test_results_are_those_of_the_records(self):
        self.assert_made_by("make_results.py")

    def test_headers_are_those_for_users(self):
        """docs/headers.md names each header beside the folders of include/ridge, and few others."""
        folders = [ROOT / "include/ridge", *ROOT.glob("wings/*/include/ridge")]
        listed = re.findall(r"^\| `ridge/([\w/]+\.hpp)` \|", (ROOT / "docs/headers.md").read_text(), re.MULTILINE)
        self.assertEqual([h for h in listed if not any((folder / h).exists() for folder in folders)], [])
        for_users = sorted(file.name for folder in folders for file in folder.glob("*.hpp"))
        self.assertEqual(sorted(h for h in listed if "/" not in h), for_users)
        self.assertLessEqual(len(listed), 15)

    def test_fields_are_those_of_the_code(self):
        self.assert_made_by("make_fields.py")

    def test_kernels_are_those_of_the_command(self):
        self.assert_made_by("make_kernels.py")

    def test_planted_causes_are_those_of_the_code(self):
        self.assert_made_by("make_causes.py")

    def assert_made_by(self, script):
        done = subprocess.run([sys.executable, "-B", str(ROOT / "scripts" / script), "--check"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"run scripts/{script}: {done.stdout}{done.stderr}")


class Blocks(unittest.TestCase):
    def test_only_blocks_of_the_kind_change(self):
        text = "a\n<!-- x: p q -->\nold\n<!-- end -->\nb\n<!-- y: -->\nkept\n<!-- end -->\n"
        self.assertEqual(blocks.filled(text, "x", lambda words: words),
                         "a\n<!-- x: p q -->\np\nq\n<!-- end -->\nb\n<!-- y: -->\nkept\n<!-- end -->\n")

    def test_a_block_without_an_end_is_refused(self):
        with self.assertRaises(SystemExit):
            blocks.filled("<!-- x: p -->\n<!-- x: q -->\n<!-- end -->\n", "x", lambda words: words)

    def test_numbers(self):
        for value, unit, text in [(999.6e-6, "s", "1.00 ms"), (5.11e-4, "s", "511 us"),
                                  (4.1755e12, "B/s", "4.18 TB/s"), (9.996e9, "B/s", "10.0 GB/s"),
                                  (2.64e12, "op/s", "2.64·10¹² op/s")]:
            self.assertEqual(make_results.with_unit(value, unit), text)


if __name__ == "__main__":
    unittest.main()
