# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The doc site, made by tools/doc-site: all of doc/ as it stands, the README and
the manual pages.  Sphinx reads a copy of them, in which index.md is this
directory's; a document that is added to doc/ is found by its name."""
from pygments.lexer import inherit
from pygments.lexers.c_cpp import CLexer
from pygments.token import Comment, Keyword, Name, Operator


class DLexer(CLexer):
    """D: C with probes, aggregations and a few words more."""
    name, aliases, filenames = "D (DTrace)", ["dtrace-d"], []
    tokens = {
        "root": [(r"^#!.*\n", Comment.Preproc), inherit],
        "statements": [
            (r"@\w*", Name.Variable.Global), (r"\$+\w+", Name.Variable),
            (r"`", Operator), (r"\b(this|self)\b", Keyword),
            (r"\b(inline|translator|provider|probe|xlate|BEGIN|END|ERROR)\b",
             Keyword), inherit],
    }


project = "DTrace for Linux"
author = "the DTrace for Linux authors"
html_title = project
extensions = ["myst_parser"]
html_theme = "furo"
html_copy_source = False
html_show_copyright = False
html_extra_path = ["extra"]
myst_heading_anchors = 3
highlight_language = "none"
templates_path = []


def setup(app):
    # What documents call "d" is this, and not the other language of that name.
    app.add_lexer("d", DLexer)
