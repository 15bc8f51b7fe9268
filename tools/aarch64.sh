# ./dev aarch64 [-k WORD]: the layers up to `text` built for ARM, their tests on an emulated core. Sourced by ./dev.

AARCH64=$CACHE/aarch64
AARCH64_LIBRARIES=(libfmt-dev libfmt9 libgtest-dev libgmock-dev libre2-dev libre2-9 libtbb-dev libtbb12 libtbbbind-2-5
  libtbbmalloc2)
AARCH64_TESTS=(lanewise_{base,data,lanes,active,primitives,text}_test)

aarch64() {
  setup_aarch64
  build aarch64 build/aarch64 "${AARCH64_TESTS[@]}"
  "$PYTHON" tools/test.py --emulated aarch64 "$@"
}

# Debian's cross compiler and qemu. apt fetches ARM libraries, but they are unpacked into a folder: the system keeps one
# architecture.
setup_aarch64() {
  (PACKAGES=(g++-12-aarch64-linux-gnu qemu-user); setup_packages)
  ! fresh "$AARCH64/fetched" tools/aarch64.sh || return 0
  say "Fetch Debian's libraries for ARM"
  rm -rf "$AARCH64"
  mkdir -p "$AARCH64/state/lists/partial" "$AARCH64/archives/partial" "$AARCH64/root"
  cat >"$AARCH64/apt.conf" <<CONF
Dir::State "$AARCH64/state";
Dir::Cache "$AARCH64";
APT::Sandbox::User "";
APT::Architectures { "arm64"; };
APT::Architecture "arm64";
Acquire::Languages "none";
CONF
  (
    export APT_CONFIG=$AARCH64/apt.conf
    apt-get update -qq
    cd "$AARCH64/archives"
    apt-get download -qq "${AARCH64_LIBRARIES[@]}"
    for package in *.deb; do dpkg-deb --extract "$package" "$AARCH64/root"; done
  ) || fail "apt could not fetch ${AARCH64_LIBRARIES[*]} for arm64."
  stamp "$AARCH64/fetched" tools/aarch64.sh
}
