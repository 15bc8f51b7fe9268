"""Runs blocks through `lanewise sql`, many in one process."""

import os
import re
import subprocess
from pathlib import Path

import corpus

PROGRAM = Path(os.environ.get("LANEWISE_BUILD") or Path(__file__).resolve().parents[2] / "build") / "lanewise"
TARGETS = ["branching", "scalar", "auto", "interleaved", "avx2", "avx512", "simd", "packed", "emulated"]


def run(sql, lanes="simd", vector_size=None, threads=1, join_parts=None, memory=None, semi_joins_first=False, join_pairs=None, join_lookup=None, on_error="stop", timing=False, timeout=600):
    env = dict(os.environ)
    if vector_size:
        env["LANEWISE_VECTOR_SIZE"] = str(vector_size)
    if join_parts:
        env["LANEWISE_JOIN_PARTS"] = str(join_parts)
    if semi_joins_first:
        env["LANEWISE_SEMI_JOINS_FIRST"] = "1"
    if join_pairs:
        env["LANEWISE_JOIN_PAIRS"] = join_pairs
    if join_lookup:
        env["LANEWISE_JOIN_LOOKUP"] = join_lookup
    if memory:
        env["LANEWISE_ENGINE_MEMORY"] = str(memory)
    return subprocess.run([PROGRAM, "sql", "--format", "json", "--lanes", lanes, "--threads", str(threads), "--on-error", on_error, *(["--timing"] if timing else [])], env=env,
                          input=sql, capture_output=True, text=True, timeout=timeout)


def script(blocks, times=1):
    """DuckDB creates tables if Lanewise cannot, but it does not answer queries."""
    texts = [f"SET lanewise_fallback = 'duckdb';\n{b.sql}\n;\nRESET lanewise_fallback;\n" if b.kind == "statement" else f"{b.sql}\n;\n" * times
             for b in blocks]
    return "".join(texts)


def failures(blocks, expected, with_errors=True, run=run, times=1, **settings):
    """Each difference from DuckDB's answers, as text. If a query ends the process, that is recorded, and a new process continues after it. `run`
    returns the outcome of SQL, in which each query comes `times` times: again, its plan may be a kept one."""
    found = []
    answers = dict(zip([b for b in blocks if b.kind != "statement"], expected))
    pending = [b for b in blocks if b.kind != "error"]
    while any(b.kind == "query" for b in pending):
        result = run(script(pending, times), **settings)
        try:
            got = corpus.json_answers(result.stdout)
        except ValueError as error:
            got = error.whole
            if result.returncode == 0:
                found.append(f"what it printed is not JSON: {error}: {result.stderr.strip()}")
                break
        queries = [b for b in pending if b.kind == "query" for _ in range(times)]
        for block, answer in zip(queries, got):
            difference = corpus.difference(answer, answers[block], block.ordered)
            if difference:
                found.append(f"line {block.line}: {difference}\n  {block.sql}")
        if result.returncode == 0 and len(got) == len(queries):
            break
        if len(got) >= len(queries):
            found.append(f"exit code {result.returncode} after all {len(queries)} queries: {result.stderr.strip()}")
            break
        culprit = queries[len(got)]
        if result.returncode != 2:
            # A process that crashes may have answers that it did not print.
            prelude = [b for b in blocks if b.kind == "statement" and blocks.index(b) < blocks.index(culprit)]
            alone = ((b, run(script([*prelude, b], times), **settings)) for b in queries[len(got):])
            culprit, result = next(((b, r) for b, r in alone if r.returncode not in (0, 2)), (culprit, result))
        found.append(f"line {culprit.line}: exit code {result.returncode}: {result.stderr.strip()[-2000:]}\n  {culprit.sql}")
        at = pending.index(culprit)
        judged = set(queries[:len(got)])
        pending = [b for b in pending[:at] if b not in judged] + pending[at + 1:]

    for index, block in enumerate(blocks):
        if block.kind == "error" and with_errors:
            before = [b for b in blocks[:index] if b.kind == "statement"]
            result = run(script(before + [block]), **settings)
            problem = error_problem(result, block)
            if problem:
                found.append(f"line {block.line}: {problem}\n  {block.sql}")
    return found


def error_problem(result, block):
    if result.returncode != 2:
        return f"exit code {result.returncode}, not 2; {result.stdout[:200]!r} {result.stderr.strip()[-500:]}"
    if not result.stderr.strip():
        return "fails without a message"
    if not re.search(block.message, result.stderr):
        return f"the message has no '{block.message}': {result.stderr.strip()}"
    return None
