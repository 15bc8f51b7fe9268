"""Builds the documentation site, build/site: gathers all *.md and plots in build/site-source, then runs MkDocs. A link to a file
that is not a page becomes the file's name."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from check_text import files

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "build" / "site-source"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")
CODE = re.compile(r"`[^`]*`")
CSS = """.md-typeset table:not([class]) { font-size: .66rem }
.md-typeset pre > code { font-size: .64rem }
.md-typeset img { border: 1px solid var(--md-default-fg-color--lightest); border-radius: 4px }
.md-grid { max-width: 68rem }
"""


def is_report(path):
    return path.parent == Path("docs/study") and path.suffix == ".html"


def page(root, name):
    def link(match):
        target = Path(os.path.normpath(Path(name).parent / match[3]))
        if match[1] or target.suffix in {".md", ".svg"} or is_report(target):
            return match[0]
        readme = target / "README.md"
        if (root / readme).is_file():
            return f"[{match[2]}]({os.path.relpath(readme, Path(name).parent)}{match[4] or ''})"
        return match[2]
    lines = LINK.sub(link, (root / name).read_text()).split("\n")
    # In a table, GitHub reads \\| in code as |; MkDocs shows it unchanged.
    return "\n".join(CODE.sub(lambda code: code[0].replace("\\|", "|"), line) if line.startswith("|") else line for line in lines)


def gather(root, to):
    shutil.rmtree(to, ignore_errors=True)
    for name in files(root):
        if name.endswith((".md", ".svg")) or is_report(Path(name)):
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            (to / name).write_text(page(root, name) if name.endswith(".md") else (root / name).read_text())
    (to / "site.css").write_text(CSS)


if __name__ == "__main__":
    gather(ROOT, SOURCE)
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", ROOT / "docs" / "mkdocs.yml"],
                          env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"})
    print("The site is in build/site; to see it with its search: python3 -m http.server -d build/site" if done.returncode == 0
          else "The site has faults.")
    sys.exit(done.returncode)
