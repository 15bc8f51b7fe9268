"""Generated pages of docs/ are up to date, and the site has all pages."""

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import charts  # noqa: E402
import docs_site  # noqa: E402
import pytest  # noqa: E402
import reference  # noqa: E402


@pytest.mark.parametrize("page", ["commands", "sql", "functions", "environment", "cpp"])
def test_reference_is_fresh(page):
    text = getattr(reference, f"{page}_page")() + reference.NOTE
    assert (reference.FOLDER / f"{page}.md").read_text() == text, "run ./dev docs"


def test_charts_are_fresh(tmp_path):
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    charts.write(tmp_path / "docs")
    for path in [*(ROOT / "docs/plots").glob("*.svg"), ROOT / "docs/understand/performance.md"]:
        assert path.read_text() == (tmp_path / path.relative_to(ROOT)).read_text(), "run ./dev docs"


def sources(*folders):
    return [path.read_text() for folder in folders for path in (ROOT / folder).rglob("*.cc")
            if not re.search(r"_(test|bench)\.cc$|/testing/", str(path))]


def test_all_environment_variables_are_listed():
    named = set()
    for text in sources("engine", "apps"):
        named |= set(re.findall(r'(?:getenv|envname)\("(\w+)"\)', text)) | set(re.findall(r'"(XDG_\w+)"', text))
    assert named == set(reference.topic("environment")) | set(reference.TEST_VARIABLES)


def test_all_exit_codes_are_listed():
    listed = {int(code) for code in reference.topic("exit-codes")}
    enum = re.search(r"enum ExitCode \{(.*?)\}", (ROOT / "apps/cli/process/exit_code.h").read_text())[1]
    assert {int(code) for code in re.findall(r"\w+ = (\d+)", enum)} == listed


def test_all_errors_are_listed():
    headers = "".join(path.read_text() for path in (ROOT / "engine").rglob("*.h"))
    classes = dict(re.findall(r"class (\w+) : public ((?:\w|::)+)", headers))
    inner = {"NotOnDevice", "DeviceFull", "FaultOfPair", "ConflictError", "ConversionError", "DoesNotFit"}  # They become one of the listed errors, or are one.
    errors = {name for name, base in classes.items() if re.search(r"Error$|^std::(runtime|logic)_error$", base)}
    assert errors - inner == set(reference.ERRORS)


def test_site_has_all_pages():
    listed = set(re.findall(r"([\w./-]+\.md)$", (ROOT / "docs/mkdocs.yml").read_text(), re.M))
    pages = {str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")} - {"docs/README.md"}
    assert listed == pages | {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}


def test_site_has_no_links_to_files_of_other_kinds():
    text = docs_site.page(ROOT, "docs/understand/architecture.md")
    assert "](" in text and not re.search(r"\]\([^)]*\.(h|cc|py)\)", text)
