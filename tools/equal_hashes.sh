# ./dev equal-hashes [--count N] [--seed N]: the tests of SQL and functions, and N random queries, in a program whose
# hashes are all equal: groups, joins and the like then differ by their keys alone. Sourced by ./dev.

equal_hashes() {
  local folder=$ROOT/build/equal-hashes
  build equal-hashes build/equal-hashes lanewise lanewise_function_examples
  LANEWISE_BUILD=$folder "$PYTHON" -m pytest -q -n "$JOBS" --dist worksteal -p no:cacheprovider tests/sql tests/functions
  LANEWISE_BUILD=$folder "$PYTHON" tests/fuzz/sql.py "$@"
}
