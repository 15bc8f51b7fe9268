// The gate of the lane concepts on a GPU: kernels.cu, the algorithm of engine/lanes on warps, compiled at run
// time.
//   gate_gpu KERNELS_FILE [MILLION_ROWS = 64] [REPEATS = 7]
// Prints GB/s of text by lengths, block size and refill threshold. Every answer is checked: counts against
// bitmaps, bitmaps against the emulated group on a sample. Exit code 0: all equal; 1: a difference; 3: no GPU
// here.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gpu/error.h"
#include "gpu/memory.h"
#include "gpu/modules/kernels.h"
#include "gpu/staging.h"
#include "lanes/automata/rows.h"
#include "lanes/tables/tables-inl.h"
#include "lanes/testing/gate/gate_data.h"

namespace lanewise::lanes::gate {
namespace {

using gpu::DeviceBuffer;

/// A device with one stream, and this program's kernels in it.
struct Gpu {
  gpu::Device& device = gpu::Driver::system().device(0);
  gpu::Stream stream{device};
  gpu::DevicePool pool{device};
  gpu::Staging staging{device};
  gpu::Module module;

  explicit Gpu(const std::string& source)
      : module(gpu::build(device, {.name = "kernels.cu", .text = source}).module) {}

  DeviceBuffer allocate(size_t bytes) { return pool.allocate(bytes, stream, "the gate"); }
  template <class T>
  DeviceBuffer upload(const std::vector<T>& values) {
    DeviceBuffer buffer = allocate(values.size() * sizeof(T));
    staging.upload(buffer.address(), values.data(), buffer.size(), stream);
    return buffer;
  }
  template <class T>
  std::vector<T> download(const DeviceBuffer& buffer, size_t count) {
    std::vector<T> values(count);
    staging.download(values.data(), buffer.address(), count * sizeof(T), stream);
    return values;
  }
  void clear(const DeviceBuffer& buffer) { stream.fill(buffer.address(), 0, buffer.size()); }
};

/// Same layout as in kernels.cu.
struct Job {
  u64 offsets, bytes, next;
  u32 table_bytes, refill_below;
  Verdicts verdicts;
  u64 rows;
  u64 count, hits;
};

u64 count_bits(const std::vector<u64>& words) {
  u64 count = 0;
  for (u64 word : words) count += u64(__builtin_popcountll(word));
  return count;
}

/// Whether the first rows' bits equal those of the emulated group.
bool sample_agrees(Gpu& gpu, const AutomatonView& automaton, const std::vector<u64>& offsets,
                   const DeviceBuffer& text, const std::vector<u64>& hits) {
  const u64 rows = std::min<u64>(offsets.size() - 1, 1 << 20) / 64 * 64;
  auto bytes = gpu.download<u8>(text, offsets[rows]);
  bytes.resize(bytes.size() + 64);
  std::vector<u64> expected(rows / 64);
  const RowMatcher matcher(Target::emulated, Form::rows, automaton);
  matcher.match(StringRows(bytes.data(), offsets.data(), rows), nullptr, expected.data());
  return std::equal(expected.begin(), expected.end(), hits.begin());
}

/// A row of 256 next states for each state, padded to whole loads of 16 bytes.
std::vector<u8> byte_table(const AutomatonView& automaton) {
  std::vector<u8> table((automaton.states * 256 + 15) / 16 * 16);
  for (u32 s = 0; s < automaton.states; s++) {
    for (u32 b = 0; b < 256; b++) {
      table[s * 256 + b] = u8(automaton.next[s * automaton.classes + automaton.class_of[b]]);
    }
  }
  return table;
}

/// One column of `rows` rows on the GPU, and the search for three words in it.
class Column {
 public:
  Column(Gpu& gpu, Lengths lengths, u64 rows)
      : gpu_(gpu), row_ends_(rows + 1), table_(byte_table(search_.view())) {
    for (u64 i = 0; i < rows; i++) row_ends_[i + 1] = row_ends_[i] + row_length(i, lengths);
    const AutomatonView a = search_.view();
    offsets_ = gpu.upload(row_ends_);
    bytes_ = gpu.allocate(size() + 64);
    next_ = gpu.upload(table_);
    count_ = gpu.allocate(8);
    hits_ = gpu.allocate(bitmap_words() * 8);
    gpu.clear(bytes_);
    gpu.module.kernel("fill").launch(gpu.stream, {.blocks = (rows + 255) / 256}, bytes_.address(),
                                     offsets_.address(), rows);
    std::printf("%s: %.2f GB, %u states x %u classes\n", kLengthNames[int(lengths)], double(size()) / 1e9,
                a.states, a.classes);
  }

  u64 size() const { return row_ends_.back(); }

