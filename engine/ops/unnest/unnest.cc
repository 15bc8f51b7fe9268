#include "ops/unnest/unnest.h"

#include <algorithm>
#include <utility>

#include "expr/evaluation/vectors.h"
#include "expr/nested/elements.h"
#include "ops/take.h"

namespace lanewise::ops {

namespace {

/// The elements of a list; a bare NULL has none.
expr::Elements elements_of(const Vector& lists, const ActiveSet& rows) {
  if (lists.type.is_nested()) return expr::elements_of(lists, rows);
  auto* starts = rows.arena().allocate<uint32_t>(rows.rows() + 1);
  std::fill_n(starts, rows.rows() + 1, 0);
  return {expr::null_vector(TypeId::kNull, rows.arena()), 0, starts};
}

class UnnestExpansion : public Expansion {
 public:
  UnnestExpansion(const Chunk& in, uint32_t rows, std::vector<expr::Elements> lists)
      : in_(in), limit_(std::max<uint32_t>(rows, 1)), lists_(std::move(lists)), active_(in.active.list()) {}

  bool next(Chunk& out, EvalContext& context) override {
    Arena& arena = *context.arena;
    auto* const rows = arena.allocate<uint32_t>(limit_);
    auto* const numbers = arena.allocate<uint32_t>(limit_);
    uint32_t count = 0;
    while (count < limit_ && next_row_ < active_.size()) {
      const uint32_t row = active_[next_row_];
      const uint32_t end = longest(row), more = std::min(end - next_element_, limit_ - count);
      for (uint32_t i = 0; i < more; ++i) {
        rows[count] = row;
        numbers[count++] = next_element_ + i;
      }
      next_element_ += more;
      if (next_element_ < end) break;
      next_element_ = 0;
      ++next_row_;
    }
    if (count == 0) return false;
    out.rows = count;
    out.active = ActiveSet(count, arena);
    out.columns.clear();
    for (const Vector& column : in_.columns) out.columns.push_back(take(column, rows, out.active));
    for (const expr::Elements& list : lists_)
      out.columns.push_back(elements(list, rows, numbers, out.active));
    return true;
  }

 private:
  static uint32_t size(const expr::Elements& list, uint32_t row) {
    return list.starts[row + 1] - list.starts[row];
  }
  uint32_t longest(uint32_t row) const {
    uint32_t most = 0;
    for (const expr::Elements& list : lists_) most = std::max(most, size(list, row));
    return most;
  }

  /// Element numbers[i] of row rows[i].
  static Vector elements(const expr::Elements& list, const uint32_t* rows, const uint32_t* numbers,
                         const ActiveSet& active) {
    Arena& arena = active.arena();
    if (list.count == 0) return expr::null_vector(list.values.type, arena);
    auto* const places = arena.allocate<uint32_t>(active.rows());
    uint64_t* found = nullptr;
    active.for_each([&](uint32_t i) {
      const bool inside = numbers[i] < size(list, rows[i]);
      places[i] = inside ? list.starts[rows[i]] + numbers[i] : 0;
      if (inside) return;
      if (found == nullptr) found = expr::all_ones(active.rows(), arena);
      bits::clear(found, i);
    });
    Vector values = expr::gather(list.values, places, active);
    values.validity = expr::both(values.validity, found, active.rows(), arena);
    return values;
  }

  const Chunk& in_;
  const uint32_t limit_;
  const std::vector<expr::Elements> lists_;
  const std::span<const uint32_t> active_;
  size_t next_row_ = 0;
  uint32_t next_element_ = 0;
};

}  // namespace

std::unique_ptr<Expansion> Unnest::expand(const Chunk& in, uint32_t rows, EvalContext& context) const {
  std::vector<expr::Elements> lists;
  for (const ExprPtr& list : lists_)
    lists.push_back(elements_of(evaluate(*list, in.columns, in.active, context), in.active));
  return std::make_unique<UnnestExpansion>(in, rows, std::move(lists));
}

}  // namespace lanewise::ops
