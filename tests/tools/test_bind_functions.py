"""tools/bind_functions.py: a changed library works as before, and looks up none of its own functions."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LANEWISE_BUILD") or ROOT / "build")

HEADER = """
#include <stdexcept>
struct Shape { virtual ~Shape() = default; virtual int corners() const { return 0; } };
struct Square : Shape { int corners() const override; };
struct Wrong : std::runtime_error { using std::runtime_error::runtime_error; };
inline int& counter() { static int value = 0; return value; }  // one for the program and the library
Shape* make();
int (*function())(int);
int count();
int thrice(int x);
[[noreturn]] void fail();
"""
LIBRARY = """
#include "shape.h"
#include <cstdlib>
int Square::corners() const { return 4; }
int thrice(int x) { return 3 * x; }
int count() { return std::abs(thrice(++counter()) / 3); }
Shape* make() { return new Square; }
int (*function())(int) { return thrice; }
int (*const kTable[])(int) = {thrice};
void fail() { throw Wrong("wrong"); }
"""
PROGRAM = """
#include "shape.h"
#include <cstring>
int main() {
  Shape* shape = make();
  if (shape->corners() != 4 || dynamic_cast<Square*>(shape) == nullptr) return 1;
  if (function()(2) != 6 || ++counter() != 1 || count() != 2 || counter() != 2) return 2;
  try { fail(); } catch (const Wrong& error) { return std::strcmp(error.what(), "wrong") == 0 ? 0 : 3; }
}
"""


def relocations(library):
    """The kind of each relocation and the name of its symbol, or None."""
    shown = subprocess.run(["readelf", "-rW", "-C", library], check=True, capture_output=True, text=True).stdout
    return [(found[1], found[2]) for found in re.finditer(r"(R_X86_64_\w+)(?: +[0-9a-f]{16} (\S+))?", shown)]


def bind(library):
    subprocess.run([sys.executable, ROOT / "tools/bind_functions.py", library], check=True)


def test_a_bound_library_works_as_before(tmp_path):
    for name, text in (("shape.h", HEADER), ("shape.cc", LIBRARY), ("main.cc", PROGRAM)):
        (tmp_path / name).write_text(text)
    # Linked like libduckdb: lazily, with the addresses of functions in tables.
    flags = ["-std=c++20", "-O1", "-fPIC", "-Wl,-z,lazy", "-Wl,-z,norelro"]
    subprocess.run(["g++", *flags, "-shared", "shape.cc", "-o", "libshape.so"], check=True, cwd=tmp_path)
    subprocess.run(["g++", *flags, "main.cc", "-o", "main", "-L.", "-lshape", "-Wl,-rpath,$ORIGIN"], check=True, cwd=tmp_path)
    named = relocations(tmp_path / "libshape.so")
    assert any("thrice" in (symbol or "") for _, symbol in named)
    for _ in range(2):  # a second time changes nothing
        bind(tmp_path / "libshape.so")
        after = relocations(tmp_path / "libshape.so")
        assert len(after) == len(named)
        assert not any("thrice" in (symbol or "") for _, symbol in after)
        for eager in ({}, {"LD_BIND_NOW": "1"}):
            subprocess.run([tmp_path / "main"], check=True, env={**os.environ, **eager})


def test_duckdb_is_bound():
    kinds = [kind for kind, _ in relocations(BUILD / "libduckdb.so")]
    assert kinds.count("R_X86_64_RELATIVE") > 60_000
    assert "R_X86_64_JUMP_SLOT" not in kinds
