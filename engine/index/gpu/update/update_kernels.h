#pragma once

#include <compare>

#include "gpu/modules/kernels.h"
#include "index/gpu/update/update-inl.h"

namespace lanewise::index {

/// The steps of a batch of changes, in update-inl.h.
enum class Step {
  kEncode,
  kMerge,
  kArrange,
  kLeaves,
  kResolve,
  kMatch,
  kCompact,
  kSlices,
  kKeep,
  kRuns,
  kParts,
  kMarkUsed,
  kFreeSlot,
  kOutputs,
  kOverride,
  kProduce,
  kInner,
  kNewGroups,
  kLink,
  // only for strings
  kWriteTexts,
  kMarkTexts,
  kLinkTexts,
  kBoundTexts,
};

/// Compile-time parameters of the steps, which are compiled into one module.
struct UpdateKernels {
  KeyForm form;
  u32 word;  ///< bytes of a word of a key
  u32 leaf_keys, inner_keys, value_bytes;
  u32 planes = 1;     ///< words of a key
  bool text = false;  ///< the second one is the position of a string

  auto operator<=>(const UpdateKernels&) const = default;

  /// Lanes that produce a leaf.
  u32 leaf_lanes() const;
  gpu::KernelSource source() const;
  /// Launches a step for this many items in the stream; a scan is two launches.
  void launch(const gpu::Module& module, Step step, const TreeAt& tree, const UpdateJob& job, u64 items,
              gpu::Stream& stream) const;
};

/// Chunk size of a scan of this many items.
constexpr u64 scan_chunk(u64 items) { return u64{256} * scanned_of(items); }

}  // namespace lanewise::index
