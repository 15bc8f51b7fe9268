"""`lanewise study`: a report with all plots, what is kept after an interruption, and results that are rejected."""

import html.parser
import json
import os
import re
import shutil
import signal
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest
from conftest import BUILD, PROGRAM

TINY = ["--rows", "1100", "--repeat", "2", "--device", "cpu", "--quick"]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="session")
def measured(tmp_path_factory):
    """A study of all parts with tiny data, measured once."""
    folder = tmp_path_factory.mktemp("study") / "results"
    done = subprocess.run([PROGRAM, "study", *TINY, "-o", str(folder)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


@pytest.fixture
def results(measured, tmp_path):
    return shutil.copytree(measured[0], tmp_path / "results")


def run_again(results, *more):
    done = subprocess.run([PROGRAM, "study", *TINY, "-o", str(results), *more], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def plots_of(page):
    return [ElementTree.fromstring(text) for text in re.findall(r"<svg .*?</svg>", page, re.S)]


def part_of(plot, kind):
    return [group for group in plot.iter(SVG + "g") if kind in group.get("class", "").split()]


def test_every_plot_is_whole(measured):
    page = (measured[0] / "report.html").read_text()
    plots = plots_of(page)
    assert len(plots) >= 30
    assert page.count("<figcaption>") == len(plots)
    for plot in plots:
        title = plot.get("aria-label")
        for kind in ("x", "y", "legend"):
            assert part_of(plot, kind), f"{title} has no {kind}"
            assert any(text.text for group in part_of(plot, kind) for text in group.iter(SVG + "text")), title
        labels = [text.text for text in plot.iter(SVG + "text") if "label" in text.get("class", "").split()]
        assert labels and all(labels), f"{title} has an axis without a name"
        numbers = [float(number) for element in plot.iter() for name in ("x", "y", "x1", "x2", "y1", "y2", "width", "height")
                   if (number := element.get(name)) and element.tag != SVG + "svg"]
        assert all(-1 <= number < 3000 for number in numbers), title
        assert "nan" not in ElementTree.tostring(plot, "unicode"), title


def test_the_page_is_complete(measured):
    page = (measured[0] / "report.html").read_text()

    class Nesting(html.parser.HTMLParser):
        def __init__(self):
            super().__init__()
            self.open = []

        def handle_starttag(self, tag, attributes):
            self.open.append(tag)
            assert not any(name in ("src", "srcset") or (name == "href" and not value.startswith("#")) for name, value in attributes)

        def handle_endtag(self, tag):
            assert self.open.pop() == tag

    nesting = Nesting()
    nesting.feed(page)
    assert nesting.open == []
    assert "@media print" in page and "prefers-color-scheme: dark" in page
    for words in ("Who wins where", "decision tree", "Gain of refill", "Filter over selectivity", "Search of one node", "Growth",
                  "bitset or list", "limit: one core reads", "no transfer", "no GPU on this machine", "H-T2, T3", "B-T8", "P-F1", "S-F1",
                  "S+ tree", "m = 64, c = 16 (2016)", "without presort", "Worked examples", "2 5 7 12 13 17", "5 edges, 1 unmatched",
                  "Energy of a GPU: not readable here", "Not measured on this machine", "lanewise study --quick --rows 1100",
                  "A recorded run of the engine", "Events of each aggregate", "Cache misses over threads", "Pairs of a join", "Time saved by each step"):
        assert words in page, words
    assert page.count("<tr>") > 150


def test_raw_results(measured, lanewise):
    study = json.loads((measured[0] / "study.json").read_text())
    assert study["machine"]["processor"] and study["machine"]["read_rate"] > 0 and study["key"]["seed"] == 1
    levels = [level for experiment in study["experiments"] for group in experiment["groups"] for level in group["levels"]]
    timed = [level for level in levels if level.get("seconds")]
    assert len(timed) > 500 and all(len(level["runs"]) >= 1 and level["hash"] for level in timed)
    code, out, error = lanewise("sql", "-c", f"SELECT count(*) AS n FROM '{measured[0]}/study.parquet'", "--format", "csv")
    assert code == 0 and out.split() == ["n", str(len(levels))], error


def groups_of(folder, part, name):
    study = json.loads((folder / "study.json").read_text())
    return [group for experiment in study["experiments"] if (experiment["part"], experiment["name"]) == (part, name) for group in experiment["groups"]]


def test_loops_without_optimisation_fill_the_tables_of_2019(measured):
    filters, aggregates = groups_of(measured[0], "operators", "selectivity"), groups_of(measured[0], "operators", "aggregates")
    for group in [*filters, *(group for group in aggregates if group["work"] in ("sum", "min_max", "valid"))]:
        hashes = {level["level"]: level["hash"] for level in group["levels"] if "hash" in level}
        assert hashes["scalar -O0"] == hashes["scalar"] == hashes.get("avx2 -O0", hashes["scalar"])
    page = (measured[0] / "report.html").read_text()
    rows = re.findall(r"<tr><td>H-T(?:2, T3|10, T11)</td>(.*?)</tr>", page)
    assert len(rows) == 4 * 13 + 4 * 5 + 3  # SUM, MIN and MAX by the compiler's vectors, too
    assert all("<td>–</td>" not in row for row in rows if "-O0" in row and "AVX" not in row and "avx" not in row)


def test_the_trace_is_of_rows_that_lanes_held(measured):
    for group in groups_of(measured[0], "strings", "trace"):
        naive, refill = group["levels"]
        assert naive["hash"] == refill["hash"] and refill["steps"] < naive["steps"]
        for level in (naive, refill):
            assert sorted(piece[3] for piece in level["pieces"]) == list(range(group["rows"]))  # each row once
            live = sum(last - first for _, first, last, *_ in level["pieces"])
            assert live / group["lanes"] / level["steps"] == pytest.approx(level["occupancy"])
            for lane in range(group["lanes"]):
                held = sorted((first, last) for number, first, last, *_ in level["pieces"] if number == lane)
                assert all(before[1] <= after[0] for before, after in zip(held, held[1:]))


def test_finished_experiments_are_kept_after_a_kill(tmp_path):
    command = [PROGRAM, "study", "operators", "--rows", "20000", "--repeat", "20", "--device", "cpu", "-o", "results"]
    program = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert program.stdout.readline().startswith("operators-selectivity")
    program.send_signal(signal.SIGKILL)
    program.communicate()
    assert not (tmp_path / "results" / "report.html").exists()
    before = (tmp_path / "results/parts/operators-selectivity.json").read_text()
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert again.returncode == 0, again.stderr
    assert re.search(r"operators-selectivity +kept", again.stdout)
    assert (tmp_path / "results/parts/operators-selectivity.json").read_text() == before
    assert "operators-threads" in again.stdout and (tmp_path / "results/report.html").exists()


def test_parts_measured_one_after_the_other_share_a_report(tmp_path):
    """Each call keeps the parts of the earlier ones."""
    few = ["--rows", "300", "--repeat", "1", "--device", "cpu", "--quick", "-o", str(tmp_path / "results")]
    for part in ("pram", "index"):
        done = subprocess.run([PROGRAM, "study", part, *few], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
    study = json.loads((tmp_path / "results/study.json").read_text())
    assert {experiment["part"] for experiment in study["experiments"]} == {"pram", "index"}
    page = (tmp_path / "results/report.html").read_text()
    assert "Ordered indexes" in page and "PRAM programs" in page


def test_a_failed_experiment_is_named_and_measured_again(results):
    part = results / "parts" / "pram-grid.json"
    kept = json.loads(part.read_text())
    part.write_text(json.dumps(kept | {"failed": "out of memory on the device\nand more"}))
    later = results / "parts" / "pram-group.json"
    later.write_text(json.dumps(json.loads(later.read_text()) | {"failed": "no device"}))
    code, out, error = run_again(results, "index")
    assert code == 0, error
    page = (results / "report.html").read_text()
    assert "out of memory on the device</td>" in page and "no device" in page
    code, out, _ = run_again(results, "pram")
    assert code == 0 and not re.search(r"pram-grid +kept", out) and re.search(r"pram-sets +kept", out)
    assert "failed" not in json.loads(part.read_text())


def test_counted_accesses_are_those_of_the_formula(measured):
    study = json.loads((measured[0] / "study.json").read_text())
    trees = [group for experiment in study["experiments"] for group in experiment["groups"] if group.get("work") == "accesses"]
    assert len(trees) == 8
    assert all(abs(tree["counted"] - tree["formula"]) < 0.02 * tree["formula"] + 8 for tree in trees)


def test_other_parameters_are_measured_anew(results):
    code, out, error = run_again(results, "--seed", "2")
    assert code == 0 and "kept" not in out, error


def test_a_wrong_hash_ends_the_study(results):
    part = results / "parts" / "operators-aggregates.json"
    kept = json.loads(part.read_text())
    kept["groups"][0]["levels"][1]["hash"] = "0123456789abcdef"
    part.write_text(json.dumps(kept))
    code, _, error = run_again(results)
    assert code == 70 and "levels disagree" in error and "0123456789abcdef" in error


def test_a_busy_machine_is_noticed(results):
    part = results / "parts" / "operators-aggregates.json"

    def captions(spread):
        kept = json.loads(part.read_text())
        for group in kept["groups"]:
            for level in group["levels"]:
                level["spread"] = spread
        part.write_text(json.dumps(kept))
        code, _, error = run_again(results)
        assert code == 0, error
        page = (results / "report.html").read_text()
        return re.search(r"Filters and aggregates, one core.*?<figcaption>(.*?)</figcaption>", page, re.S)[1]

    assert "busy" not in captions(0.02)
    assert re.search(r"The machine was busy: \d+ of \d+ measurements have a spread above 10 %", captions(0.25))


def test_the_report_of_another_machine(results, lanewise):
    whole = (results / "report.html").read_text()
    for path in results.glob("parts/*.json"):
        path.write_text(path.read_text().replace('"processor": "', '"processor": "Another '))
    (results / "report.html").unlink()
    code, out, error = lanewise("study", "report", str(results))
    assert code == 0 and "kept" not in out, error
    assert len(plots_of((results / "report.html").read_text())) == len(plots_of(whole))
    code, _, error = lanewise("study", "report", "nowhere")
    assert code == 2 and "'nowhere' has no results" in error


def test_two_studies_side_by_side(results, tmp_path, lanewise):
    code, _, error = lanewise("study", "compare", str(results), str(results), "-o", "both.html")
    assert code == 0, error
    page = (tmp_path / "both.html").read_text()
    assert len(plots_of(page)) >= 15 and "1.00 ×" in page and "B is faster by" in page


def test_studies_of_other_formats(results, tmp_path, lanewise):
    def rewritten(**change):
        study = json.loads((results / "study.json").read_text()) | change
        folder = tmp_path / "other"
        folder.mkdir(exist_ok=True)
        (folder / "study.json").write_text(json.dumps(study))
        return str(folder)

    assert lanewise("study", "compare", str(results), rewritten(format=1), "-o", "both.html")[0] == 0
    assert "B is faster by" in (tmp_path / "both.html").read_text()
    assert lanewise("study", "compare", str(results), rewritten(experiments=[]), "-o", "both.html")[0] == 0
    assert "no measurement in common" in (tmp_path / "both.html").read_text()
    code, _, error = lanewise("study", "compare", str(results), rewritten(format=99))
    assert code == 2 and "format 99" in error


@pytest.mark.parametrize("arguments, word", [(["dance"], "dance"), (["operators", "dance"], "dance"), (["--repeat", "0"], "0"), (["compare", "no-a", "no-b"], "no-a"),
                                             (["--device", "abacus", "operators", "--rows", "100"], "abacus")])
def test_what_is_wrong_is_told(lanewise, arguments, word):
    code, _, error = lanewise("study", *arguments)
    assert code == 2 and word in error


@pytest.mark.long
def test_a_gpu_is_measured_where_there_is_one(emulated_gpu, tmp_path):
    done = subprocess.run([PROGRAM, "study", "index", "pram", "--rows", "300", "--repeat", "1", "--quick", "-o", "results"], cwd=tmp_path, text=True,
                          capture_output=True, timeout=500, env=os.environ | emulated_gpu)
    assert done.returncode == 0, done.stderr
    study = json.loads((tmp_path / "results/study.json").read_text())
    assert study["machine"]["gpu"] and not any("failed" in experiment for experiment in study["experiments"])
    levels = {level["level"] for experiment in study["experiments"] for group in experiment["groups"] for level in group["levels"]
              if level.get("seconds")}
    assert {"cuda segments", "cuda keys", "cuda tile", "cuda block, kernel", "cuda block, resident", "cuda tile, resident", "transfer alone", "new copy", "later, not waited for",
            "empty kernel, first", "cuda, with transfers", "cuda", "cuda, no optimisation", "cuda, tuned", "cuda, naive", "cuda, m = 64, c = 4",
            "cuda, m = 256, c = 16", "cuda, Lanewise", "cuda, bitonic presort", "cuda, bitset", "cuda, list", "one group, cuda"} <= levels
    page = (tmp_path / "results/report.html").read_text()
    assert "There is no GPU" not in page
    for words in ("GPU, with transfers", "One launch", "Copies of trees to the GPU", "GPU, data there", "Prefix sums over n", "CUDA"):
        assert words in page, words
    for table, cause in {"B-T3": "work of the driver", "B-T5": "two kernels", "B-T7 (lost)": "a search on one core", "P-F1 (lost)": "over m the time varies"}.items():
        assert re.search(rf"<tr><td>{re.escape(table)}</td>.*{cause}", page), table


ON_GPU = {"strings-warps", "strings-warp-matches", "strings-warp-refill", "strings-warp-shapes", "strings-pairs", "operators-gpu", "operators-gpu-aggregates",
          "operators-gpu-shapes", "operators-sql"}


def study_on_gpu(folder, environment, *more):
    done = subprocess.run([PROGRAM, "study", *more, "--rows", "700", "--repeat", "1", "--quick", "-o", "results"], cwd=folder, text=True,
                          capture_output=True, timeout=500, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    return folder / "results", (folder / "results/report.html").read_text()


@pytest.mark.long
def test_strings_and_operators_on_a_gpu(emulated_gpu, tmp_path):
    results, page = study_on_gpu(tmp_path, emulated_gpu | {"LANEWISE_SORT": "/nonexistent"}, "strings", "operators")
    for name in ON_GPU:
        part, experiment = name.split("-", 1)
        groups = groups_of(results, part, experiment)
        assert groups, name
        for group in groups:
            hashes = {level["hash"] for level in group["levels"] if "hash" in level}
            on_gpu = [level for level in group["levels"] if level["level"].startswith("gpu") or "kernel" in level]
            assert len(hashes) == 1 and on_gpu, group["title"]
            missing = [level["not_offered"] for level in on_gpu if "not_offered" in level]
            assert not missing or (group["work"] == "sort" and "plug-in" in missing[0]), group["title"]
    for words in ("Regular expression on warps", "Gain of refill on warps", "the engine's choice", "Filter on the GPU over selectivity", "Timeline of a run",
                  "Performance boundary", "Rate over block and grid", "Not measured: gpu. The reason: the plug-in that sorts"):
        assert words.replace("'", "&#39;") in page or words in page, words
    assert not re.search(r"\bnan\b", page)
    rows = re.findall(r"<tr><td>H-T(?:4, T5|4, text)</td>(.*?)</tr>", page) + re.findall(r"<tr><td>H-T10, T11</td>(<td>\w+, CUDA.*?)</tr>", page)
    assert len(rows) == 13 + 3 + 4 and all("<td>–</td>" not in row for row in rows)


@pytest.mark.long
def test_the_study_goes_on_without_a_gpu_that_fails(emulated_gpu, tmp_path):
    failing = {"LD_LIBRARY_PATH": str(BUILD / "engine/gpu/failing"), "FAILING_CUDA_IN": "500", "FAILING_CUDA_WITH": "700",
               "FAILING_CUDA_REAL": emulated_gpu["LD_LIBRARY_PATH"] + "/libcuda.so.1"}
    results, page = study_on_gpu(tmp_path, emulated_gpu | failing, "operators")
    levels = [level for group in groups_of(results, "operators", "gpu") for level in group["levels"] if level["level"].startswith("gpu")]
    assert any("not_offered" in level for level in levels)
    assert "Not measured: gpu" in page and "not measured: the GPU failed" in page
