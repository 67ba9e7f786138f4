"""The site: Sphinx's settings.

``make docs`` builds it into ``docs/_build/html``.  The extensions in ``_ext`` write the pages
of the API reference and of the examples, and draw the pictures of measurements, while it builds.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent / "_ext"))
sys.path.append(str(Path(__file__).parents[1]))  # for conformance

import ascend_array_api

project = "ascend_array_api"
author = "the authors of ascend_array_api"
project_copyright = f"%Y, {author}"
version = release = ascend_array_api.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "api_reference",
    "chip_selector",
    "coming_from",
    "folded_tables",
    "install_selector",
    "pictures",
    "site_pages",
    "table_filter",
]
exclude_patterns = ["_build", "_ext"]
default_role = "py:obj"  # what stands in `single backticks` in a docstring is a name
nitpicky = True

# The pages are read in the repository too, so they are plain Markdown wherever that suffices.
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

autodoc_typehints = "none"  # the sections of the docstrings say it in words
viewcode_line_numbers = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"  # but for these names and Python's own
numpydoc_xref_aliases = {
    "Array": "ascend_array_api.Array",
    "BitGenerator": "ascend_array_api.random.BitGenerator",
    "Device": "ascend_array_api.Device",
    "Generator": "ascend_array_api.random.Generator",
    "HostFallback": "ascend_array_api.HostFallback",
    "NamespaceInfo": "ascend_array_api._chapters.info.NamespaceInfo",
    # In place of references that need Python's own inventory.
    "True": "True",
    "False": "False",
    "bool": "bool",
    "boolean": "bool",
    "sequence": "collections.abc.Sequence",
    "torch.Tensor": "torch.Tensor",
}

html_theme = "pydata_sphinx_theme"
html_title = "ascend_array_api"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["selector.js", "chips.js", "filter.js", "copy.js", "wide.js"]
html_favicon = "_static/favicon.svg"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "ascend_array_api"},
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "icon_links": [
        {
            "name": "Repository",
            "url": "https://github.com/ascend-array-api/ascend-array-api",
            "icon": "fa-brands fa-github",
        }
    ],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}  # without it the theme complains in the browser's console
html_sidebars: dict[str, list[str]] = {
    page: []  # no page is below them
    for page in (
        *("index", "quickstart", "scipy", "test-your-library", "cookbook", "gallery", "comparison"),
        *("troubleshooting", "coming-from-numpy", "coming-from-torch", "contributing"),
    )
}
html_search_scorer = str(Path(__file__).parent / "_static/scorer.js")  # measurements come last

linkcheck_timeout = 20
linkcheck_retries = 2
linkcheck_anchors_ignore_for_url = [r"https://github\.com/.*"]  # its pages are made by scripts
