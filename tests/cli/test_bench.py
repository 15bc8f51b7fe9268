"""`lanewise bench`: every level of this machine is measured, all agree, and options select what runs."""

import json
import re
import subprocess
import time
import xml.etree.ElementTree

import pytest
from conftest import PROGRAM, cancel

SCAN_LEVELS = ["branching", "scalar", "auto", "avx2", "avx512", "neon", "emulated"]
SMALL = ["--rows", "70001", "--repeat", "1"]


def bench(lanewise, *arguments):
    code, out, error = lanewise("bench", *arguments, "--json")
    assert code == 0, error
    return json.loads(out)


def levels_of(group):
    return {level["level"]: level for level in group["levels"]}


def hashes(group):
    return {level["hash"] for level in group["levels"] if "not_offered" not in level}


def test_scan_measures_every_level(lanewise):
    report = bench(lanewise, "scan", *SMALL, "--selectivity", "10,100")
    assert report["processor"] and report["read_gb_per_second"] > 0 and report["seed"] == 1
    work = [(group["work"], group["selectivity"]) for group in report["groups"]]
    assert work == [("bitmap", 10), ("count", 10), ("list", 10), ("sum", 10), ("min_max", 10), ("valid", 10),
                    ("bitmap", 100), ("count", 100), ("list", 100), ("valid", 100)]
    for group in report["groups"]:
        assert list(levels_of(group)) == SCAN_LEVELS
        assert len(hashes(group)) == 1
        assert group["rows"] == 70001
        for level in group["levels"]:
            assert "not_offered" in level or level["seconds"] > 0


def test_scan_hashes_tell_data_and_work_apart(lanewise):
    groups = bench(lanewise, "scan", *SMALL, "--selectivity", "10,20", "--levels", "scalar")["groups"]
    other = bench(lanewise, "scan", *SMALL, "--selectivity", "10", "--levels", "scalar", "--seed", "2")["groups"]
    found = [hashes(group).pop() for group in groups if group["work"] in ("bitmap", "count", "list")]
    assert len(set(found)) == 6
    assert hashes(other[0]) != hashes(groups[0])


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float", "double"])
def test_scan_types(lanewise, kind):
    report = bench(lanewise, "scan", *SMALL, "--type", kind, "--selectivity", "30")
    assert all(len(hashes(group)) == 1 and group["type"] == kind for group in report["groups"])


def test_scan_threads_give_the_same(lanewise):
    report = bench(lanewise, "scan", "--rows", "300000", "--repeat", "1", "--selectivity", "30", "--work", "list,sum",
                   "--threads", "1,2,5", "--affinity", "both")
    assert [(g["threads"], g["affinity"]) for g in report["groups"]] == [(n, pin) for n in (1, 2, 5) for pin in (False, True)] * 2
    for work in ("list", "sum"):
        assert len(set.union(*(hashes(g) for g in report["groups"] if g["work"] == work))) == 1


def test_strings_measures_every_level(lanewise):
    report = bench(lanewise, "strings", "--rows", "5000", "--repeat", "1")
    assert [(g["test"], g["lengths"]) for g in report["groups"]] == [
        (test, lengths) for test in ("equality", "prefix", "regex") for lengths in ("constant", "uniform", "skewed")]
    for group in report["groups"]:
        assert len(hashes(group)) == 1 and group["matches"] == 50
        names = list(levels_of(group))
        for first in ("branching", "scalar", "interleaved 4 naive", "interleaved 8 refill", "avx2 packed", "avx512 packed",
                      "emulated 32", "emulated packed", "chosen: "):
            assert any(name.startswith(first) for name in names), first


def test_refill_keeps_lanes_busy(lanewise):
    (group,) = bench(lanewise, "strings", "--rows", "100000", "--repeat", "1", "--test", "regex", "--lengths", "skewed")["groups"]
    levels = levels_of(group)
    compared = [name.removesuffix(" naive") for name in levels if name.endswith(" naive")]
    assert "interleaved 8" in compared
    for name in compared:
        naive, refill = levels[f"{name} naive"], levels[f"{name} refill"]
        if "not_offered" in naive:
            continue
        assert refill["occupancy"] > 0.95 > 0.75 > naive["occupancy"], name
        assert refill["refills"] > naive["refills"]


def test_thresholds(lanewise):
    (group,) = bench(lanewise, "strings", "--rows", "20000", "--repeat", "1", "--test", "regex", "--lengths", "skewed",
                     "--levels", "emulated,interleaved", "--thresholds", "1,4,32")["groups"]
    levels = levels_of(group)
    assert list(levels) == ["interleaved 4 below 1", "interleaved 4 below 4", "interleaved 8 below 1", "interleaved 8 below 4",
                            "emulated 32 below 1", "emulated 32 below 4", "emulated 32 below 32",
                            "emulated packed below 1", "emulated packed below 4", "emulated packed below 32"]
    shares = [levels[f"emulated packed below {n}"]["occupancy"] for n in (1, 4, 32)]
    assert shares == sorted(shares) and shares[0] < shares[2]


