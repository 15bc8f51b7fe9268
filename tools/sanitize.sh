# ./dev sanitize [asan|tsan] [-k WORD]: the tests under a sanitizer. Sourced by ./dev.

sanitize() {
  local kind=${1:-asan}
  [[ $# -eq 0 ]] || shift
  case $kind in
    asan) build asan build/asan all ;;
    # oneTBB and DuckDB are not instrumented: only the tests of the scheduler itself, with tests/tsan.supp, and those of
    # readers beside an index's writer.
    tsan) build tsan build/tsan lanewise_{codegen,ops,exec,index}_test ;;
    *) fail "unknown sanitizer '$kind'; there are: asan, tsan." ;;
  esac
  "$PYTHON" tools/test.py --sanitizer "$kind" "$@"
}
