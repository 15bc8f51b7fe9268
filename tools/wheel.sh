# ./dev wheel: the Python package as a wheel in build/wheels, of what is in build/. Sourced by ./dev.
wheel() {
  say "Pack build/wheels"
  rm -rf build/wheels build/wheel-built
  LANEWISE_BUILD_FOLDER=$ROOT/build "$PYTHON" -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w build/wheels ./apps/python \
    >"$CACHE/wheel.log" 2>&1 || { tail -30 "$CACHE/wheel.log" >&2; fail "pip cannot build the wheel; see $CACHE/wheel.log"; }
  [[ -f $CACHE/tbb/fetched ]] || {
    "$PYTHON" -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: -d "$CACHE/tbb" tbb==2021.8.0
    touch "$CACHE/tbb/fetched"
  }
  "$PYTHON" tools/notices.py build/notices
  "$PYTHON" tools/manylinux.py build/wheels "$CACHE"/tbb/tbb-*.whl build/notices || fail "the wheel needs more than its tag says."
  ls -l build/wheels
}
