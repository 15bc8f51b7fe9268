"""Writes the profiler's tables and the compiled loops into docs/study/profile.md.

python3 tools/study_profile.py PROFILE [BUILD]

PROFILE has raw.csv and source.csv of Nsight Compute, BUILD (build) the objects of the program. docs/study/profile.md says how to make both.
"""

import csv
import re
import subprocess
import sys
from pathlib import Path

from study_page import NONE, ROOT, markdown, replace

PAGE = ROOT / "docs" / "study" / "profile.md"
KERNELS = {"filter_column": "filter", "sum_column": "SUM", "bound_column": "MIN and MAX", "count_bitmap": "COUNT"}

# Rows of a table: what it shows, the metric, its format.
USE = [("duration", "gpu__time_duration.sum", "{:.1f} µs"), ("use of compute units", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "{:.0f} %"),
       ("use of memory", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "{:.0f} %"),
       ("registers of a thread", "launch__registers_per_thread", "{:.0f}"),
       ("warps that a multiprocessor can hold", "sm__maximum_warps_per_active_cycle_pct", "{:.0f} %"),
       ("warps that it held, on average", "sm__warps_active.avg.pct_of_peak_sustained_active", "{:.0f} %"),
       ("bytes used of 32 loaded", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", "{:.0f}"),
       ("bytes used of 32 stored", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio", "{:.0f}"),
       ("branches whose threads agree", "smsp__sass_average_branch_targets_threads_uniform.pct", "{:.1f} %")]
UNITS = [(name, f"sm__inst_executed_pipe_{pipe}.avg.pct_of_peak_sustained_active", "{:.1f} %")
         for name, pipe in [("integers and logic (ALU)", "alu"), ("multiplications (FMA)", "fma"), ("load and store (LSU)", "lsu"),
                            ("addresses, constants and barriers (ADU)", "adu"), ("control flow (CBU)", "cbu"), ("bit counts, conversions (XU)", "xu"),
                            ("uniform values", "uniform"), ("64-bit floats (FP64)", "fp64"), ("texture (TEX)", "tex")]]

# The class of an instruction, by the start of its name; the first that fits counts.
CLASSES = [("load and store", "LDG|STG|LDS|STS|LDC|ULDC|LDL|STL|ATOM|RED"), ("control flow", "BRA|BSSY|BSYNC|EXIT|BAR|WARPSYNC|CALL|RET|NOP"),
           ("between threads", "SHFL|VOTE|MATCH"), ("moves", r"U?MOV|IMAD\.MOV|S2U?R|CS2R|P2R|R2P|R2UR"), ("floats", "F|DADD|DMUL|DFMA|DSETP|H"),
           ("integers", "")]

# What a listing shows: the first instruction of the step, how many such instructions it has, and the source's first and last line.
STEPS = {"filter_column": ("VOTE", 3, "const u32 word = __ballot_sync", "if (lane == k + j)"), "sum_column": ("LDG", 1, "const Four four", "for (u32 k = 0; k < 4"),
         "bound_column": ("LDG", 1, "static __device__ void join(Result& to, Result other) {\n    const int", "m > most ? m : most);\n  }"),
         "count_bitmap": ("LDG", 1, "static __device__ void add(Result& to, u32 value)", "static __device__ void add(Result& to, u32 value)")}


def number(text):
    return float(text.replace(",", "") or 0)


def raw(path):
    """The metrics of each kernel's first launch."""
    head, _, *rows = csv.reader(path.open())
    found = {}
    for row in rows:
        metrics = dict(zip(head, row))
        found.setdefault(metrics["Kernel Name"], metrics)
    return found


def source(path):
    """The instructions of each kernel, the first time that it is listed."""
    found, name, head = {}, None, []
    for row in csv.reader(path.open()):
        if row[0] == "Kernel Name":
            name = row[1] if row[1] not in found else None
        elif row[0] == "Address":
            head = row
        elif name:
            line = dict(zip(head, row))
            words = line["Source"].split()
            found.setdefault(name, []).append({
                "text": " ".join(words), "opcode": words[1] if words[0].startswith("@") else words[0],
                **{key: int(line[column]) for key, column in [("warps", "Instructions Executed"), ("threads", "Thread Instructions Executed"),
                                                              ("on", "Predicated-On Thread Instructions Executed"), ("divergent", "Divergent Branches")]}})
    return found


def metric_table(metrics, wanted):
    kernels = [name for name in KERNELS if name in metrics]
    yield ["", *(KERNELS[name] for name in kernels)]
    for title, metric, form in wanted:
        yield [title, *(form.format(number(metrics[name][metric])) if metric in metrics[name] else NONE for name in kernels)]


def class_of(opcode):
    return next(name for name, starts in CLASSES if re.match(starts, opcode))


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else NONE


def class_table(code):
    """Shares of the instructions that warps executed; of their threads, those inactive, and those whose predicate was off."""
    yield ["kernel", "class", "instructions", "share", "inactive", "predicated off"]
    for kernel, title in KERNELS.items():
        lines = code.get(kernel, [])
        all_warps = sum(line["warps"] for line in lines)
        for name in [*(name for name, _ in CLASSES), "all"]:
            of_class = [line for line in lines if name in ("all", class_of(line["opcode"]))]
            warps, threads, on = (sum(line[key] for line in of_class) for key in ("warps", "threads", "on"))
            if warps:
                yield [title, name, f"{warps:,}", percent(warps, all_warps), percent(32 * warps - threads, 32 * warps), percent(threads - on, 32 * warps)]


def listing(lines):
    each = [[line["text"], f"{line['warps']:,}", f"{line['threads'] / max(line['warps'], 1):.0f}", f"{line['on'] / max(line['warps'], 1):.0f}",
             str(line["divergent"])] for line in lines]
    rows = [["instruction", "warps", "active", "on", "divergent"], *each]
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    return "\n".join("  ".join(cell.ljust(widths[i]) if i == 0 else cell.rjust(widths[i]) for i, cell in enumerate(row)).rstrip() for row in rows)


def step(lines, start, count):
    """The instructions from the first one that begins so, of those executed most, up to the one `count` further or to others."""
    most = max(line["warps"] for line in lines if line["opcode"].startswith(start))
    at = [i for i, line in enumerate(lines) if line["opcode"].startswith(start) and line["warps"] == most]
    end = at[count] if len(at) > count else len(lines)
    return lines[at[0]:next((i for i in range(at[0], end) if lines[i]["warps"] != most), end)]


def kernel_text(first, last):
    text = (ROOT / "apps/cli/study/bench/scan_device.cc").read_text()
    at = text.index(first)
    end = text.index("\n", text.index(last, at) + len(last))
    lines = text[text.rindex("\n", 0, at) + 1:end].split("\n")
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    return "\n".join(line[indent:] for line in lines)


def sass(code):
    texts = []
    for kernel, (start, count, first, last) in STEPS.items():
        if kernel not in code:
            continue
        lines = code[kernel]
        texts.append(f"**{KERNELS[kernel]}: a step of the loop**\n\n```cpp\n{kernel_text(first, last)}\n```\n\n```text\n{listing(step(lines, start, count))}\n```")
    ends = []
    for kernel, title in KERNELS.items():
        for at, line in enumerate(code.get(kernel, [])):
            if line["divergent"]:
                ends.append(f"{title}:\n{listing(code[kernel][at - 2:at + 3])}")
    if ends:
        texts.append("**Where threads diverge**\n\n```cpp\n" + kernel_text("if (threadIdx.x == 0) {", "out[number] = result;\n    }") + "\n```\n\n```text\n" +
                     "\n\n".join(ends) + "\n```")
    return "\n\n".join(texts)


# The loops of the processor: the task, its level, the object, the function, what its loop has and has not, and its rows.
OBJECTS = {"unoptimised": "apps/cli/CMakeFiles/lanewise_cli.dir/study/bench/scan_unoptimised.cc.o",
           **{level: f"engine/primitives/CMakeFiles/lanewise_primitives.dir/kernels/{level}.cc.o" for level in ("scalar", "auto", "avx2", "avx512")}}
LOOPS = [
    ("filter", "scalar -O0", "unoptimised", r"filter_rows\(", r"shl", None, 1),
    ("filter", "scalar", "scalar", r"compare_constant<.*Scalar, int>\(", r"sete .*cmp \$0x40", None, 1),
    ("filter", "auto", "auto", r"compare_constant<.*Auto, int>\(", r"vpcmpeqd", r"jbe", 64),
    ("filter", "avx2 -O0", "unoptimised", r"filter_vectors\(", r"vmovmskps", None, 8),
    ("filter", "avx2", "avx2", r"compare_any<.*Avx2, int>\(", r"vpcmpeqd", None, 64),
    ("filter", "avx512", "avx512", r"compare_any<.*Avx512, int>\(", r"vpcmpeqd", None, 64),
    ("SUM", "scalar -O0", "unoptimised", r"sum_rows\(", r"cltq|cdqe|movslq", None, 1),
    ("SUM", "scalar", "scalar", r"sum<.*Scalar, int>\(", r"movslq", r"\bneg\b", 1),
    ("SUM", "auto", "auto", r"sum<.*Auto, int>\(", r"vpmovsxdq", None, 8),
    ("SUM", "avx2 -O0", "unoptimised", r"sum_vectors\(", r"vpmovsxdq", None, 8),
    ("SUM", "avx2", "avx2", r"sum<.*Avx2, int>\(", r"vpaddq .*vpsrlq", r"bzhi", 64),
    ("SUM", "avx512", "avx512", r"sum<.*Avx512, int>\(", r"vpaddq .*vpsrlq", r"kmov", 64),
    ("MIN and MAX", "scalar -O0", "unoptimised", r"bound_rows\(", r"cmp", None, 1),
    ("MIN and MAX", "scalar", "scalar", r"min_max<.*Scalar, int>\(", r"cmovg", r"\bneg\b", 1),
    ("MIN and MAX", "auto", "auto", r"min_max<.*Auto, int>\(", r"vpminsd", None, 8),
    ("MIN and MAX", "avx2 -O0", "unoptimised", r"bound_vectors\(", r"vpminsd", None, 8),
    ("MIN and MAX", "avx2", "avx2", r"min_max<.*Avx2, int>\(", r"vpminsd", r"rep stos", 64),
    ("MIN and MAX", "avx512", "avx512", r"min_max<.*Avx512, int>\(", r"vpminsd", r"rep stos|kmov|vpandd", 64),
    ("COUNT", "scalar -O0", "unoptimised", r"count_rows\(", r"shr", None, 1),
    ("COUNT", "scalar", "scalar", r"count<.*Scalar>\(", r"popcnt", None, 64),
    ("COUNT", "auto", "auto", r"count<.*Auto>\(", r"popcnt", None, 64),
    ("COUNT", "avx2 -O0", "unoptimised", r"count_vectors\(", r"vpshufb", None, 256),
    ("COUNT", "avx2", "avx2", r"count<.*Avx2>\(", r"popcnt", None, 64),
    ("COUNT", "avx512", "avx512", r"count<.*Avx512>\(", r"popcnt", None, 64),
]
SHOWN = 18  # instructions of a listing


def instruction(text):
    """objdump's instruction, a call with its function's name alone."""
    text = re.sub(r"\s+", " ", re.sub(r"^call .*?(\w+)\(.*", r"call \1", text))
    return re.sub(r" <.*", "", text).strip()


def functions(text):
    """The instructions (address, text) of each function of objdump's output."""
    found, body = {}, None
    for line in text.splitlines():
        if match := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            body = found.setdefault(match[1], [])
        elif (match := re.match(r"\s*([0-9a-f]+):\t(.*?)\s*$", line)) and body is not None:
            body.append((int(match[1], 16), instruction(match[2])))
    return found


def loops(body):
    """The loops of a function: the instructions from a jump's target to the jump."""
    at = {address: i for i, (address, _) in enumerate(body)}
    for i, (address, text) in enumerate(body):
        match = re.match(r"j\w+ ([0-9a-f]+)$", text)
        if match and (first := at.get(int(match[1], 16), i + 1)) <= i:
            yield [text for _, text in body[first:i + 1]]


def loop_of(text, function, has, has_not):
    """The shortest loop that has these instructions and not those."""
    bodies = [body for name, body in functions(text).items() if re.search(function, name)]
    fitting = [loop for body in bodies for loop in loops(body)
               if re.search(has, " ".join(loop)) and not (has_not and re.search(has_not, " ".join(loop))) and "ret" not in loop]
    return min(fitting, key=len) if fitting else None


def registers(loop):
    text = " ".join(loop)
    return next((name for name, pattern in [("zmm, 64 bytes", "%zmm"), ("ymm, 32 bytes", "%ymm"), ("xmm, 16 bytes", "%xmm")] if re.search(pattern, text)),
                "general, 8 bytes")


def assembly(dump):
    """The table of all loops, and their listings; `dump` gives objdump's output for an object."""
    rows, texts = [["task", "level", "instructions", "rows", "instructions of a row", "on the stack", "registers"]], []
    for task, level, name, function, has, has_not, of_loop in LOOPS:
        loop = loop_of(dump(name), function, has, has_not)
        if loop is None:
            raise SystemExit(f"{OBJECTS[name]}: no loop of '{function}' has '{has}'")
        stack = sum(bool(re.search(r"\(%r[bs]p\)", text)) for text in loop)
        rows.append([task, level, str(len(loop)), str(of_loop), f"{len(loop) / of_loop:.2g}", str(stack), registers(loop)])
        shown = loop if len(loop) <= SHOWN + 2 else [*loop[:SHOWN], f"... {len(loop) - SHOWN} more"]
        texts.append(f"{task}, {level}:\n\n```asm\n" + "\n".join(shown) + "\n```")
    return markdown(rows), "\n\n".join(texts)


def disassembled(build):
    texts = {}

    def dump(name):
        if name not in texts:
            done = subprocess.run(["objdump", "-d", "-C", "-w", "--no-show-raw-insn", build / OBJECTS[name]], capture_output=True, text=True, check=True)
            texts[name] = done.stdout
        return texts[name]

    return dump


def write(profile, build):
    metrics, code = raw(profile / "raw.csv"), source(profile / "source.csv")
    page = PAGE.read_text()
    table, listings = assembly(disassembled(build))
    for mark, text in [("use", markdown([*metric_table(metrics, USE)])), ("units", markdown([*metric_table(metrics, UNITS)])),
                       ("classes", markdown([*class_table(code)])), ("sass", sass(code)), ("loops", table), ("assembly", listings)]:
        page = replace(page, mark, text)
    PAGE.write_text(page)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    write(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "build"))
