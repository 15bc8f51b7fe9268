#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exec/gpu/groups/any_slots-inl.h"
#include "exec/gpu/groups/group_plan.h"

namespace lanewise::exec {

/// Where the bytes of a key are that is a text.
enum class KeyText : uint8_t {
  kColumn,  ///< they were there before the kernel
  kShort,   ///< in the key: a ShortKey
  kMade     ///< the kernel may write them
};

/// How a group lies in memory: tag and NULLs of its keys, the keys, then the cells that are stored. Sizes are
/// in bytes.
class SlotLayout {
 public:
  /// `may_be_null[i]`: whether the argument of plan.inputs()[i] may be NULL. What counts values only to know
  /// whether there was one is not stored where there always is. `texts[i]` is about plan.keys()[i], where
  /// it is a text.
  SlotLayout(const GroupPlan& plan, const std::vector<bool>& may_be_null, std::vector<KeyText> texts);

  bool stores(size_t cell) const { return holders_[cell] == cell; }
  /// The cell that is stored for it: that which it is a part of; counts of all rows are one. kNone: none is,
  /// as nothing needs it.
  static constexpr size_t kNone = static_cast<size_t>(-1);
  size_t holder(size_t cell) const { return holders_[cell]; }
  /// For a slot in device memory, so that few of them lie across sectors of 32 bytes.
  size_t far_stride() const { return size_ <= 32 ? 32 : (size_ + 15) / 16 * 16; }
  /// In shared memory: an odd number of words, so that neighbours lie in different banks.
  size_t near_stride() const { return size_ | 8; }
  size_t near_slots() const;
  size_t shared_bytes() const { return sizeof(uint64_t) + near_slots() * near_stride(); }

  /// For kernels of any slots (any_slots-inl.h); none: it has too many cells.
  std::optional<kernel::SlotShape> shape() const;

  /// The text of `struct Slot` (see groups-inl.h) and `using Table`.
  std::string text() const;

 private:
  bool is_text_elsewhere(size_t key) const;

  const GroupPlan& plan_;
  const std::vector<KeyText> texts_;
  std::vector<size_t> holders_;
  std::vector<std::string> types_;         // of the cells that are stored
  std::vector<kernel::CellShape> shapes_;  // of those
  size_t size_ = 8;
};

}  // namespace lanewise::exec
