# ./dev fuzz sql [--count N] [--seed N]: random queries against DuckDB.
# ./dev fuzz functions [--rounds N] [--seed N]: every function over columns of every type against DuckDB.
# ./dev fuzz dates [--calls N] [--seed N]: functions of dates, times and intervals over values of their whole ranges against DuckDB.
# ./dev fuzz types [--rounds N] [--seed N]: every type in every clause and cast against DuckDB.
# ./dev fuzz nested [--count N] [--seed N]: random queries over lists, structs and maps against DuckDB.
# ./dev fuzz grep [--count N] [--seed N]: random commands against ripgrep.
# ./dev fuzz pram: 100,000 random PRAM programs on the executor against the interpreter, and as many on the
# interpreter against a naive one.
# ./dev fuzz pattern|arrow|index|pram-parser [SECONDS]: libFuzzer on the pattern compiler, the Arrow import, index files
# or PRAM's parser. Sourced by ./dev.

fuzz() {
  local target=${1:-}
  [[ $# -eq 0 ]] || shift
  case $target in
    sql)
      build release build lanewise
      "$PYTHON" tests/fuzz/sql.py "$@"
      ;;
    functions | dates | types | nested | grep)
      build release build lanewise
      "$PYTHON" "tests/fuzz/${target/types/typed}.py" "$@"
      ;;
    pram)
      build release build lanewise_pram_test
      LANEWISE_TEST_ALL=1 build/engine/pram/lanewise_pram_test --gtest_filter='RandomPrograms.*' "$@"
      ;;
    pattern | arrow | index | pram-parser)
      command -v clang++-14 >/dev/null || { PACKAGES=(clang-14 libclang-rt-14-dev); setup_packages; }
      build fuzz build/fuzz "lanewise_fuzz_${target%-parser}"
      mkdir -p "$CACHE/fuzz-$target"
      "build/fuzz/tests/fuzz/lanewise_fuzz_${target%-parser}" -max_total_time="${1:-60}" -max_len=512 -timeout=10 \
        -rss_limit_mb=4096 "$CACHE/fuzz-$target"
      ;;
    *) fail "what to fuzz? There are: sql, functions, dates, types, nested, grep, pram, pattern, arrow, index, pram-parser." ;;
  esac
}
