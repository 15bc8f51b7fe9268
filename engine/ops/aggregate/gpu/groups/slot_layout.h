#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ops/aggregate/gpu/groups/any_slots-inl.h"
#include "ops/aggregate/gpu/groups/group_plan.h"

namespace lanewise::ops {

/// Where the bytes of a string key are.
enum class KeyText : uint8_t {
  kColumn,  ///< in a column that existed before the kernel
  kShort,   ///< in the key itself: a ShortKey
  kMade     ///< the kernel may write them
};

/// The layout of a group in memory: a tag and the NULLs of its keys, the keys, then the stored cells. Sizes
/// are in bytes.
class SlotLayout {
 public:
  /// `may_be_null[i]`: whether the argument of plan.inputs()[i] may be NULL; if not, no cell is stored that
  /// only shows whether there was a value. `texts[i]` is for plan.keys()[i], if it is a string.
  SlotLayout(const GroupPlan& plan, const std::vector<bool>& may_be_null, std::vector<KeyText> texts);

  bool stores(size_t cell) const { return holders_[cell] == cell; }
  /// The stored cell from which `cell` is read: itself or one that it is a part of; all counts of all rows
  /// share one. kNone: the cell is not needed.
  static constexpr size_t kNone = static_cast<size_t>(-1);
  size_t holder(size_t cell) const { return holders_[cell]; }
  /// Distance of slots in device memory; few of them then cross a 32-byte sector.
  size_t far_stride() const { return size_ <= 32 ? 32 : (size_ + 15) / 16 * 16; }
  /// Distance of slots in shared memory: an odd number of words, so that neighbours are in different banks.
  size_t near_stride() const { return size_ | 8; }
  size_t near_slots() const;
  size_t shared_bytes() const { return sizeof(uint64_t) + near_slots() * near_stride(); }

  /// The layout for kernels of any slots (any_slots-inl.h); none: it has too many cells.
  std::optional<kernel::SlotShape> shape() const;

  /// The text of `struct Slot` (see groups-inl.h) and `using Table`.
  std::string text() const;

 private:
  bool is_text_elsewhere(size_t key) const;

  const GroupPlan& plan_;
  const std::vector<KeyText> texts_;
  std::vector<size_t> holders_;
  std::vector<std::string> types_;         // of the stored cells
  std::vector<kernel::CellShape> shapes_;  // of the stored cells
  size_t size_ = 8;
};

}  // namespace lanewise::ops
