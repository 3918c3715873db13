# SPDX-License-Identifier: GPL-2.0
"""Configuration of Sphinx for "make html"; the root is the tree."""

import re

project = "SMC-R for Linux"
author = "the maintainers"
with open("../net/smc/base/version.h", encoding="utf-8") as file:
    release = re.search(r'SMC_VERSION "(.*)"', file.read())[1]

extensions = ["myst_parser"]
root_doc = "Documentation/networking/smc/index"
include_patterns = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md",
                    "Documentation/**"]
exclude_patterns = ["Documentation/netlink/**"]

# Lists of requirements and changes need no anchor for each heading.
myst_heading_anchors = 2
suppress_warnings = ["myst.header"]
highlight_language = "none"

html_theme = "alabaster"
html_theme_options = {"page_width": "1080px", "sidebar_width": "230px",
                      "show_powered_by": False, "font_size": "16px",
                      "description": "TCP applications over RDMA"}
html_copy_source = False
html_show_copyright = False
