# ./dev scale-out [--all] [-k WORD]: lanewise.ray and lanewise.spark on this machine against DuckDB. Sourced by ./dev.

scale_out() {
  command -v java >/dev/null || (PACKAGES=(default-jre-headless); setup_packages)  # Spark's
  environment "$CACHE/scale-out" tools/requirements-scale-out.txt
  local arguments=()
  for argument in "$@"; do
    if [[ $argument == --all ]]; then export LANEWISE_TEST_ALL=1; else arguments+=("$argument"); fi
  done
  LANEWISE_BUILD=$ROOT/build "$CACHE/scale-out/bin/python" -m pytest -q -p no:cacheprovider \
    tests/python/test_scale_out.py tests/python/test_spark_cluster.py "${arguments[@]}"
}