  /// The blocks of `kernel` that run at once.
  u64 blocks(const gpu::Kernel& kernel, u32 threads) const {
    return u64(gpu_.device.properties().multiprocessors) *
           u64(kernel.blocks_per_multiprocessor(threads, table_.size()));
  }

  /// The median of `repeats` launches, after one that warms up.
  double seconds(const gpu::Kernel& kernel, u64 blocks, u32 threads, u32 refill_below, int repeats) {
    gpu::Event start(gpu_.device, true), end(gpu_.device, true);
    const Job job = job_of(refill_below);
    std::vector<double> times;
    for (int i = 0; i <= repeats; i++) {
      gpu_.clear(count_);
      gpu_.clear(hits_);
      start.record(gpu_.stream);
      kernel.launch(gpu_.stream, {.blocks = blocks, .threads = threads, .shared = table_.size()}, job);
      end.record(gpu_.stream);
      end.synchronize();
      times.push_back(end.seconds_since(start));
    }
    std::sort(times.begin() + 1, times.end());
    return times[1 + repeats / 2];
  }

  u64 found_count() { return gpu_.download<u64>(count_, 1)[0]; }
  std::vector<u64> found_bits() { return gpu_.download<u64>(hits_, bitmap_words()); }
  bool agrees(const std::vector<u64>& bits) {
    return sample_agrees(gpu_, search_.view(), row_ends_, bytes_, bits);
  }

 private:
  u64 rows() const { return row_ends_.size() - 1; }
  u64 bitmap_words() const { return (rows() + 63) / 64; }

  Job job_of(u32 refill_below) const {
    const AutomatonView a = search_.view();
    return {offsets_.address(),
            bytes_.address(),
            next_.address(),
            u32(table_.size()),
            refill_below,
            {a.start, a.end_accept, 0, a.match},
            rows(),
            count_.address(),
            hits_.address()};
  }

  Gpu& gpu_;
  const Search search_{words({"google.d", "yahoo", "bing-"})};
  std::vector<u64> row_ends_;
  std::vector<u8> table_;
  DeviceBuffer offsets_, bytes_, next_, count_, hits_;
};

/// One column of `rows` rows: prints a line per block size and threshold, and returns whether all answers
/// agree.
bool run(Gpu& gpu, Lengths lengths, u64 rows, int repeats) {
  Column column(gpu, lengths, rows);
  bool agree = true;
  u64 first_count = ~u64(0);
  for (const char* name : {"match_count", "match_bits"}) {
    const gpu::Kernel kernel = gpu.module.kernel(name);
    const bool bits = name == std::string("match_bits");
    for (u32 threads : {256u, 512u}) {
      const u64 blocks = column.blocks(kernel, threads);
      for (u32 below : {32u, 28u, 24u, 20u, 16u, 1u}) {
        const double time = column.seconds(kernel, blocks, threads, below, repeats);
        const std::vector<u64> bitmap = bits ? column.found_bits() : std::vector<u64>();
        const u64 found = bits ? count_bits(bitmap) : column.found_count();
        if (bits && below == 32) agree &= column.agrees(bitmap);
        if (first_count == ~u64(0)) first_count = found;
        agree &= found == first_count;
        std::printf("  %-11s threads %3u below %2u  %8.3f ms %7.1f GB/s  %llu rows\n", name, threads, below,
                    time * 1e3, double(column.size()) / 1e9 / time, (unsigned long long)found);
      }
    }
  }
  return agree;
}

int run_all(const char* kernels, u64 rows, int repeats) {
  std::ostringstream source;
  source << std::ifstream(kernels).rdbuf();
  Gpu gpu(source.str());
  std::printf("%s, %d multiprocessors\n", gpu.device.properties().name.c_str(),
              gpu.device.properties().multiprocessors);
  bool agree = true;
  for (Lengths lengths : {Lengths::constant, Lengths::uniform, Lengths::skewed}) {
    agree &= run(gpu, lengths, rows, repeats);
  }
  std::printf("%s\n", agree ? "all answers agree" : "DIFFERENT ANSWERS");
  return agree ? 0 : 1;
}

}  // namespace
}  // namespace lanewise::lanes::gate

int main(int count, char** arguments) {
  using namespace lanewise::lanes::gate;
  if (count < 2) {
    std::fprintf(stderr, "usage: gate_gpu KERNELS_FILE [MILLION_ROWS] [REPEATS]\n");
    return 2;
  }
  const double millions = count > 2 ? std::atof(arguments[2]) : 64;
  try {
    const auto rows = lanewise::lanes::u64(millions * (1 << 20));
    return run_all(arguments[1], rows, count > 3 ? std::atoi(arguments[3]) : 7);
  } catch (const lanewise::gpu::DeviceError& none) {
    std::printf("no GPU: %s\n", none.what());
    return 3;
  }
}
