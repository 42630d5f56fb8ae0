"""The report is one file that asks for nothing, and a browser shows it without a complaint."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from gpocli.report.page import report
from gpocli.runs.run import Run
from tests.report.test_evaluations import evaluate
from tests.runs.made_run import candidate, four, make_run, record

VOID = {"meta"}


@pytest.fixture
def runs(tmp_path):
    for name, rate in (("a", 1e-5), ("<b>", 1e-6)):
        path = make_run(tmp_path / name, optim={"learning_rate": rate})
        odd = [candidate(2, 1, 0, "kept", text="<script>alert(1)</script>" + "x" * 3000)]
        record(path, four(1, 0), four(2, 0) + odd)
    attempt = {"began": "2026-12-03T11:58:10Z", "state": "stopped", "reason": "guard 'length' says <so>"}
    (path / "run.json").write_text(json.dumps({"state": "stopped", "attempts": [attempt]}))
    return [Run(tmp_path / name) for name in ("a", "<b>")]


class Tags(HTMLParser):
    """Counts what is open, and keeps what could ask for something."""

    def __init__(self):
        super().__init__()
        self.open, self.asking = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        self.asking += [(tag, key, value) for key, value in attrs if key in ("src", "href", "xlink:href", "srcset")]
        self.asking += [(tag, None, None)] if tag in ("script", "link", "iframe", "object", "img") else []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_it_is_whole_and_asks_for_nothing(runs):
    page = report(runs)
    tags = Tags()
    tags.feed(page)
    assert (tags.open, tags.asking) == ([], [])
    assert "url(" not in page
    assert "@import" not in page


def test_evaluations_stand_in_it_with_intervals(runs):
    assert "Evaluations</h2>" not in report(runs)
    evaluate(runs[1].path, "1")
    page = report(runs)
    (section,) = re.findall(r"<h2>Evaluations</h2>.*?</table>", page)
    assert re.findall("<td[^>]*>(.*?)</td>", section)[:6] == [
        "&lt;b&gt;",
        "final",
        "&lt;t&gt;.jsonl",
        "20",
        "4",
        "0.500 (0.400 to 0.600)",
    ]
    tags = Tags()
    tags.feed(page)
    assert (tags.open, tags.asking) == ([], [])


def test_it_has_what_there_is_to_see(runs):
    page = report(runs)
    headings = re.findall(r"<h2>(?:<span[^>]*></span>)?(.*?)</h2>", page)
    examples = ["Examples of a", "Examples of &lt;b&gt;"]
    assert headings == ["Curves", "Differences", "Guards and faults", *examples, "Settings"]
    assert "optim.learning_rate" in page
    assert "guard &#x27;length&#x27; says &lt;so&gt;" in page
    assert "lost, length 4+, reward -" in page
    assert "Lengths at the start and at the end" in page


def test_texts_are_shown_as_they_are_and_not_too_long(runs):
    page = report(runs)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "… (3,025 characters)" in page


def test_one_run_has_no_differences(runs):
    page = report(runs[:1])
    assert "<h2>Differences</h2>" not in page
    assert "What differs" not in page


def test_a_run_that_has_begun_has_a_page(tmp_path):
    assert "Curves" in report([Run(make_run(tmp_path / "a", steps=0, ended=False))], refresh=9)
    assert 'content="9"' in report([Run(tmp_path / "a")], refresh=9)


def test_a_broken_run_has_a_page(tmp_path):
    (make_run(tmp_path / "a") / "spec.yaml").unlink()
    assert "cannot be read (No such file or directory)" in report([Run(tmp_path / "a")])


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium")
@pytest.mark.parametrize(("width", "scheme"), [(390, 0), (1280, 1)], ids=["narrow and dark", "wide and light"])
def test_a_browser_shows_it(runs, tmp_path, width, scheme):
    """Nothing runs over the side, and the log of the browser has no word of the page's."""
    probe = "<script>document.title = document.documentElement.scrollWidth + ' of ' + innerWidth</script>"
    (tmp_path / "page.html").write_text(report(runs).replace("</body>", f"{probe}</body>"))
    done = subprocess.run(
        [
            *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"),
            *(f"--user-data-dir={tmp_path}/profile", f"--blink-settings=preferredColorScheme={scheme}"),
            *(f"--window-size={width},900", str(tmp_path / "page.html")),
        ],
        capture_output=True,
        text=True,
    )
    assert "CONSOLE" not in done.stderr
    wanted, there = re.findall(r"<title>(\d+) of (\d+)</title>", done.stdout)[0]
    assert int(wanted) <= int(there)
