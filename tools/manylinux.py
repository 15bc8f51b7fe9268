"""./dev wheel: makes the wheel in a folder one for glibc 2.28: manylinux.py FOLDER TBB_WHEEL NOTICES.

The wheel gets the licences of what it contains, from the folder that tools/notices.py wrote. It gets oneTBB's library from PyPI, which was built for old systems. Symbols that glibc has in a newer version than 2.28 are bound to its
first version, which it still has. A symbol without a first version is defined in apps/python/glibc.c, or this reports it.
"""

import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

TAG = "manylinux_2_28_x86_64"
MOST = {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11), "GCC": (7, 0, 0)}  # as that tag allows
FIRST = "GLIBC_2.2.5"
CONTENTS = ["duckdb", "duckdb-third-party", "nanoarrow", "libtbb12", "libfmt9", "zlib1g", "libbz2-1.0", "libzstd1", "liblzma5", "liblz4-1", "libutf8proc-dev",
            "nlohmann-json3-dev", "libcli11-dev", "libstdc++6"]
GLIBC = [f"/lib/x86_64-linux-gnu/{name}" for name in ("libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2")]


def is_newer(version):
    family, _, number = version.partition("_")
    return family in MOST and number[:1].isdigit() and tuple(map(int, number.split("."))) > MOST[family]


def symbols(library):
    """The dynamic symbols with a version, as (name, version, whether the library defines it)."""
    for line in subprocess.run(["readelf", "-W", "--dyn-syms", library], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if len(words) > 7 and "@" in words[7]:
            name, version = words[7].replace("@@", "@").split("@", 1)
            yield name, version, words[6] != "UND"


def hash_of(name):
    """ELF's hash of a version's name."""
    value = 0
    for letter in name.encode():
        value = (value << 4) + letter
        value = (value ^ (value & 0xF0000000) >> 24) & 0x0FFFFFFF
    return value


def section(data, name):
    """Offset and bytes of a section of a 64-bit ELF file."""
    start, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + size * place) for place in range(count)]
    for header in headers:
        at = headers[names][4] + header[0]
        if data[at : data.index(b"\0", at)] == name:
            return header[4], header[5]
    return None


def bind_to_first(library):
    """Changes the versions that a library needs of glibc."""
    data = bytearray(library.read_bytes())
    needed, texts = section(data, b".gnu.version_r"), section(data, b".dynstr")
    first = data.index(b"\0" + FIRST.encode() + b"\0", texts[0], sum(texts)) + 1 - texts[0]
    at = needed[0]
    while True:  # a record for each library, with one for each of its versions
        _, count, _, below, following = struct.unpack_from("<HHIII", data, at)
        version = at + below
        for _ in range(count):
            name_at = struct.unpack_from("<I", data, version + 8)[0] + texts[0]
            name = data[name_at : data.index(b"\0", name_at)].decode()
            if name.startswith("GLIBC_") and is_newer(name):
                struct.pack_into("<I", data, version, hash_of(FIRST))
                struct.pack_into("<I", data, version + 8, first)
            version += struct.unpack_from("<I", data, version + 12)[0]
        if following == 0:
            break
        at += following
    library.write_bytes(data)


def main():
    folder, tbb, notices = map(Path, sys.argv[1:])
    wheel, = folder.glob("*.whl")
    had = {name for library in GLIBC for name, version, defined in symbols(library) if defined and version == FIRST}
    with tempfile.TemporaryDirectory() as temporary:
        unpacked = Path(temporary, "wheel")
        subprocess.run([sys.executable, "-m", "wheel", "unpack", "-d", unpacked, wheel], check=True, stdout=subprocess.DEVNULL)
        content, = unpacked.iterdir()
        for of_system in (content / "lanewise").glob("libtbb*"):
            of_system.unlink()
        with zipfile.ZipFile(tbb) as from_pypi:
            member = next(name for name in from_pypi.namelist() if "/libtbb.so.12." in name)
            with from_pypi.open(member) as source, open(content / "lanewise/libtbb.so.12", "wb") as target:
                shutil.copyfileobj(source, target)
        licences, = content.glob("*.dist-info/licenses")
        sorter = ["nvidia-cuda-cccl", "nvidia-cuda-runtime"] if (content / "lanewise/lanewise_sort.so").exists() else []
        for name in CONTENTS + sorter:
            shutil.copy(notices / f"licences/{name}.txt", licences)
        wrong = []
        for library in sorted((content / "lanewise").iterdir()):
            if not library.is_file() or library.read_bytes()[:4] != b"\x7fELF":
                continue
            newer = [(name, version) for name, version, defined in symbols(library) if not defined and is_newer(version)]
            wrong += [f"{library.name} needs {name} of {version}" for name, version in newer if not version.startswith("GLIBC_") or name not in had]
            if newer:
                bind_to_first(library)
        if wrong:
            sys.exit("\n".join(wrong))
        wheel.unlink()
        subprocess.run([sys.executable, "-m", "wheel", "pack", "-d", folder, content], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", TAG, *folder.glob("*.whl")], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
