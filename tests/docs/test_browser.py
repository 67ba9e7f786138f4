"""The site in a real browser, where there are Playwright and a Chromium.

``CHROMIUM`` names the browser, and ``SITE`` a folder with the site that was built before.  With
``REQUIRE_BROWSER=1`` it is a failure if there is none.
"""

from __future__ import annotations

import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def chromium() -> str | None:
    """Return the path of a Chromium: the one that is named, the system's, or Playwright's own."""
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    system = shutil.which("chromium") or shutil.which("google-chrome")
    return os.environ.get("CHROMIUM") or system or (own if Path(own).exists() else None)


try:
    from playwright.sync_api import sync_playwright
except ImportError:
    CHROMIUM = None
else:
    CHROMIUM = chromium()

if CHROMIUM is None:
    if os.environ.get("REQUIRE_BROWSER"):
        pytest.fail("there is no Playwright, or no Chromium", pytrace=False)
    pytest.skip(
        "THE SITE IS NOT LOOKED AT: there is no Playwright, or no Chromium", allow_module_level=True
    )

pytestmark = pytest.mark.nightly  # the site is built first


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None: ...


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if "SITE" in os.environ:
        return Path(os.environ["SITE"])
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(ROOT / "docs"), str(folder)]
    subprocess.run(command, check=True, timeout=600)
    return folder


@pytest.fixture(scope="module")
def site(built: Path) -> Iterator[str]:
    handler = functools.partial(Quiet, directory=str(built))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


# Text that lies beyond the edge of what it stands in, once all is open; tables scroll.
CUT_OFF = """() => document.querySelectorAll("details").forEach((one) => (one.open = true)) ?? [
    ...document.querySelectorAll(".bd-article :is(p, li, h1, h2, pre, img, dt, td)")]
    .filter((e) => !e.closest(".pst-scrollable-table-container, [hidden]") && e.offsetWidth)
    .filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display != "inline"
        || e.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
    .map((e) => e.outerHTML.slice(0, 100))"""


