# `./dev emulate`: programs on an emulated GPU. Sourced by ./dev.

# The environment in which a program finds the emulated GPU instead of a real one.
emulated() {
  local parts=$ROOT/build/engine/gpu/emulated
  LD_LIBRARY_PATH=$parts${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} LANEWISE_NVRTC=$parts/libnvrtc.so LANEWISE_SORT=$parts/lanewise_sort.so \
    LANEWISE_KERNELS= XDG_CACHE_HOME=$CACHE/emulated "$@"
}

emulate() {
  if [[ $# -gt 0 ]]; then
    emulated "$@"
    return
  fi
  emulated "$PYTHON" tests/gpu/gpu_smoke.py --program build/lanewise --rows 5000 --seconds 600
}
