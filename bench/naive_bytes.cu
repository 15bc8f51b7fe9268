// The naive byte kernel, for bench/gpu_bench.py: a lane takes a row and walks an automaton over it, a byte at
// a time; lanes of a warp wait for its longest row. Of the study's form the warp votes after each byte
// whether a lane is still at work; the other form leaves that to the hardware. Two lines for each kind of
// rows, with their rates in GB/s of text. Fails where a count is wrong.
//
//   nvcc -O3 -std=c++20 -arch=native -o naive_bytes bench/naive_bytes.cu && ./naive_bytes

#include <thrust/device_vector.h>
#include <thrust/scan.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using u64 = unsigned long long;

constexpr u64 kRows = 1 << 26;
constexpr int kRuns = 9;
constexpr int kThreads = 256;
constexpr int kWords = 3;

__host__ __device__ const char* word(int i) { return i == 0 ? "google.d" : i == 1 ? "yahoo" : "bing-"; }

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

__device__ u64 thread() { return blockIdx.x * u64{kThreads} + threadIdx.x; }

__device__ u64 random(u64 seed) {
  seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9;
  seed = (seed ^ seed >> 27) * 0x94d049bb133111eb;
  return seed ^ seed >> 31;
}

/// Row offsets, beginning with zero: the lengths of gpu_bench.py.
__global__ void measure(u64* lengths, char kind) {
  const u64 r = random(thread() + 1), skewed = r % 64 == 0 ? 512 + r / 64 % 1024 : 8 + r / 64 % 33;
  lengths[thread() + 1] = kind == 'c' ? 64 : kind == 'u' ? 8 + r % 113 : skewed;
}

/// Random text; one row of ten contains a word.
__global__ void fill(const u64* offsets, unsigned char* text) {
  const u64 begin = offsets[thread()], size = offsets[thread() + 1] - begin, r = random(thread() + kRows);
  for (u64 i = 0; i < size; i++)
    text[begin + i] = "abcdefghijklmnopqrstuvwxyz/.-_0123456789"[random(begin + i + 2 * kRows) % 40];
  if (r % 10 != 0 || size < 12) return;
  for (int i = 0; i < 8; i++) text[begin + r / 10 % (size - 7) + i] = word(0)[i];
}

/// Whether the lane's warp continues: if it votes, while any of its lanes does.
template <bool kVotes>
__device__ bool goes_on(bool lane) {
  return kVotes ? __any_sync(~0u, lane) : lane;
}

/// The measured kernel. The last state accepts, and is never left.
template <bool kVotes>
__global__ void walk(const u64* offsets, const unsigned char* text, const unsigned char* table, int states,
                     u64* found) {
  extern __shared__ unsigned char next[];
  for (int i = threadIdx.x; i < states * 256; i += kThreads) next[i] = table[i];
  __syncthreads();
  u64 count = 0;
  for (u64 row = thread(); goes_on<kVotes>(row < kRows); row += gridDim.x * u64{kThreads}) {
    int state = 0;
    u64 i = row < kRows ? offsets[row] : 0;
    const u64 end = row < kRows ? offsets[row + 1] : 0;
    for (bool active; goes_on<kVotes>(active = i < end && state != states - 1); i++)
      if (active) state = next[state * 256 + text[i]];
    count += state == states - 1;
  }
  atomicAdd(found, count);
}

/// The same count without an automaton: every word at every position.
__global__ void compare(const u64* offsets, const unsigned char* text, u64* found) {
  const u64 begin = offsets[thread()], end = offsets[thread() + 1];
  bool hit = false;
  for (u64 i = begin; i < end; i++) {
    for (int w = 0, same = 0; w < kWords; w++, same = 0) {
      while (word(w)[same] != 0 && i + same < end && text[i + same] == word(w)[same]) same++;
      hit |= word(w)[same] == 0;
    }
  }
  if (hit) atomicAdd(found, u64{1});
}

/// A state is a prefix of a word: the longest one that ends the text read so far. Each has 256 next states.
std::vector<unsigned char> automaton() {
  std::vector<std::string> states = {""};
  for (int w = 0; w < kWords; w++)
    for (std::string begun(1, word(w)[0]); begun != word(w); begun += word(w)[begun.size()])
      states.push_back(begun);
  const size_t accept = states.size();
  std::vector<unsigned char> table((accept + 1) * 256, static_cast<unsigned char>(accept));
  for (size_t i = 0; i < accept * 256; i++) {
    std::string read = states[i / 256] + static_cast<char>(i % 256);
    const auto is_read = [&](int w) { return read.ends_with(word(w)); };
    if (is_read(0) || is_read(1) || is_read(2)) continue;
    while (std::find(states.begin(), states.end(), read) == states.end()) read.erase(0, 1);
    table[i] = static_cast<unsigned char>(std::find(states.begin(), states.end(), read) - states.begin());
  }
  return table;
}

float timed(cudaEvent_t begin, cudaEvent_t end) {
  float milliseconds = 0;
  check(cudaEventSynchronize(end));
  check(cudaEventElapsedTime(&milliseconds, begin, end));
  return milliseconds;
}

/// The column of one kind of lengths.
struct Rows {
  std::string kind;
  thrust::device_vector<u64> offsets = thrust::device_vector<u64>(kRows + 1);
  thrust::device_vector<unsigned char> text = {};
  u64 matching = 0;
};

Rows make_rows(const char* kind) {
  Rows rows{kind};
  u64* starts = rows.offsets.data().get();
  measure<<<kRows / kThreads, kThreads>>>(starts, *kind);
  thrust::inclusive_scan(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  rows.text.resize(rows.offsets.back());
  fill<<<kRows / kThreads, kThreads>>>(starts, rows.text.data().get());
  thrust::device_vector<u64> found(1);
  compare<<<kRows / kThreads, kThreads>>>(starts, rows.text.data().get(), found.data().get());
  rows.matching = found[0];
  return rows;
}

template <bool kVotes>
void run(const Rows& rows, const thrust::device_vector<unsigned char>& table, const char* name) {
  int processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  thrust::device_vector<u64> found(1);
  std::vector<float> times;
  for (int i = 0; i <= kRuns; i++) {
    found[0] = 0;
    check(cudaEventRecord(begin));
    walk<kVotes><<<processors * 8, kThreads, table.size()>>>(rows.offsets.data().get(),
                                                             rows.text.data().get(), table.data().get(),
                                                             table.size() / 256, found.data().get());
    check(cudaEventRecord(end));
    if (i != 0) times.push_back(timed(begin, end));
  }
  check(cudaGetLastError());
  if (found[0] != rows.matching) {
    std::fprintf(stderr, "%s: %llu rows found, not %llu\n", rows.kind.c_str(), u64{found[0]}, rows.matching);
    std::exit(1);
  }
  std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
  const double median = times[kRuns / 2];
  std::printf("%-46s %8.3f ms %22.0f GB/s\n", (rows.kind + ": " + name).c_str(), median,
              rows.text.size() / median / 1e6);
}

}  // namespace

int main() {
  const thrust::device_vector<unsigned char> table = automaton();
  for (const char* kind : {"constant", "uniform", "skewed"}) {
    const Rows rows = make_rows(kind);
    run<true>(rows, table, "naive byte kernel");
    run<false>(rows, table, "naive bytes, no votes");
  }
}