def pages(built: Path) -> list[str]:
    """Return every page but those of single names, of which there is one, and of their sources."""
    folders = (built, built / "examples", built / "reference")
    found = sorted(page for folder in folders for page in folder.glob("*.html"))
    assert len(found) > 60
    return [
        *(page.relative_to(built).as_posix() for page in found),
        "reference/api/ascend_array_api.sum.html",
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_pages_fit_and_say_nothing(
    site: str, built: Path, browser: Any, width: int, scheme: Any
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    said: list[str] = []
    page.on("console", lambda m: said.append(m.text) if m.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("response", lambda r: said.append(f"{r.status} {r.url}") if r.status >= 400 else None)
    wrong = {}
    for name in pages(built):
        page.goto(site + name)
        cut_off = page.evaluate(CUT_OFF)
        scrolls = page.evaluate("document.documentElement.scrollWidth") > width
        if scrolls or cut_off or said:
            wrong[name] = (scrolls, cut_off, said.copy())
        said.clear()
    assert wrong == {}
    page.close()


def test_tables_are_read_whole_on_a_phone(site: str, built: Path, browser: Any) -> None:
    """No column of any table is beyond the edge, once all is open."""
    page = browser.new_page(viewport={"width": 390, "height": 900})
    wide = """async () => {
        document.querySelectorAll("details").forEach((one) => (one.open = true));
        for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame); // they are stacked
        return [...document.querySelectorAll(".pst-scrollable-table-container")]
            .filter((box) => box.scrollWidth > box.clientWidth + 1)
            .map((box) => box.innerText.slice(0, 40));
    }"""
    found = {}
    for name in pages(built):
        page.goto(site + name)
        if cut_off := page.evaluate(wide):
            found[name] = cut_off
    assert found == {}
    page.close()


def test_stacked_rows_name_their_columns(site: str, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto(f"{site}scipy.html")
    page.fill("form.filter input", "ndimage gaussian_filter")
    row = page.locator("details.table tbody tr:visible").first
    label = "td => getComputedStyle(td, '::before').content.slice(1, -1).trim()"
    cells = [cell.evaluate(label) for cell in row.locator("td").all()]
    assert cells[:3] == ["on", "strict", "relaxed"]  # none: the name of the function is the title
    page.set_viewport_size({"width": 1400, "height": 900})
    page.wait_for_selector("details.table th:has-text('relaxed'):visible")
    assert row.locator("td").nth(1).evaluate(label) == "on"
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_each_picture_is_shown_in_one_form(
    site: str, browser: Any, width: int, scheme: Any
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    form = ("-narrow" if width < 600 else "") + ("-dark" if scheme == "dark" else "")
    several = ("npu-support", "npu-accuracy", "benchmarks", "examples", "gallery")
    for name in ("index", *several):
        page.goto(f"{site}{name}.html")
        every = page.eval_on_selector_all(".bd-article img", "all => all.map(i => i.src)")
        shown = page.eval_on_selector_all(
            ".bd-article img",
            "all => all.filter(i => getComputedStyle(i).display != 'none').map(i => i.src)",
        )
        assert len(shown) == len(every) / 4 >= 1
        for source in shown:
            stem = source.rpartition("/")[2].removesuffix(".svg")
            assert stem.endswith(form)
            assert ("-narrow" in stem, "-dark" in stem) == ("-narrow" in form, "-dark" in form)
    page.close()


@pytest.mark.parametrize(
    ("name", "words", "rows"),
    [
        ("coming-from-torch", "unsqueeze", 2),
        ("sharded-functions", "cumulative_prod", 1),
        ("captured-functions", "cumulative_prod", 1),
        ("reference/special", "log_ndtr", 1),
    ],
)
def test_every_long_table_has_a_filter(
    site: str, browser: Any, name: str, words: str, rows: int
) -> None:
    page = browser.new_page()
    page.goto(f"{site}{name}.html")
    forms = page.locator("form.filter:visible")
    long = "all => all.filter(t => t.querySelectorAll('tbody tr').length > 60).length"
    assert forms.count() == page.eval_on_selector_all(".bd-article table", long)
    for form in forms.all():
        form.locator("input").fill(words)
    said = [form.locator("output").inner_text() for form in forms.all()]
    assert sum(int(text.partition(" of ")[0]) for text in said) == rows
    page.close()


def test_the_table_of_npus_has_one_filter_for_all_chapters(site: str, browser: Any) -> None:
    page = browser.new_page()
    page.goto(f"{site}npu-support.html")
    form = page.locator("form.filter").first
    form.locator("input").fill("linalg.eig")
    assert form.locator("output").inner_text().startswith("4 of 2")
    assert page.locator("section h3:visible").all_inner_texts() == ["Extension linalg"]
    form.locator("select[name=waits]").select_option("yes")
    assert form.locator("output").inner_text().startswith("0 of 2")
    page.close()


def test_all_names_from_a_to_z_are_in_the_navigation(site: str, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(f"{site}reference/api/ascend_array_api.sum.html")
    page.click("nav a:text-is('All names, A to Z')")
    page.wait_for_url("**/genindex.html")  # read whole
    names = page.locator(".genindextable a").all_inner_texts()
    for name in ("abs()", "float32", "linalg.inv()", "pi", "Array", "random.Generator"):
        last = name.rpartition(".")[2]
        assert any(text.startswith(f"{last} (") for text in names), name
    page.close()


@pytest.mark.parametrize("word", ["concatenate", "linspace", "float16"])
def test_search_finds(site: str, browser: Any, word: str) -> None:
    page = browser.new_page()
    page.goto(f"{site}search.html?q={word}")
    page.wait_for_selector("#search-results li")
    assert page.locator("#search-results li").count() >= 1
    if word == "concatenate":
        assert "Coming from NumPy" in page.locator("#search-results").inner_text()
    page.close()


def test_headers_of_tables_stay(site: str, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 1400, "height": 700})
    page.goto(f"{site}npu-support.html")
    moved = page.evaluate(
        """() => {
            document.querySelectorAll("details").forEach((one) => (one.open = true));
            for (const box of document.querySelectorAll(".pst-scrollable-table-container")) {
                if (box.scrollHeight <= box.clientHeight + 200) continue;
                box.scrollTop = 150;
                const head = box.querySelector("thead th").getBoundingClientRect();
                return Math.abs(head.top - box.getBoundingClientRect().top);
            }
            return null;
        }"""
    )
    assert moved is not None
    assert moved <= 2
    page.close()


def test_tables_show_the_cells_of_the_chosen_chip(site: str, browser: Any) -> None:
    page = browser.new_page()
    page.goto(f"{site}npu-support.html")
    shown = "document.querySelector('.bd-article').innerText"
    before = page.evaluate(shown)
    for chip, differ in (("Ascend 950", True), ("Atlas A3", False), ("Atlas A2", False)):
        page.check(f"form.chips input[value='{chip}']")
        assert bool(page.locator("td.differs").count()) == differ
        assert (page.evaluate(shown) != before) == differ
    page.close()


def test_tables_show_the_rows_of_the_filter(site: str, browser: Any) -> None:
    page = browser.new_page()
    page.goto(f"{site}scipy.html")
    every = page.locator("main table:has(thead :text-is('strict')) tbody tr").count()
    assert every > 500
    rows = page.locator("main table:has(thead :text-is('strict')) tbody tr:visible")
    assert rows.count() == 0  # folded
    page.fill("form.filter input", "ndimage gaussian_filter")
    assert 1 <= rows.count() <= 5
    assert page.locator("form.filter output").inner_text().endswith(f" of {every} functions")
    page.select_option("form.filter select[name=strict]", "stays")
    assert rows.count() == 0
    assert page.locator("section h3:visible").count() == 0
    page.select_option("form.filter select[name=strict]", "any")
    page.fill("form.filter input", "")
    assert rows.count() == 0  # as before
    assert page.locator("section h3:visible").count() > 30
    page.click("form.filter button")
    assert rows.count() == every
    page.close()


def test_the_filter_of_a_folded_table_opens_it(site: str, browser: Any) -> None:
    page = browser.new_page()
    page.goto(f"{site}benchmarks.html")
    rows = page.locator("form.filter + details.table tbody tr:visible")
    assert rows.count() == 0
    page.fill("form.filter input", "gammainc")
    assert rows.count() == 1
    page.fill("form.filter input", "")
    assert rows.count() == 0
    page.close()


@pytest.mark.parametrize(
    ("name", "most", "title"),
    [
        ("scipy", 0, "24 functions"),
        ("npu-support", 0, "67 functions"),
        ("benchmarks", 3, "76 calls that torch_npu does not answer rightly (72 rows)"),
    ],
)
def test_long_tables_are_folded_without_scripts_and_printed_whole(
    site: str, browser: Any, name: str, most: int, title: str
) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(f"{site}{name}.html")
    tables = page.locator("details.table table")
    folded = tables.count()
    assert folded > 10
    assert page.locator("details.table tbody tr:visible").count() == 0
    for table in tables.all():
        assert table.locator("tbody tr").count() > most
    one = page.locator("details.table", has=page.locator(f"summary:text-is('{title}')"))
    rows = int(re.findall(r"\d+", title)[-1])
    one.locator("summary").click()
    assert one.locator("tbody tr:visible").count() == rows
    page.emulate_media(media="print")
    cut_off = """() => [...document.querySelectorAll("details.table table")].filter((table) => {
        const box = table.closest(".pst-scrollable-table-container");
        return !table.checkVisibility() || box.scrollHeight > box.clientHeight + 1;
    }).length"""
    assert page.locator("details.table table:visible").count() == folded
    assert page.evaluate(cut_off) == 0
    page.close()


def test_code_is_copied_without_prompts(site: str, browser: Any) -> None:
    page = browser.new_page()
    page.goto(f"{site}index.html")
    texts = page.eval_on_selector_all("button.copy", "all => all.map(b => b.dataset.text)")
    assert any(text.startswith("import ascend_array_api as xp\nx = xp.asarray") for text in texts)
    assert not [text for text in texts if ">>>" in text or "Array(" in text]
    page.close()


def test_commands_are_those_of_the_choice(site: str, browser: Any) -> None:
    page = browser.new_page()
    page.goto(f"{site}index.html")
    shown = page.locator("div.choice:visible")
    assert "pip install . --extra-index-url" in shown.inner_text()
    page.check("input[value=cuda]")
    assert "$ pip install .\n" in shown.inner_text() + "\n"
    page.check("input[value=npu]")
    assert ".[npu]" in shown.inner_text()
    page.select_option("select[name=pair]", index=1)
    page.check("input[value=aarch64]")
    assert "torch-npu==" in shown.inner_text()
    assert "Nobody" in shown.inner_text()
    assert shown.count() == 1
    page.close()
