#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "gpu/memory.h"
#include "gpu/modules/kernels.h"

namespace lanewise {

/// How two values are combined.
enum class Combine { kSum, kProduct, kLeast, kGreatest, kXor };  // kXor only for integers
/// Elements of an array in device memory. Integers wrap; sums and products of reals are rounded in an
/// order that the device chooses.
enum class Element { kInt32, kInt64, kReal };

inline size_t size_of(Element element) { return element == Element::kInt32 ? 4 : 8; }

/// An associative operator: a predefined one, or your own.
class Operator {
 public:
  Operator(Combine combine);  // NOLINT(google-explicit-constructor): they are operators
  /// `combined`: C for the combination of `a` and `b`, which follows it; `none`: C for the neutral
  /// element. The type is T: Operator("b == T(0) ? a : b", "T(0)", false) is the last value
  /// that is not 0. A reduction is faster if a and b may be swapped (`commutative`).
  Operator(std::string_view combined, std::string_view none, bool commutative);

  bool commutative() const { return commutative_; }
  /// C code that declares it as Op.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool commutative_ = true;
};

/// The tiling of kernels: threads of a block, a multiple of 32, and values per
/// thread, 4, 8 or 16; at most 32 KiB for a block of int64. 0: the fastest measured.
struct ArrayCut {
  unsigned threads = 0, items = 0;
};

/// Reduction and scan of arrays in GPU memory, near the speed of the memory. Kernels are compiled,
/// or loaded from disk, on first use. For one thread at a time. Arrays are 16-byte aligned, and
/// work follows the order of `stream`. Throws DeviceError, MemoryError; UserError for an operator
/// that is not C.
class DeviceArrays {
 public:
  /// Throws UserError for an invalid `cut`.
  explicit DeviceArrays(gpu::DevicePool& pool, ArrayCut cut = {});

  /// Writes the combination of `count` values at `from` to `to`; without values, the neutral element.
  void reduce(const Operator& combine, Element element, gpu::cuda::Address from, uint64_t count,
              gpu::cuda::Address to, gpu::Stream& stream);
  /// For each value, the combination of all values up to it, with (`inclusive`) or without it. `to` may be
  /// `from`.
  void scan(const Operator& combine, Element element, bool inclusive, gpu::cuda::Address from, uint64_t count,
            gpu::cuda::Address to, gpu::Stream& stream);
  /// The same, restarted at each value whose byte at `begins` is not 0.
  void segmented_scan(const Operator& combine, Element element, bool inclusive, gpu::cuda::Address from,
                      gpu::cuda::Address begins, uint64_t count, gpu::cuda::Address to, gpu::Stream& stream);
  /// The same for `rows` rows, each starting at its offset (64 bits, ascending): rows without values
  /// start where the next one does, or at `count`.
  void segmented_scan_rows(const Operator& combine, Element element, bool inclusive, gpu::cuda::Address from,
                           gpu::cuda::Address offsets, uint64_t rows, uint64_t count, gpu::cuda::Address to,
                           gpu::Stream& stream);

  /// The source for an operator: kernels `scan_inclusive` and `scan_exclusive`; with segments also
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
