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
  // of strings alone
  kWriteTexts,
  kMarkTexts,
  kLinkTexts,
  kBoundTexts,
};

/// Parameters that are fixed when the steps are compiled, all into one module.
struct UpdateKernels {
  KeyForm form;
  u32 word;  ///< bytes of a word of a key
  u32 leaf_keys, inner_keys, value_bytes;
  u32 planes = 1;     ///< words of a key
  bool text = false;  ///< the second one says where a text is

  auto operator<=>(const UpdateKernels&) const = default;

  /// Lanes that produce a leaf.
  u32 leaf_lanes() const;
  gpu::KernelSource source() const;
  /// Puts a step for so many items into the stream; a scan is two launches.
  void launch(const gpu::Module& module, Step step, const TreeAt& tree, const UpdateJob& job, u64 items,
              gpu::Stream& stream) const;
};

/// Items of a chunk in a scan of so many.
constexpr u64 scan_chunk(u64 items) { return u64{256} * scanned_of(items); }

}  // namespace lanewise::index
