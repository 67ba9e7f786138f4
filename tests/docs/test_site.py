"""The site: what its extensions write from the package and from the repository."""

from __future__ import annotations

import html
import importlib
import json
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import ascend_array_api as xp
from ascend_array_api._doctor.why import explain

pytest.importorskip("sphinx", minversion="9")

sys.path.insert(0, str(Path(__file__).parents[2] / "docs/_ext"))
api_reference = importlib.import_module("api_reference")
pictures = importlib.import_module("pictures")
site_pages = importlib.import_module("site_pages")


def test_every_public_name_is_in_one_chapter() -> None:
    names = [name for names in api_reference.chapters().values() for name in names]
    assert len(names) == len(set(names))
    assert set(api_reference.public_names()) <= set(names)
    assert {"abs", "linalg.inv", "fft.rfft", "random.Generator", "Array", "options"} <= set(names)
    assert {"distributed.init", "integrations.register"} <= set(names)


@pytest.mark.parametrize("where", ["", "new."], ids=["function", "module"])
def test_a_name_without_a_chapter_is_an_error(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    def novel() -> None: ...

    if where:
        module = ModuleType("ascend_array_api.new")
        module.__dict__.update(novel=novel, __all__=["novel"])
        monkeypatch.setattr(xp, "new", module, raising=False)
    else:
        monkeypatch.setattr(xp, "novel", novel, raising=False)
    monkeypatch.setattr(xp, "__all__", [*xp.__all__, where.rstrip(".") or "novel"])
    with pytest.raises(api_reference.ExtensionError, match=f"no chapter for {where}novel"):
        api_reference.chapters()


def test_an_operator_without_a_place_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Nothing:
        def write(self, page: str, *parts: str) -> None: ...

    api_reference.write_array(Nothing())
    monkeypatch.delitem(api_reference.OPERATORS["arithmetic"], "__matmul__")
    with pytest.raises(api_reference.ExtensionError, match="__imatmul__, __matmul__, __rmatmul__"):
        api_reference.write_array(Nothing())


def test_versions() -> None:
    assert api_reference.since("abs") == api_reference.since("linalg.inv") == "2023.12"
    assert api_reference.since("diff") == "2024.12"
    assert api_reference.since("isin") == "2025.12"
    assert not api_reference.since("to_torch")


@pytest.mark.parametrize(
    ("folder", "link", "seen"),
    [
        ("docs", "guide.md#views", "guide.md#views"),
        ("docs", "../conformance/README.md#the-report", "conformance.md#the-report"),
        ("docs", "../examples/demo.py", "examples/demo.rst"),
        ("docs", "../pyproject.toml", "../pyproject.toml"),
        ("conformance", "../docs/guide.md", "guide.md"),
        ("conformance", "cann_emulator/README.md", "emulated-cann.md"),
        ("conformance", "https://example.org/a.md", "https://example.org/a.md"),
    ],
)
def test_links_lead_to_pages(folder: str, link: str, seen: str) -> None:
    assert site_pages.relink(f"see [it]({link}).", folder, "page") == f"see [it]({seen})."
    assert site_pages.relink(f"[it]: {link}\n", folder, "page") == f"[it]: {seen}\n"


def test_pages_of_functions_have_their_row_of_the_table_of_npus() -> None:
    row = api_reference.on_npus("sum").splitlines()
    assert row[0] == ".. rubric:: On an NPU"
    assert {"   * - i8", "     - f32", "     - ●"} <= set(row)
    assert "H+" in api_reference.on_npus("linalg.eig")
    assert "●+" in api_reference.on_npus("random.normal")
    assert api_reference.on_npus("median") == ""


def test_every_picture_is_on_a_page() -> None:
    pages = [page.read_text(encoding="utf-8") for page in pictures.DOCS.glob("*.md")]
    marks = [match[1] for text in pages for match in pictures._MARK.finditer(text)]
    assert sorted(marks) == sorted(pictures.PICTURES)
    assert sum(text.count("<!-- picture") for text in pages) == len(marks)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("npu-support", ["linalg.eigvalsh", "c128", "Elementwise, continued", "AICPU", "host"]),
        ("npu-accuracy", ["erfinv", "floor_divide", "largest error in ulp", "2**-100"]),
        ("examples-bits", ["worst perimeter", "mean fractal dimension", "bits that one"]),
        ("examples-settings", ["40 components, C = 10.0", "0.1180", "log loss"]),
        ("examples-loss", ["steps taken", "loss", "200"]),
        ("gallery-wave", ["step 30", "step 90", "<image"]),
        ("gallery-particles", ["seen", "mean of the particles"]),
        ("gallery-gibbs", ["draws of four coefficients"]),
        ("gallery-images", ["before", "after 8 steps", "<image"]),
        ("benchmarks", ["xp.matmul(p, q)", "array_api_strict", "target"]),
        ("benchmarks-chain", ["torch, compiled", "20.2 ms", "10,000,000 float32 elements"]),
        ("benchmarks-chain-cuda", ["ascend_array_api, CUDA graph", "0.12 ms", "NVIDIA H100"]),
        ("benchmarks-functions", ["linear algebra functions", "numpy", "AMD EPYC, 2 cores"]),
        ("benchmarks-functions-cuda", ["operators", "cupy", "NVIDIA H100 80GB HBM3"]),
    ],
)
def test_pictures_are_drawn_from_what_is_measured(
    name: str, shown: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "pictures" / f"{name}.svg"
    pictures.draw(name, path)
    said = path.read_text(encoding="utf-8")
    for text in shown:
        assert text in said


@pytest.mark.nightly
def test_a_picture_takes_the_place_of_its_comment(tmp_path: Path) -> None:
    app = SimpleNamespace(srcdir=tmp_path, env=SimpleNamespace(note_dependency=print))
    source = ["Before\n\n<!-- picture npu-accuracy: Errors\n\nThe picture\nshows.\n-->\n\nAfter\n"]
    pictures.read(app, "page", source)
    forms = re.findall(r"```{image} pictures/(\S+)\n:class: (.*)\n:alt: Errors\n", source[0])
    assert dict(forms) == {
        "npu-accuracy.svg": "only-light only-wide",
        "npu-accuracy-dark.svg": "only-dark only-wide",
        "npu-accuracy-narrow.svg": "only-light only-narrow",
        "npu-accuracy-narrow-dark.svg": "only-dark only-narrow",
    }
    assert source[0].startswith("Before\n\n")
    assert source[0].endswith("\n\nThe picture\nshows.\n\n\nAfter\n")
    for file, _ in forms:
        assert (tmp_path / "pictures" / file).stat().st_size > 10_000
    with pytest.raises(KeyError):
        pictures.read(app, "page", ["<!-- picture none: Nothing -->"])


@pytest.mark.nightly
@pytest.mark.parametrize("name", pictures.PICTURES)
def test_pictures_have_a_dark_and_a_narrow_form(name: str, tmp_path: Path) -> None:
    def colours(text: str) -> set[str]:
        return set(re.findall(r"#[0-9a-f]{6}\b", text))

    def width(text: str) -> float:
        box = re.search(r'viewBox="0 0 ([\d.]+) ', text)
        assert box is not None
        return float(box[1])

    wide, narrow = tmp_path / "pictures/wide.svg", tmp_path / "pictures/narrow.svg"
    pictures.draw(name, wide)
    pictures.draw(name, narrow, pictures.NARROW)
    light = wide.read_text(encoding="utf-8")
    dark = wide.with_stem("wide-dark").read_text(encoding="utf-8")
    assert colours(light) & set(pictures.DARK)
    assert colours(dark) == {pictures.DARK.get(colour, colour) for colour in colours(light)}
    if pictures.PICTURES[name].plot is not pictures.copy:
        assert width(narrow.read_text(encoding="utf-8")) <= 72 * pictures.NARROW < width(light)


def test_constants_and_data_types_are_under_their_own_letters() -> None:
    for name in ("pi", "float32", "newaxis"):
        assert f".. py:data:: {name}\n   :module: ascend_array_api\n" in api_reference.data(name)


def test_each_choice_has_its_commands() -> None:
    selector = importlib.import_module("install_selector")
    every = selector.choices()
    assert len({(c.device, c.processor, c.pair) for c in every}) == len(every)
    assert {(c.device, c.processor) for c in every} == {
        (device, processor) for device in selector.DEVICES for processor in selector.PROCESSORS
    }
    npus = [c for c in every if c.device == "npu"]
    assert "all tests" in npus[0].said
    for choice in npus:
        version = choice.pair.partition(",")[0].split()[1]
        assert f"pip install '.[npu]' torch-npu=={version} " in choice.commands[0]
    shown = selector.html()
    assert shown.count('<div class="choice"') == shown.count(" hidden>") == len(every)


DOCS = Path(__file__).parents[2] / "docs"


def shown_by(extension: str, name: str) -> tuple[str, str]:
    """Return a page, and the form that an extension puts into it."""
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    source = [page]
    importlib.import_module(extension).read(None, name, source)
    (shown,) = re.findall(r"```\{raw\} html\n(.*?)```", source[0], re.DOTALL)
    return page, shown


def test_a_chip_can_be_chosen_for_the_tables() -> None:
    page, shown = shown_by("chip_selector", "npu-support")
    assert shown.startswith('<form class="chips" hidden ')  # the script shows it
    assert re.findall(r'value="([^"]+)" checked', shown) == ["Atlas A2"]
    data = json.loads(html.unescape(re.findall(r'data-chips="([^"]*)"', shown)[0]))
    for chip, lines in data.items():
        assert f'value="{chip}"' in shown
        assert f"| {chip} | 2," in page
        for function, _, codes in lines:
            assert set(codes.split()) <= set(api_reference.npu_cells()[function][0])


def test_long_tables_have_a_filter() -> None:
    page, shown = shown_by("table_filter", "scipy")
    assert shown.startswith('<form class="filter" hidden>')  # the script shows it
    assert '<input type="search" name="words"' in shown
    columns = re.findall(r'<select name="([^"]+)">', shown)
    assert columns == ["strict", "relaxed"]
    for head in re.findall(r"^\| function .*$", page, re.MULTILINE):
        assert set(columns) <= {cell.strip() for cell in head.split("|")}
    npus = (DOCS / "npu-support.md").read_text(encoding="utf-8")
    assert importlib.import_module("table_filter").MARK.findall(npus) == ["waits"]


def folded(page: str) -> list[Any]:
    """Return the nodes of a page once its tables and details are folded."""
    pytest.importorskip("myst_parser")
    core, parser = (importlib.import_module(n) for n in ("docutils.core", "myst_parser.docutils_"))
    document = core.publish_doctree(page, parser=parser.Parser())
    importlib.import_module("folded_tables").fold(None, document)
    return list(document.children)


def test_long_tables_are_folded_below_the_mark() -> None:
    table = "| function | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"
    other = table.replace("function", "<")
    page = (
        f"# A\n\n{table}\n<!-- fold tables of more than 1 rows -->\n\n{table}\n"
        f"**Of a < b**\n\n{other}\n<!-- fold tables of more than 2 rows -->\n\n{table}"
    )
    nodes = folded(page)
    one = ("raw", "table", "raw")
    kinds = [type(node).__name__ for node in nodes]
    assert kinds == ["title", "table", "raw", *one, *one, "raw", "table"]
    said = [node.astext() for node in nodes if "summary" in node.astext()]
    assert [re.sub("<.*?>", "", text).strip() for text in said] == [
        "2 functions",
        "Of a &lt; b (2 rows)",
    ]


def test_details_are_folded_between_the_marks() -> None:
    table = "| function | b |\n|---|---|\n| 1 | 2 |\n"
    page = (
        "# A\n\n<!-- fold tables of more than 0 rows -->\n\n"
        f"<!-- fold: Of a < b -->\n\nText.\n\n{table}\n<!-- end fold -->\n\nMore."
    )
    texts = [node.astext() for node in folded(page)]
    opened = '<details class="more">\n<summary>Of a &lt; b</summary>'
    assert texts[2:4] == [opened, "Text."]  # the table has no line of its own
    assert texts[5:] == ["</details>", "More."]


@pytest.mark.parametrize(
    "page",
    [
        "# A\n\n<!-- fold: B -->\n\nText.",
        "# A\n\nText.\n\n<!-- end fold -->",
        "# A\n\nText.\n\n<!-- fold: B -->\n\n## C\n\n<!-- end fold -->",
        "# A\n\n<!-- fold: B -->\n\n<!-- fold: C -->\n\n<!-- end fold -->\n\n<!-- end fold -->",
    ],
)
def test_details_begin_and_end_in_one_section(page: str) -> None:
    with pytest.raises(ValueError, match="fold"):
        folded(page)


def test_names_of_numpy_and_torch_are_those_that_errors_name() -> None:
    coming_from = importlib.import_module("coming_from")
    numpy, torch = coming_from.tables("numpy"), coming_from.tables("torch")
    assert "| `numpy.concatenate` | `xp.concat([x, y], axis=0)` |" in numpy
    assert "| `x.astype` |" in numpy
    assert "| `x.view` | xp.reshape(x, shape), or " in numpy  # words, and no code
    assert "| `x.tanh_` | x[...] = xp.tanh(x) |" in torch
    assert "x.is_cuda" in torch
    assert "x.scatter_" not in torch  # nothing is like it
    assert "`torch.cat`" in torch
    assert "`x.unsqueeze`" in torch
    assert "numpy.cat`" not in numpy
    for library in ("numpy", "torch"):
        source = [f"# Title\n\n<!-- names of {library} -->\n"]
        coming_from.read(None, "page", source)
        assert "<!--" not in source[0]
        assert source[0].count("| instead of | write |") >= 3


def test_pages_say_how_to_ask_which_row_decides() -> None:
    named = 0
    for name in api_reference.npu_cells():
        command = re.search(r"why (\S+) (\S+) npu", api_reference.on_npus(name))
        if command is not None:
            assert explain(command[1], command[2], "npu").startswith(command[1].rpartition(".")[2])
            named += 1
    assert named > 100
    assert "why" not in api_reference.on_npus("meshgrid")


def test_records_come_last_in_a_search() -> None:
    """The pages below *Measurements* are those that the scorer puts behind all others."""

    def below(page: str) -> list[str]:
        text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
        trees = re.findall(
            r"^```\{toctree\}\n:hidden:\n\n(.*?)^```$", text, re.MULTILINE | re.DOTALL
        )
        lines = [line for tree in trees for line in tree.split("\n") if line]
        own = [line.rpartition(" <")[2].rstrip(">") for line in lines]
        return own + [name for one in own for name in below(one)]

    records = re.search(r"RECORDS = \[(.*?)\]", (DOCS / "_static/scorer.js").read_text(), re.DOTALL)
    assert records is not None
    assert sorted(re.findall(r'"(.*?)"', records[1])) == sorted(below("measurements"))
