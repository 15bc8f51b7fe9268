"""The packages of `./dev package` on bare systems: the tarball with a C library alone, the Debian packages with their
dependencies, and a project that builds and runs against the unpacked library."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LANEWISE_BUILD") or ROOT / "build")
sys.path.insert(0, str(ROOT / "tools"))

import notices  # noqa: E402

QUERY = ["sql", "--format", "csv", "-c", "SELECT count(*) AS n FROM range(1000) t(i) WHERE i::VARCHAR LIKE '%7%'"]
ANSWER = "n\n271\n"


# Each command once, as apt installed it, and its output.
TRY = r"""
set -eu
cd /tmp
lanewise sql -o t.parquet -c "SELECT '/api/v' || i % 3 || '/' || i AS path FROM range(1000) t(i)"
lanewise sql --format csv -c "SELECT count(*) AS n FROM 't.parquet' WHERE path LIKE '%77%'"
printf 'one\ntwo\nthree\n' >words
lanewise grep -n 't[hw]' words
lanewise pram run reduction -i A=1,2,3,4
lanewise index build t.parquet --key path -o t.index 2>/dev/null
printf 'path\n/api/v1/4\n' >wanted.csv
lanewise index query t.index --keys wanted.csv --format csv
lanewise graph components grid:3:3 | head -1
man lanewise-sql | head -1 | cut -d' ' -f1
zsh -fc 'autoload -U compinit; compinit -u; print ${_comps[lanewise]}'
bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader lanewise; complete -p lanewise | grep -o _lanewise'
fish -c 'complete -C "lanewise sq"' | cut -f1
lanewise lab --no-open --port 8765 >lab.log 2>&1 & lab=$!
for i in $(seq 100); do grep -q http lab.log && break; sleep 0.1; done
exec 3<>/dev/tcp/127.0.0.1/8765
printf 'GET /api/programs HTTP/1.0\r\nHost: 127.0.0.1:8765\r\n\r\n' >&3
head -c 8 <&3
echo
kill $lab
"""
TRIED = ["n", "19", "2:two", "3:three", "sum = 10", "position,path,row", "0,/api/v1/4,4", "1 component", "LANEWISE-SQL(1)", "_lanewise", "_lanewise",
         "sql", "HTTP/1.1"]


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="session")
def packages(made_once):
    """A folder with the packages. gzip is done in a quarter of the time of Debian's xz."""
    def make(folder):
        notices.write(BUILD / "notices", (BUILD / "lanewise_sort.so").exists())
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", "-B", folder)
    return made_once("packages", make)


@pytest.fixture(scope="session")
def tarball(packages, tmp_path_factory):
    """The unpacked tarball."""
    folder = tmp_path_factory.mktemp("tarball")
    run("tar", "-xzf", *packages.glob("*.tar.gz"), "-C", folder)
    [unpacked] = folder.iterdir()
    return unpacked


def needed(package):
    """The Debian packages on which a package file depends, and their dependencies; all of them exist."""
    named = [name.split()[0] for name in run("dpkg-deb", "-f", package, "Depends").split(", ")]
    listed = run("apt-cache", "depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts", "--no-breaks",
                 "--no-replaces", "--no-enhances", *named)
    return sorted({line for line in listed.splitlines() if line and line[0] not in " <"} | set(named))


def root_of(folder, names):
    """A file system with only these Debian packages."""
    fetch, root = folder / "fetch", folder / "root"
    fetch.mkdir()
    root.mkdir()
    for below in ("usr/lib", "usr/lib64", "usr/bin", "proc", "tmp"):
        (root / below).mkdir(parents=True)
    for link in ("lib", "lib64", "bin"):
        (root / link).symlink_to(f"usr/{link}")
    done = subprocess.run(["apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", *names], cwd=fetch, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"apt cannot download packages here: {done.stderr.strip()[-200:]}")
    for file in fetch.iterdir():
        run("dpkg-deb", "-x", file, root)
    return root


