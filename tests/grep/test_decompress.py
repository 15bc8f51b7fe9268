"""-z on whole, cut, damaged and random packed files: no crash, bounded memory, an error that says what is wrong.

LANEWISE_TEST_ALL=1 tries more of them.
"""

import bz2
import gzip
import lzma
import os
import random
import subprocess

import pytest
from programs import PROGRAM, files, grep  # noqa: F401

TRIES = 400 if os.environ.get("LANEWISE_TEST_ALL") else 12
TEXT = b"".join(b"line %d of some text\n" % i for i in range(3000))
MEMORY = 400 << 20  # bytes of address space


def by_program(*command):
    return lambda data: subprocess.run(command, input=data, capture_output=True, check=True).stdout


PACKERS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "lzma": lambda data: lzma.compress(data, format=lzma.FORMAT_ALONE),
    "zst": by_program("zstd", "-q", "-c"),
    "lz4": by_program("lz4", "-q", "-c"),
}


def pack(end):
    try:
        return PACKERS[end](TEXT)
    except FileNotFoundError as error:
        pytest.skip(f"{error.filename} is not installed")


def damage(choice, packed):
    data = bytearray(packed)
    kind = choice.choice(["cut", "flip", "flip", "splice", "append", "head"])
    if kind == "cut":
        return bytes(data[: choice.randrange(len(data))])
    if kind == "splice":
        begin = choice.randrange(len(data))
        del data[begin : begin + choice.randint(1, 200)]
    elif kind == "append":
        data += choice.randbytes(choice.randint(1, 300))
    elif kind == "head":
        data = data[: choice.randint(2, 12)] + choice.randbytes(choice.randint(1, 3000))
    else:
        for _ in range(choice.randint(1, 8)):
            data[choice.randrange(len(data))] = choice.randrange(256)
    return bytes(data)


@pytest.mark.parametrize("end", [*PACKERS, "Z"])
def test_damaged_files(tmp_path, end):
    choice = random.Random(end)
    packed = b"\x1f\x9d\x90" + choice.randbytes(2000) if end == "Z" else pack(end)
    names = []
    for number in range(TRIES):
        path = tmp_path / f"{number}.{end}"
        path.write_bytes(damage(choice, packed) if number > 0 else packed)
        names.append(path.name)
    command = ["prlimit", f"--as={MEMORY}", *PROGRAM, "--threads", "1", "-zc", "--include-zero", "text"]
    done = subprocess.run([*command, *names], cwd=tmp_path, capture_output=True, timeout=300)
    errors = done.stderr.decode()
    assert done.returncode in (0, 1, 2), errors
    reasons = ("ends too early", "is damaged", "not supported", "needs more memory")
    assert all(line.startswith("lanewise grep: ") and any(reason in line for reason in reasons) for line in errors.splitlines()), errors
    if end != "Z":
        assert done.stdout.splitlines()[0] == f"0.{end}:3000".encode()


def test_much_from_little(grep, files):  # noqa: F811
    """A small file that decompresses to an endless line is rejected, or searched, within the memory limit."""
    files(**{"bomb.gz": gzip.compress(b"a\n" * 50_000_000)})
    assert grep("-zc", "a", "bomb.gz")[:2] == (0, b"50000000\n")


@pytest.mark.parametrize("end", PACKERS)
def test_whole_files(grep, files, end):  # noqa: F811
    files(**{f"a.{end}": pack(end)})
    assert grep("-zc", "line 17 ", f"a.{end}")[:2] == (0, b"1\n")
