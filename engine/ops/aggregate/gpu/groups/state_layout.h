#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ops/aggregate/gpu/groups/group_plan.h"

namespace lanewise::ops {

/// The only group of a plan without keys, as each block keeps it in registers: a State has the number of
/// rows, then a state for each cell.
class StateLayout {
 public:
  /// Whether there are such states for all cells. Otherwise the group is in a table, as those with keys.
  static bool fits(const GroupPlan& plan);
  /// The plan must outlive it.
  explicit StateLayout(const GroupPlan& plan);

  /// Whether State has the cell as c0, c1, ...
  bool stores(size_t cell) const { return fields_[cell].has_value(); }
  size_t bytes() const { return bytes_; }
  /// The text of `struct State`.
  std::string text() const;

  /// The number of rows that all blocks took.
  uint64_t rows(std::span<const uint8_t> states) const;
  /// The blocks' groups, merged into one partial group. Throws UserError if a sum overflows.
  Table merged(std::span<const uint8_t> states) const;

 private:
  struct Field {
    BlockState state;
    size_t at;
  };
  size_t holder(size_t cell) const;
  Field add(Reduction reduction, Type arg);
  MergedState merge(const Field& field, Type type, std::span<const uint8_t> states) const;

  const GroupPlan& plan_;
  size_t bytes_ = 0;
  const Field rows_;
  std::vector<std::optional<Field>> fields_;  // by cell
};

}  // namespace lanewise::ops
