"""Writes build/notices, which describes the contents of a package: a bill of materials (CycloneDX 1.5), Debian's `copyright`
and the licences of all that is shipped. Versions and licences are those of the files on this machine.

usage: notices.py [FOLDER]
"""

import json
import re
import shutil
import subprocess
import sys
import tarfile
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
# Debian packages with libraries that the tarball contains, or with code that is compiled into the program.
SHARED = {"libfmt9": "MIT", "libtbb12": "Apache-2.0", "libedit2": "BSD-3-Clause", "libbsd0": "BSD-3-Clause", "libmd0": "BSD-3-Clause",
          "libtinfo6": "MIT-X11-ncurses", "zlib1g": "Zlib", "libbz2-1.0": "bzip2-1.0.6", "libzstd1": "BSD-3-Clause",
          "liblzma5": "0BSD", "liblz4-1": "BSD-2-Clause", "libcpp-httplib0.11": "MIT", "libssl3": "Apache-2.0", "libbrotli1": "MIT"}
COMPILED_IN = {"libutf8proc-dev": "MIT", "libcli11-dev": "BSD-3-Clause", "nlohmann-json3-dev": "MIT",
               "libstdc++6": "GPL-3.0-with-GCC-exception"}


def setting(path, pattern):
    return re.search(pattern, (ROOT / path).read_text(), re.M)[1]


def debian(package):
    """Version and licence text of an installed package."""
    done = subprocess.run(["dpkg-query", "-Wf", "${Version}", package], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"notices.py: the Debian package {package} is not installed, so its version is unknown; run ./dev setup.")
    return done.stdout, Path("/usr/share/doc", package, "copyright").read_text(errors="replace")


def third_party_of_duckdb(version):
    """The licences inside DuckDB's source distribution, which libduckdb.so contains."""
    with tarfile.open(CACHE / f"fetch/duckdb-{version}.tar.gz") as source:
        for member in source:
            if found := re.search(r"third_party/(\w+)/(?:LICENSE|NOTICES)$", member.name):
                yield found[1], source.extractfile(member).read().decode(errors="replace")


def component(name, version, licence, purl, how):
    spdx = {"id": licence}
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl, "licenses": [{"license": spdx}],
            "properties": [{"name": "lanewise:inclusion", "value": how}]}


def gather(sorter):
    """The components, and the licence text of each file name."""
    duckdb = setting("tools/setup.sh", r"^DUCKDB=(.*)")
    components = [component("duckdb", duckdb, "MIT", f"pkg:pypi/duckdb@{duckdb}", "shared library libduckdb.so")]
    texts = {"duckdb": (CACHE / "duckdb/lib/LICENSE").read_text()}
    nanoarrow = setting("tools/setup.sh", r"^NANOARROW=(.*)")
    components.append(component("nanoarrow", nanoarrow, "Apache-2.0", f"pkg:pypi/nanoarrow@{nanoarrow}", "compiled in, with flatcc's run time"))
    texts["nanoarrow"] = (ROOT / "LICENSE").read_text() + "\n==== flatcc ====\n\n" + (CACHE / "nanoarrow/flatcc/LICENSE").read_text()
    inner = "\n".join(f"==== {name} ====\n\n{text}" for name, text in sorted(third_party_of_duckdb(duckdb)))
    texts["duckdb-third-party"] = inner
    for packages, how in ((SHARED, "shared library, in the tarball only"), (COMPILED_IN, "compiled in")):
        for package, licence in packages.items():
            version, texts[package] = debian(package)
            components.append(component(package, version, licence, f"pkg:deb/debian/{package}@{version}", how))
    if sorter:
        pins = (ROOT / "tools/requirements-cuda.txt").read_text()
        for package, licence in (("nvidia-cuda-cccl", "Apache-2.0"), ("nvidia-cuda-runtime", "NVIDIA-CUDA-EULA")):
            version = re.search(rf"^{package}==(.*)", pins, re.M)[1]
            found = component(package, version, licence, f"pkg:pypi/{package}@{version}", "compiled into lanewise_sort.so")
            if "EULA" in licence:
                found["licenses"] = [{"license": {"name": "NVIDIA CUDA Toolkit EULA"}}]
            components.append(found)
            texts[package] = "\n".join(path.read_text(errors="replace") for path in sorted(
                CACHE.glob(f"cuda/lib/python*/site-packages/{package.replace('-', '_')}-*/**/*icense*.txt")))
    return components, texts


def write(folder, sorter):
    version = setting("CMakeLists.txt", r"project\(lanewise VERSION ([\d.]+)")
    components, texts = gather(sorter)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "licences").mkdir(parents=True)
    for name, text in texts.items():
        (folder / "licences" / f"{name}.txt").write_text(text)
    product = {"type": "application", "bom-ref": "lanewise", "name": "lanewise", "version": version,
               "licenses": [{"license": {"id": "Apache-2.0"}}]}
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": product},
            "components": components, "dependencies": [{"ref": "lanewise", "dependsOn": [part["bom-ref"] for part in components]}]}
    # The same contents give the same number.
    bill["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(bill, sort_keys=True)).urn
    (folder / "sbom.cdx.json").write_text(json.dumps(bill, indent=2) + "\n")
    (folder / "copyright").write_text(
        "Lanewise is under the Apache License 2.0, which the file LICENSE holds; on Debian also\n"
        "/usr/share/common-licenses/Apache-2.0.\n\nThe package contains, under licences that the folder licences/ holds:\n"
        + "".join(f"  {part['name']} {part['version']}: {part['properties'][0]['value']}\n" for part in components))


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/notices", (ROOT / "build/lanewise_sort.so").exists())
