#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "pram/machine/error.h"
#include "pram/machine/evaluator.h"
#include "pram/machine/memory.h"
#include "pram/tree/tree.h"

namespace lanewise::pram {

/// The writes of one assignment to shared variables: writer number t * lanes + i is lane i at target t.
struct Writes {
  struct Column {
    uint32_t variable;
    Place place;
    const Word* cells;
    Word* values;
  };
  std::vector<Column> columns;
  Lanes lanes;

  uint32_t processor(uint32_t writer) const { return lanes[writer % lanes.count]; }
  uint64_t cell(uint32_t writer) const {
    return static_cast<uint64_t>(columns[writer / lanes.count].cells[writer % lanes.count]);
  }
  Word value(uint32_t writer) const { return columns[writer / lanes.count].values[writer % lanes.count]; }
};

/// One access to a cell, for detecting conflicts.
struct Access {
  uint32_t variable;
  uint64_t cell;
  uint32_t processor;
  Place place;
  Word value;
};

/// The conflict of the smallest variable and cell among `accesses`, between its two smallest processors,
/// as `kind` requires.
std::optional<Conflict> find_conflict(std::vector<Access> accesses, Conflict::Kind kind, uint64_t step);

/// Marks each cell with the processor (or writer) that used it last and the epoch (step) of that use: two
/// uses in one epoch conflict.
class Stamps {
 public:
  explicit Stamps(const Memory& memory) : memory_(memory), stamps_(memory.variables.size()) {}

  /// Makes all earlier marks obsolete.
  void begin_epoch() {
    if (++epoch_ != 0) return;
    for (std::vector<uint64_t>& stamps : stamps_) stamps.clear();
    epoch_ = 1;
  }
  /// Returns who marked the cell in this epoch; if no one did, marks it with `who` and returns `who`.
  uint32_t mark(uint32_t variable, uint64_t cell, uint32_t who) {
    std::vector<uint64_t>& stamps = stamps_[variable];
    if (stamps.empty()) stamps.resize(memory_.variables[variable].words.size());
    if (stamps[cell] >> 32 == epoch_) return static_cast<uint32_t>(stamps[cell]);
    stamps[cell] = stamp(who);
    return who;
  }
  void replace(uint32_t variable, uint64_t cell, uint32_t who) { stamps_[variable][cell] = stamp(who); }
  bool holds(uint32_t variable, uint64_t cell, uint32_t who) const {
    return stamps_[variable][cell] == stamp(who);
  }

 private:
  uint64_t stamp(uint32_t who) const { return uint64_t{epoch_} << 32 | who; }

  const Memory& memory_;
  std::vector<std::vector<uint64_t>> stamps_;  // the epoch in the upper half; allocated on first use
  uint32_t epoch_ = 0;
};

/// The order in which processors are drawn in mode `arbitrary`: the lowest rank wins. A permutation for every
/// seed.
uint64_t rank_of(uint32_t processor, uint64_t seed);

/// "processors 0 and 1 both write A[0] (5 and 7), which CREW forbids".
std::string describe(const Conflict& conflict, const Tree& tree, const Memory& memory, Mode mode);

/// Whether values of this type may be combined in any order: not reals, whose sums depend on it, and not
/// sums and products, whose partial results may overflow.
inline bool any_order(Op op, Type type) {
  return type != Type::kReal && op != Op::kAdd && op != Op::kMultiply;
}
/// The greatest sum up to which values of the columns may be combined in any order; kNoLimit: whatever their
/// sum. Nothing for reals, products and variables with different operators.
inline constexpr uint64_t kNoLimit = UINT64_MAX;
template <class Columns>
std::optional<uint64_t> limit_of_any_order(const Tree& tree, const Columns& columns) {
  const Op op = tree.combine_of(columns[0].variable);
  uint64_t limit = std::numeric_limits<Word>::max();
  for (const auto& column : columns) {
    const Type type = tree.variables[column.variable].type;
    if (tree.combine_of(column.variable) != op || type == Type::kReal) return std::nullopt;
    if (type == Type::kInt32) limit = std::numeric_limits<int32_t>::max();
  }
  if (op == Op::kMultiply) return std::nullopt;
  return op == Op::kAdd ? limit : kNoLimit;
}
/// Combines two values.
Word combine_two(Op op, Word a, Word b);

/// Combines the values in a fixed balanced tree: neighbours, then neighbours of the results, ... `values` is
/// overwritten. Nothing on overflow.
std::optional<Word> combine(Op op, Type type, std::vector<Word>& values);

}  // namespace lanewise::pram