def inside(root, *command):
    """Runs a command with `root` as its file system. /proc is mounted, since the loader finds libraries next to a program through it."""
    enter = ["unshare", "--mount", "--pid", "--fork", *([] if os.geteuid() == 0 else ["--map-root-user"]),
             "--mount-proc=/proc", f"--root={root}"]
    if subprocess.run([*enter[:-2], "true"], capture_output=True).returncode:
        pytest.skip("this machine allows no file system of one's own")
    return run(*enter, *command, env={"HOME": "/tmp", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, cwd="/")


def test_the_page_on_installing_names_the_packages(packages):
    page = (ROOT / "docs/use/install.md").read_text()
    for file in (*packages.glob("*.deb"), *packages.glob("*.tar.gz")):
        assert f"`{file.name}`" in page


def test_tarball_runs_with_the_c_library_alone(tarball, tmp_path):
    root = root_of(tmp_path, ["libc6", "libstdc++6", "libgcc-s1"])
    shutil.copytree(tarball, root / "opt/lanewise", symlinks=True)
    assert inside(root, "/opt/lanewise/bin/lanewise", *QUERY) == ANSWER
    (root / "tmp/words").write_text("one\ntwo\nthree\n")
    assert inside(root, "/opt/lanewise/bin/lanewise", "grep", "t[hw]", "/tmp/words") == "two\nthree\n"


def test_debian_package_runs_with_what_it_depends_on(packages, tmp_path):
    [package] = packages.glob("lanewise_*.deb")
    root = root_of(tmp_path, needed(package))
    run("dpkg-deb", "-x", package, root)
    assert inside(root, "/usr/bin/lanewise", *QUERY) == ANSWER
    for file in ("man/man1/lanewise-sql.1", "bash-completion/completions/lanewise", "doc/lanewise/copyright",
                 "doc/lanewise/docs/use/sql.md", "doc/lanewise/sbom.cdx.json", "doc/lanewise/licences/duckdb.txt"):
        assert (root / "usr/share" / file).stat().st_size > 100, file


@pytest.mark.skipif("LANEWISE_TEST_ALL" not in os.environ, reason="only with --all: makes a whole Debian 12")
def test_apt_installs_the_packages_on_a_bare_debian(packages, tmp_path):
    if shutil.which("debootstrap") is None or os.geteuid() != 0:
        pytest.skip("needs debootstrap, run as root")
    root = tmp_path / "debian"
    run("debootstrap", "--variant=minbase", "bookworm", root)
    for file in packages.glob("*.deb"):
        shutil.copy(file, root / "tmp")
    files = [f"/tmp/{file.name}" for file in packages.glob("*.deb")]
    inside(root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *files, *"man-db bash-completion zsh fish g++ cmake make".split())
    assert inside(root, "lanewise", *QUERY) == ANSWER
    (root / "tmp/try.sh").write_text(TRY)
    assert inside(root, "bash", "/tmp/try.sh").splitlines() == TRIED
    shutil.copytree(ROOT / "tests/consumer", root / "tmp/consumer")
    inside(root, "cmake", "-S", "/tmp/consumer", "-B", "/tmp/consumer/build")
    inside(root, "cmake", "--build", "/tmp/consumer/build")
    assert inside(root, "/tmp/consumer/build/consumer") == "banana\ncherry\n"
    inside(root, "apt-get", "remove", "-y", "-qq", "lanewise")
    assert not (root / "usr/lib/lanewise").exists() and not (root / "usr/bin/lanewise").exists()


def test_a_project_builds_against_the_tarball(tarball, tmp_path):
    configured = run("cmake", "-G", "Ninja", "-S", ROOT / "tests/consumer", "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={tarball}",
        "-DCMAKE_BUILD_TYPE=Release")
    assert "Warning" not in configured
    run("cmake", "--build", tmp_path / "build")
    assert run(tmp_path / "build" / "consumer") == "banana\ncherry\n"


@pytest.mark.parametrize("program", ["lanewise", "lanewise-engine", "lanewise-lab"])
def test_nothing_of_the_build_tree_is_used(tarball, program):
    libraries = run("ldd", tarball / "bin" / program)
    assert str(tarball) in libraries and str(ROOT) not in libraries and "not found" not in libraries


@pytest.mark.skipif(not (BUILD / "lab-site/index.html").exists(), reason="the lab's page was not built")
def test_the_lab_finds_its_page(tarball):
    server = subprocess.Popen([tarball / "bin/lanewise", "lab", "--no-open", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert "http:" in server.stdout.readline()
    finally:
        server.kill()
        server.communicate()
    assert (tarball / "share/lanewise/lab/index.html").read_bytes() == (BUILD / "lab-site/index.html").read_bytes()


def test_bill_of_materials_names_all_libraries(tarball):
    bill = json.loads((tarball / "share/doc/lanewise/sbom.cdx.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    shipped = {file.name.split(".so")[0] for file in (tarball / "lib/lanewise").rglob("lib*.so*")}
    others = {"libduckdb": "duckdb", "libz": "zlib1g", "libbz2": "libbz2-1.0", "libcrypto": "libssl3", "libcpp-httplib": "libcpp-httplib0.11",
              **{f"libbrotli{part}": "libbrotli1" for part in ("common", "dec", "enc")}}
    for library in shipped:
        package = re.compile(re.escape(others[library]) if library in others else rf"{library}-?\d+")  # libfmt9, liblz4-1
        assert any(package.fullmatch(part["name"]) for part in bill["components"]), f"{library} is shipped, but not listed"
    for part in bill["components"]:
        assert part["version"] and (tarball / f"share/doc/lanewise/licences/{part['name']}.txt").stat().st_size > 200
