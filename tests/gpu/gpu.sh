#!/usr/bin/env bash
# On a machine with a GPU, in the folder that ./dev gpu-bundle made.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'TEXT'
Usage: bash gpu.sh COMMAND [ARGUMENTS]

  test       the unit tests that need a GPU: the driver, then beside each other tables, indexes, graphs, PRAM programs, primitives
  programs   2,000 random PRAM programs against the interpreter
  smoke      every operator and matcher against the CPU's answers, two to three minutes
  differential
             the SQL tests and 1,000 random queries against DuckDB's answers, also with 8 MB of device memory and in small batches
  large      results of more than 16 M rows, 5 GB of text, partitioned groups and joins against the CPU's answers; --help
  bench      times of queries; --help
  tune       measures the GPU and the cores, for --device auto
  rates      the queries by which it does, on both; --help
  sanitize   compute-sanitizer over queries and tests, in shards; --help
  python     the Python package with CuPy, PyTorch, Numba, JAX and pylibcudf, as far as python3 has them; it needs pyarrow
  ray        lanewise.ray with actors on the GPU; python3 needs ray and pyarrow
  sql ...    the program itself
TEXT
}

for packed in *.xz; do
  name=${packed%.xz}
  [[ -f $name ]] && continue
  python3 -c 'import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2], "wb"))' "$packed" "$name.new"
  chmod +x "$name.new"
  mv "$name.new" "$name"
done
export LD_LIBRARY_PATH=$PWD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

command=${1:-}
[[ $# -gt 0 ]] && shift
case $command in
  test)
    failed=0
    ./lanewise_gpu_test --gtest_brief=1 "$@" || failed=1  # alone: it fills the GPU's memory
    tests=() processes=()
    while read -r layer shares filter; do
      for ((i = 0; i < shares; i++)); do
        tests+=("$layer.$i")
        GTEST_TOTAL_SHARDS=$shares GTEST_SHARD_INDEX=$i "./lanewise_${layer}_test" --gtest_brief=1 "--gtest_filter=$filter" "$@" >"test.$layer.$i" 2>&1 &
        processes+=($!)
      done
    done <<<"data 1 *OnGpu.*
api 1 *OnGpu.*
ops 1 *OnGpu.*:GroupRaces.*
index 8 */1.*:DeviceIndex.*:DeviceUpdate.*:On/Model.*/Gpu
graph 1 */Gpu
pram 1 */OnDevice.*
primitives 1 *OnGpu.*"
    for i in "${!tests[@]}"; do
      wait "${processes[i]}" || failed=1
      printf '== %s\n' "${tests[i]}"
      cat "test.${tests[i]}"
    done
    exit $failed
    ;;
  programs)
    shares=()
    for i in {0..7}; do
      LANEWISE_TEST_ALL=1 ./lanewise_pram_test --gtest_brief=1 --gtest_filter="*/RandomOnDevice.*/Cuda$i" >"programs.$i" 2>&1 &
      shares+=($!)
    done
    failed=0
    for i in {0..7}; do wait "${shares[i]}" || failed=1; tail -1 "programs.$i"; done
    exit $failed
    ;;
  smoke) python3 gpu_smoke.py --program ./lanewise "$@" ;;
  differential) python3 gpu_differential.py --program ./lanewise "$@" ;;
  large) python3 gpu_large.py --program ./lanewise "$@" ;;
  bench) python3 gpu_bench.py --program ./lanewise "$@" ;;
  tune) ./lanewise tune "$@" ;;
  rates) ./lanewise bench sql "$@" ;;
  sanitize) python3 gpu_sanitize.py --program ./lanewise "$@" ;;
  python) PYTHONPATH=$PWD/python${PYTHONPATH:+:$PYTHONPATH} python3 gpu_python.py "$@" ;;
  ray) PYTHONPATH=$PWD/python${PYTHONPATH:+:$PYTHONPATH} python3 gpu_ray.py "$@" ;;
  sql) ./lanewise sql "$@" ;;
  *) usage; exit 2 ;;
esac
