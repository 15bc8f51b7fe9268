# ./dev sanitize [asan|tsan] [--layers NAME,...] [--part I/N] [-k WORD]: the tests under a sanitizer. With --layers, for
# asan, only these layers are compiled for it and tested; the others are those of build/. Sourced by ./dev.

sanitize() {
  local kind=${1:-asan} folder layer layers=
  [[ $# -eq 0 ]] || shift
  folder=build/$kind
  case $kind in
    asan)
      if [[ ${1:-} == --layers && -n ${2:-} ]]; then
        for layer in ${2//,/ }; do
          [[ -d engine/$layer || $layer == cli ]] || fail "there is no layer '$layer'."
        done
        build release build lanewise lanewise_arrow_bridge lanewise_native
        folder+=-${2//,/-} layers=${2//,/;}
        shift 2
      fi
      LAYERS=$layers build asan "$folder" all
      ;;
    # oneTBB and DuckDB are not instrumented: only the tests of the scheduler itself, with tests/tsan.supp, and those of
    # readers beside an index's writer.
    tsan) build tsan "$folder" lanewise_{codegen,ops,exec,index}_test ;;
    *) fail "unknown sanitizer '$kind'; there are: asan, tsan." ;;
  esac
  "$PYTHON" tools/test.py --sanitizer "$kind" --build "$folder" "$@"
}