def test_tables(lanewise):
    code, out, error = lanewise("bench", "scan", *SMALL, "--selectivity", "50", "--work", "bitmap,sum")
    assert (code, error) == (0, "")
    assert "Read rate of one core: " in out and "of read rate" in out
    assert "filter = 3 to a bitmap: 70,001 int32, 50 % selected" in out and "SUM: 70,001 int32" in out
    assert all(f"\n  {level}" in out for level in SCAN_LEVELS)
    code, out, _ = lanewise("bench", "strings", "--rows", "1000", "--test", "prefix", "--lengths", "24", "--repeat", "1")
    assert code == 0 and "occupancy" in out and "1,000 rows of 24 length" in out


def test_plots(lanewise, tmp_path):
    code, out, error = lanewise("bench", "scan", *SMALL, "--selectivity", "10,50,90", "--work", "bitmap,sum", "--plot", "scan.svg")
    assert code == 0 and "filter = 3" in out, error
    texts, lines = drawn(tmp_path / "scan.svg")
    measured = set(re.search("lanes +(.*) [(]", lanewise("info")[1])[1].split(", ")) - {"interleaved"}
    assert {"GB/s over selectivity", "filter = 3 to a bitmap"} <= set(texts) and lines == len(measured)
    assert measured < set(texts)

    code, out, error = lanewise("bench", "strings", "--rows", "2000", "--repeat", "1", "--test", "regex", "--lengths", "16,64",
                                "--levels", "interleaved 8,emulated packed", "--thresholds", "1,4", "--plot", "strings.svg")
    assert code == 0, error
    texts, lines = drawn(tmp_path / "strings.svg")
    assert {"GB/s over row length", "regex"} <= set(texts) and texts.count("Occupancy over threshold") == 2
    assert lines == 4 + 2 * 2 + 2 * 2

    code, _, error = lanewise("bench", "scan", *SMALL, "--selectivity", "10", "--work", "sum", "--plot", "none.svg")
    assert code == 2 and "nothing to plot" in error and not (tmp_path / "none.svg").exists()


def drawn(path):
    """The texts of an SVG image, and its number of lines."""
    root = xml.etree.ElementTree.parse(path).getroot()
    name = "{http://www.w3.org/2000/svg}"
    assert root.tag == name + "svg"
    return [text.text for text in root.iter(name + "text")], sum(path.get("class", "").startswith("line ") for path in root.iter(name + "path"))


@pytest.mark.parametrize(
    "arguments, word",
    [
        (["scan", "--work", "nonsense"], "nonsense"),
        (["scan", "--type", "text"], "text"),
        (["scan", "--selectivity", "101"], "101"),
        (["scan", "--levels", "mmx"], "mmx"),
        (["scan", "--rows", "0"], "0"),
        (["scan", "--rows", "5000000000"], "4294967295"),
        (["strings", "--lengths", "odd"], "odd"),
        (["strings", "--mismatch", "late"], "late"),
        (["strings", "--thresholds", "0"], "0"),
        (["strings", "--rows", "100000000", "--lengths", "64"], "4 GiB"),
        ([], "a command is missing"),
    ],
)
def test_what_is_wrong_is_told(lanewise, arguments, word):
    code, _, error = lanewise("bench", *arguments)
    assert code == 2 and word in error


@pytest.mark.parametrize("what", ["scan", "strings"])
def test_ctrl_c(what):
    program = subprocess.Popen([PROGRAM, "bench", what, "--repeat", "1000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1.5)
    assert program.poll() is None, program.stderr.read()
    code, seconds = cancel(program)
    assert code == 130 and seconds < 2
    assert b"cancelled" in program.stderr.read()


def test_index_levels_agree(lanewise):
    report = bench(lanewise, "index", "--keys", "3000", "--queries", "500", "--repeat", "1", "--device", "cpu")
    works = [group["work"] for group in report["groups"]]
    assert works == ["node", "node_alone"] * 7 + ["tree_alone", "tree_many"] * 3 + ["multi"] * 2 + ["find", "range"]
    assert all(len(hashes(group)) == 1 for group in report["groups"])
    find = report["groups"][-2]
    assert {"binary", "interleaved", "one by one", "std::lower_bound", "absl::btree", "Eytzinger", "S+ tree"} <= set(levels_of(find))
    assert find["rows"] == 500 and "gb_per_second" not in levels_of(find)["binary"]


def test_index_refuses_what_is_not_there(lanewise):
    for arguments in (["--work", "dance"], ["--device", "abacus"], ["--keys", "0"]):
        code, _, error = lanewise("bench", "index", "--keys", "100", *arguments)
        assert code == 2 and arguments[1] in error


def test_levels_are_named_or_refused(lanewise):
    group, *_ = bench(lanewise, "strings", *SMALL, "--test", "regex", "--lengths", "16", "--levels", "packed")["groups"]
    assert len(levels_of(group)) >= 2 and all(" packed" in level for level in levels_of(group))
    code, _, error = lanewise("bench", "strings", *SMALL, "--levels", "auto")
    assert code == 2 and "none of the levels 'auto'" in error, error
