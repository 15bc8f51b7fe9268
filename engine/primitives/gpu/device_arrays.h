#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "gpu/memory.h"
#include "gpu/modules/kernels.h"

namespace lanewise {

/// How two values become one.
enum class Combine { kSum, kProduct, kLeast, kGreatest, kXor };  // the last one for whole numbers
/// Elements of an array in a device's memory. Whole numbers wrap; reals' sums and products are rounded in an
/// order that the device chooses.
enum class Element { kInt32, kInt64, kReal };

inline size_t size_of(Element element) { return element == Element::kInt32 ? 4 : 8; }

/// An associative operator: one of those known, or one's own.
class Operator {
 public:
  Operator(Combine combine);  // NOLINT(google-explicit-constructor): they are operators
  /// `combined`: C for what `a` and `b`, which comes after it, become; `none`: C for a value that leaves
  /// every other one as it is. The type is T: Operator("b == T(0) ? a : b", "T(0)", false) is the last value
  /// that is not 0. A reduction is faster where a and b may change places (`commutative`).
  Operator(std::string_view combined, std::string_view none, bool commutative);

  bool commutative() const { return commutative_; }
  /// C that declares it as Op.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool commutative_ = true;
};

/// How kernels are cut, to be varied: threads of a block, a multiple of 32, and values that each
/// takes at once, 4, 8 or 16; at most 32 KiB for a block of int64. 0: what was best.
struct ArrayCut {
  unsigned threads = 0, items = 0;
};

/// Reduction and scan of arrays in the memory of a GPU, near the speed of its memory. Kernels are compiled,
/// or found on disk, when they are first needed. For one thread at a time. Arrays are 16-byte aligned, and
/// their values combined in the order of `stream`. Throws DeviceError, MemoryError; UserError for an operator
/// that is not C.
class DeviceArrays {
 public:
  /// Throws UserError for another `cut` than said.
  explicit DeviceArrays(gpu::DevicePool& pool, ArrayCut cut = {});

  /// All of `count` values at `from` combined, at `to`; for none what leaves every value as it is.
  void reduce(const Operator& combine, Element element, gpu::cuda::Address from, uint64_t count,
              gpu::cuda::Address to, gpu::Stream& stream);
  /// At each place the values up to it combined, with its own (`inclusive`) or without. `to` may be `from`.
  void scan(const Operator& combine, Element element, bool inclusive, gpu::cuda::Address from, uint64_t count,
            gpu::cuda::Address to, gpu::Stream& stream);
  /// The same, beginning again at each value whose byte at `begins` is not 0.
  void segmented_scan(const Operator& combine, Element element, bool inclusive, gpu::cuda::Address from,
                      gpu::cuda::Address begins, uint64_t count, gpu::cuda::Address to, gpu::Stream& stream);
  /// The same for `rows` rows, of which each begins at its offset (64 bits, ascending): rows without values
  /// begin where the next one does, or at `count`.
  void segmented_scan_rows(const Operator& combine, Element element, bool inclusive, gpu::cuda::Address from,
                           gpu::cuda::Address offsets, uint64_t rows, uint64_t count, gpu::cuda::Address to,
                           gpu::Stream& stream);

  /// What is compiled for an operator: kernels `scan_inclusive` and `scan_exclusive`; with segments also
  /// `begin_segments`, without `reduce_all` and `reduce_in_order`.
  static gpu::KernelSource source(const Operator& combine, Element element, bool segments, ArrayCut cut = {});

 private:
  gpu::Kernel kernel(const Operator& combine, Element element, bool segments, const char* name);
  void launch_scan(const gpu::Kernel& kernel, Element element, gpu::cuda::Address from,
                   gpu::cuda::Address begins, uint64_t count, gpu::cuda::Address to, gpu::Stream& stream);

  gpu::DevicePool& pool_;
  const ArrayCut cut_;
  std::map<std::string, gpu::Module> modules_;  // by operator, element, segments
};

}  // namespace lanewise
