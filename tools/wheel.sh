# ./dev wheel: the Python package as a wheel in build/wheels, of what is in build/. Sourced by ./dev.
wheel() {
  say "Pack build/wheels"
  rm -rf build/wheels build/wheel-built
  LANEWISE_BUILD_FOLDER=$ROOT/build "$PYTHON" -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w build/wheels ./apps/python \
    >"$CACHE/wheel.log" 2>&1 || { tail -30 "$CACHE/wheel.log" >&2; fail "pip cannot build the wheel; see $CACHE/wheel.log"; }
  "$PYTHON" -m wheel tags --remove --platform-tag manylinux_2_35_x86_64 build/wheels/*.whl >>"$CACHE/wheel.log"
  ls -l build/wheels
}
