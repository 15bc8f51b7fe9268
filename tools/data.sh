#!/usr/bin/env bash
# Fetches or makes real input in .cache/data; does nothing where it is already there. Called by ./dev data.
#   contents   contents.parquet: every file of every package of this Debian (path, section, package, architecture)
#   tpch       tpch-sf1/*.parquet: TPC-H's tables at scale factor 1
#   tpcds      tpcds-sf0.1: TPC-DS's tables at scale factor 0.1, and its 99 queries; tpcds-sf1 and others likewise
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
CACHE=$PWD/.cache
DATA=$CACHE/data
PYTHON=$CACHE/venv/bin/python

fail() { printf './dev data: %s\n' "$*" >&2; exit 2; }

# Debian's Contents index, fetched by apt from its mirrors, but into a separate folder: the system's lists stay
# unchanged.
contents() {
  [[ ! -f $DATA/contents.parquet ]] || return 0
  command -v apt-get >/dev/null || fail "apt-get is needed to fetch Debian's file index."
  local apt=$CACHE/apt
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$DATA"
  cat >"$apt/apt.conf" <<CONF
Dir::State "$apt/state";
Dir::Cache "$apt/cache";
APT::Sandbox::User "";
APT::Architectures { "amd64"; };
APT::Architecture "amd64";
Acquire::IndexTargets::deb::Packages::DefaultEnabled "false";
Acquire::IndexTargets::deb::Translations::DefaultEnabled "false";
Acquire::IndexTargets::deb::Contents-deb {
  MetaKey "\$(COMPONENT)/Contents-\$(ARCHITECTURE)";
  ShortDescription "Contents-\$(ARCHITECTURE)";
  Description "\$(RELEASE)/\$(COMPONENT) \$(ARCHITECTURE) Contents";
  DefaultEnabled "true";
  KeepCompressed "true";
};
CONF
  export APT_CONFIG=$apt/apt.conf
  echo "== Fetch Debian's file index (80 MB)" >&2
  apt-get update -qq
  local release architecture index
  release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  for architecture in amd64 all; do
    index=$(apt-get indextargets --format '$(FILENAME)' "Created-By: Contents-deb" "Codename: $release" \
      "Component: main" "Architecture: $architecture" | head -1)
    [[ -n $index && -f $index ]] || fail "apt's sources have no Contents index of '$release' main for $architecture."
    /usr/lib/apt/apt-helper cat-file "$index" >"$DATA/contents-$architecture.txt"
  done
  echo "== Convert it to Parquet" >&2
  "$PYTHON" tools/contents.py "$DATA"/contents-{amd64,all}.txt "$DATA/contents.parquet"
  rm -rf "$DATA"/contents-{amd64,all}.txt "$apt"
}

tpch() {
  [[ ! -f $DATA/tpch-sf1/lineitem.parquet ]] || return 0
  echo "== Make TPC-H's tables at scale factor 1" >&2
  rm -rf "$DATA/tpch-sf1.part"
  "$CACHE/venv/bin/tpchgen-cli" -s 1 --format=parquet --output-dir "$DATA/tpch-sf1.part" >/dev/null
  mv "$DATA/tpch-sf1.part" "$DATA/tpch-sf1"
}

tpcds() { # SCALE
  local folder=$DATA/tpcds-sf$1 generator=$CACHE/tpcds
  [[ ! -d $folder ]] || return 0
  if [[ ! -f $generator/complete ]]; then
    echo "== Fetch DuckDB's generator of TPC-DS (25 MB)" >&2
    "$PYTHON" -m venv --clear "$generator"
    "$generator/bin/python" -m pip install -q --disable-pip-version-check -r tools/requirements-tpcds.txt
    touch "$generator/complete"
  fi
  echo "== Make TPC-DS's tables at scale factor $1" >&2
  rm -rf "$folder.part"
  mkdir -p "$DATA"
  "$generator/bin/python" tools/tpcds.py "$1" "$folder.part"
  mv "$folder.part" "$folder"
}

[[ $# -gt 0 ]] || set -- contents tpch
mkdir -p "$CACHE"
exec 9>"$CACHE/data.lock"
flock 9  # one at a time: tests in several processes need the same data
for name in "$@"; do
  case $name in
    contents | tpch) "$name" ;;
    tpcds) tpcds 0.1 ;;
    tpcds-sf[0-9]*)
      [[ ${name#tpcds-sf} =~ ^[0-9.]+$ ]] || fail "the scale factor of '$name' is not a number."
      tpcds "${name#tpcds-sf}"
      ;;
    *) fail "unknown input '$name'; there are: contents, tpch, tpcds, tpcds-sf1." ;;
  esac
done
