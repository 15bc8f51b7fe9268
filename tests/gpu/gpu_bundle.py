"""./dev gpu-bundle: packs into build/bundle-gpu what a bare machine with a GPU needs to test and measure Lanewise.

It holds the program, the tests that need a GPU, the plug-in that sorts, kernels compiled ahead of time, Debian's libraries, the Python package and scripts. There,
`bash gpu.sh` unpacks it and lists its commands. DuckDB's library, the tests and DuckDB's answers are compressed by xz. The limit is 60 MB in all.
"""

import lzma
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import gpu_answers

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
BUNDLE = BUILD / "bundle-gpu"
LAYERS = ["api", "data", "gpu", "graph", "index", "ops", "pram", "primitives"]  # layers whose tests use a GPU
PROGRAMS = ["lanewise", "lanewise-engine", *(f"engine/{layer}/lanewise_{layer}_test" for layer in LAYERS),
            *(f"engine/{layer}/lanewise_{layer}_bench" for layer in ("graph", "pram"))]
PARTS = ["lanewise_sort.so", "lanewise_kernels", "engine/gpu/fake", "engine/gpu/failing", "engine/gpu/incomplete"]
SCRIPTS = ["tests/gpu/gpu.sh", "tests/gpu/gpu_smoke.py", "tests/gpu/gpu_sanitize.py", "tests/gpu/gpu_differential.py", "tests/gpu/gpu_large.py", "tests/gpu/gpu_python.py", "tests/gpu/gpu_ray.py", "tests/sql/corpus.py", "tests/sql/engine.py",
           "bench/gpu_bench.py", "bench/gpu_texts.py", "bench/cub_reduce.cu", "bench/naive_bytes.cu"]
PYTHON_PARTS = ["liblanewise.so", "python/lanewise/_native.abi3.so"]
PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]
EVERYWHERE = ("linux-vdso", "ld-linux", "libc.", "libm.", "libdl.", "libpthread.", "libgcc_s.", "libstdc++.")
MOST_BYTES = 60 << 20


def libraries(program):
    """The shared libraries of a program, without those of a compiler."""
    lines = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines()
    return [Path(line.split(" => ")[1].split(" (")[0]) for line in lines
            if " => " in line and not line.strip().startswith(EVERYWHERE)]


def pack(library, cache):
    """Compresses a large library once; it changes only with DuckDB's version."""
    packed = cache / f"{library.name}-{library.stat().st_size}.xz"
    if not packed.exists():
        cache.mkdir(parents=True, exist_ok=True)
        aside = packed.with_suffix(".new")
        with open(library, "rb") as source, lzma.open(aside, "wb", preset=6) as target:
            shutil.copyfileobj(source, target)
        aside.rename(packed)
    return packed


def compress(path, preset):
    path.with_name(path.name + ".xz").write_bytes(lzma.compress(path.read_bytes(), preset=preset))
    path.unlink()


def pack_python():
    """The Python package, and what it needs of cffi for each version of Python. gpu.sh sets LD_LIBRARY_PATH, by which it finds liblanewise.so and DuckDB."""
    package = BUNDLE / "python/lanewise"
    package.mkdir(parents=True)
    for file in (*(ROOT / "apps/python/lanewise").glob("*.py"), BUILD / "python/lanewise/_native.abi3.so"):
        shutil.copy(file, package)
    subprocess.run(["strip", "-o", BUNDLE / "liblanewise.so", BUILD / "liblanewise.so"], check=True)
    compress(BUNDLE / "liblanewise.so", 1)
    wheels = ROOT / ".cache/gpu/cffi"
    for version in PYTHONS:
        tag = version.replace(".", "")
        if not any(wheels.glob(f"cffi-*-cp{tag}-*.whl")):
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--python-version", version, "--platform",
                            "manylinux2014_x86_64", "--platform", "manylinux_2_28_x86_64", "-d", wheels, "cffi"], check=True)
        with zipfile.ZipFile(next(wheels.glob(f"cffi-*-cp{tag}-*.whl"))) as wheel:
            wheel.extract(next(name for name in wheel.namelist() if name.startswith("_cffi_backend.")), BUNDLE / "python")


def main():
    missing = [part for part in PROGRAMS + PARTS + PYTHON_PARTS if not (BUILD / part).exists()]
    if missing:
        sys.exit(f"not built: {', '.join(missing)}")
    shutil.rmtree(BUNDLE, ignore_errors=True)
    BUNDLE.mkdir(parents=True)
    for program in PROGRAMS:
        copy = BUNDLE / Path(program).name
        subprocess.run(["strip", "-o", copy, BUILD / program], check=True)
        compress(copy, 1)
    for part in PARTS:
        source, target = BUILD / part, BUNDLE / Path(part).name
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    for script in SCRIPTS:
        shutil.copy(ROOT / script, BUNDLE)
    gpu_answers.write(BUNDLE / "answers.json")
    compress(BUNDLE / "answers.json", 6)
    pack_python()
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True).stdout
    (BUNDLE / "commit").write_text(commit or "unknown")
    for library in {library for program in PROGRAMS for library in libraries(BUILD / program)}:
        if library.name == "libduckdb.so":
            shutil.copy(pack(library.resolve(), ROOT / ".cache/gpu"), BUNDLE / "libduckdb.so.xz")
        else:
            shutil.copy(library.resolve(), BUNDLE / library.name)
    size = sum(path.stat().st_size for path in BUNDLE.rglob("*") if path.is_file())
    print(f"{BUNDLE.relative_to(ROOT)}: {size / (1 << 20):.0f} MB")
    sys.exit(size > MOST_BYTES and "that is too much")


if __name__ == "__main__":
    main()
