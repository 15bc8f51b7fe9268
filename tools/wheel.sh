# ./dev wheel: the Python package as a wheel in build/wheels. Sourced by ./dev.
wheel() {
  say "Build the wheel"
  rm -rf build/wheels
  environment "$CACHE/wheel" tools/requirements-wheel.txt
  PATH=$CACHE/wheel/bin:$PATH CMAKE_BUILD_PARALLEL_LEVEL=$JOBS "$CACHE/wheel/bin/python" -m pip wheel -q --disable-pip-version-check --no-deps \
    --no-build-isolation -w build/wheels ./apps/python >"$CACHE/wheel.log" 2>&1 ||
    { tail -30 "$CACHE/wheel.log" >&2; fail "pip cannot build the wheel; see $CACHE/wheel.log"; }
  "$CACHE/wheel/bin/python" -m wheel tags --remove --platform-tag manylinux_2_35_x86_64 build/wheels/*.whl >>"$CACHE/wheel.log"
  (cd build/wheels && ls -l)
}
