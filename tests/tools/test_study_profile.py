"""tools/study_profile.py: tables of a profile, and the loops of compiled functions."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import study_profile

RAW = '''"ID","Kernel Name","gpu__time_duration.sum","launch__registers_per_thread"
"","","us",""
"0","sum_column","1,234.5","32"
"1","sum_column","9","99"
'''
COLUMNS = '"Address","Source","Instructions Executed","Thread Instructions Executed","Predicated-On Thread Instructions Executed","Divergent Branches"'
SOURCE = f'''"Kernel Name","sum_column",
{COLUMNS}
"0x10","      S2R R2, SR_TID.X","4","128","128","0"
"0x20","      LDG.E.128 R8, desc[UR12][R8.64]","8","256","256","0"
"0x30","      IADD3 R0, P1, P2, R9, R0, R8","8","256","256","0"
"0x40","@P0   BRA 0x10","8","256","0","2"
"0x50","      LDG.E.128 R8, desc[UR12][R8.64]","8","256","256","0"
"0x60","      STG.E.64 desc[UR12][R4.64], R24","4","4","4","0"
"Kernel Name","sum_column",
{COLUMNS}
"0x10","      NOP","4","128","128","0"
'''
DUMP = '''
0000000000000000 <lanewise::(anonymous namespace)::sum_rows(int const*, unsigned long)>:
   0:\tpush   %rbp
   4:\tmov    -0x10(%rbp),%rax
   8:\tcall   20 <lanewise::load(void const*)>
   c:\tcltq
  10:\tadd    %rax,-0x8(%rbp)
  14:\tjb     4 <lanewise::(anonymous namespace)::sum_rows(int const*, unsigned long)+0x4>
  18:\tjb     0 <lanewise::(anonymous namespace)::sum_rows(int const*, unsigned long)>
  1c:\tret
'''


@pytest.fixture
def profile(tmp_path):
    (tmp_path / "raw.csv").write_text(RAW)
    (tmp_path / "source.csv").write_text(SOURCE)
    return tmp_path


def test_metrics_are_those_of_the_first_launch(profile):
    wanted = [("duration", "gpu__time_duration.sum", "{:.1f} µs"), ("registers", "launch__registers_per_thread", "{:.0f}"), ("texture", "missing", "{:.0f}")]
    assert list(study_profile.metric_table(study_profile.raw(profile / "raw.csv"), wanted)) == [
        ["", "SUM"], ["duration", "1234.5 µs"], ["registers", "32"], ["texture", "–"]]


def test_classes_have_their_share_and_their_idle_threads(profile):
    assert list(study_profile.class_table(study_profile.source(profile / "source.csv")))[1:] == [
        ["SUM", "load and store", "20", "50.0 %", "19.4 %", "0.0 %"],  # the store: 4 of 128 threads
        ["SUM", "control flow", "8", "20.0 %", "0.0 %", "100.0 %"],
        ["SUM", "moves", "4", "10.0 %", "0.0 %", "0.0 %"],
        ["SUM", "integers", "8", "20.0 %", "0.0 %", "0.0 %"],
        ["SUM", "all", "40", "100.0 %", "9.7 %", "20.0 %"]]


def test_a_step_ends_before_the_next_load_and_divergent_branches_are_shown(profile):
    code = study_profile.source(profile / "source.csv")
    assert [line["opcode"] for line in study_profile.step(code["sum_column"], "LDG", 1)] == ["LDG.E.128", "IADD3", "BRA"]
    text = study_profile.sass(code)
    assert "const Four four = fours[i];" in text and "SUM:\ninstruction" in text.split("Where threads diverge")[1]


def test_the_shortest_loop_that_fits_is_shown():
    assert study_profile.loop_of(DUMP, r"sum_rows\(", "cltq", None) == ["mov -0x10(%rbp),%rax", "call load", "cltq", "add %rax,-0x8(%rbp)", "jb 4"]
    assert study_profile.loop_of(DUMP, r"sum_rows\(", "cltq", "cltq") is None
    assert study_profile.registers(["vpaddq %ymm0,%ymm1,%ymm1"]) == "ymm, 32 bytes" and study_profile.registers(["cltq"]) == "general, 8 bytes"
