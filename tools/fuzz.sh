# ./dev fuzz sql [--count N] [--seed N]: random queries against DuckDB.
# ./dev fuzz pattern|arrow|index|pram [SECONDS]: libFuzzer on the pattern compiler, the Arrow import, index files or PRAM's
# parser. Sourced by ./dev.

fuzz() {
  local target=${1:-}
  [[ $# -eq 0 ]] || shift
  case $target in
    sql)
      build release build lanewise
      "$PYTHON" tests/fuzz/sql.py "$@"
      ;;
    pattern | arrow | index | pram)
      command -v clang++-14 >/dev/null || { PACKAGES=(clang-14 libclang-rt-14-dev); setup_packages; }
      build fuzz build/fuzz "lanewise_fuzz_$target"
      mkdir -p "$CACHE/fuzz-$target"
      "build/fuzz/tests/fuzz/lanewise_fuzz_$target" -max_total_time="${1:-60}" -max_len=512 -timeout=10 \
        -rss_limit_mb=4096 "$CACHE/fuzz-$target"
      ;;
    *) fail "what to fuzz? There are: sql, pattern, arrow, index, pram." ;;
  esac
}
