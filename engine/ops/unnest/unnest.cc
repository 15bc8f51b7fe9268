#include "ops/unnest/unnest.h"

#include <algorithm>
#include <utility>

#include "expr/vectors/elements.h"
#include "expr/vectors/vectors.h"
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

/// Element `first` and those after it, without a copy; `first` is a multiple of 64.
Vector from(const Vector& elements, uint32_t first) {
  Vector result = elements;
  const size_t bytes = width(elements.type.physical());
  result.values =
      static_cast<const char*>(elements.values) + first * (bytes == 0 ? sizeof(std::string_view) : bytes);
  if (elements.validity != nullptr) result.validity = elements.validity + first / 64;
  return result;
}

constexpr std::string_view kUnnest = "Unnest";
/// Rows whose lists are computed first, to see how long they are; elements at a time, in chunks of output.
constexpr uint32_t kFirstRows = 64, kChunksAtATime = 16;

class UnnestExpansion : public Expansion {
 public:
  UnnestExpansion(const Chunk& in, uint32_t rows, const std::vector<ExprPtr>& lists,
                  const std::vector<size_t>& kept, MemoryBudget* budget)
      : in_(in),
        limit_(lists.size() == 1 ? std::max((rows + 63) / 64, 1U) * 64 : std::max(rows, 1U)),
        exprs_(lists),
        kept_(kept),
        arena_(budget, kUnnest) {
    const bool are_columns =
        std::ranges::all_of(lists, [](const ExprPtr& list) { return list->kind == Expr::Kind::kColumn; });
    rows_at_a_time_ = are_columns ? in.rows : kFirstRows;
  }

  bool next(Chunk& out, EvalContext& context) override {
    do {
      if (lists_.size() == 1 ? next_of_one(out, context) : next_of_several(out, context)) return true;
    } while (next_rows(context));
    return false;
  }

 private:
  /// Computes the lists of the rows that come next, so many that they fit into memory. False: none is left.
  bool next_rows(EvalContext& context) {
    const std::span<const uint32_t> rest = in_.active.list().subspan(rows_done_);
    if (rest.empty()) return false;
    if (context.cancellation != nullptr) context.cancellation->check();
    arena_.reset();
    const size_t rows = std::min<size_t>(rows_at_a_time_, rest.size());
    rows_done_ += rows;
    ActiveSet active(in_.rows, arena_);
    if (rows != in_.rows) {
      auto* const bitmap = arena_.allocate<uint64_t>(bits::words(in_.rows));
      std::fill_n(bitmap, bits::words(in_.rows), 0);
      for (const uint32_t row : rest.first(rows)) bits::set(bitmap, row);
      active.narrow(bitmap);
    }
    Arena* const outer = std::exchange(context.arena, &arena_);
    lists_.clear();
    uint64_t elements = 1;
    for (const ExprPtr& list : exprs_) {
      lists_.push_back(elements_of(evaluate(*list, in_.columns, active, context), active));
      elements = std::max<uint64_t>(elements, lists_.back().count);
    }
    context.arena = outer;
    active_ = active.list();
    next_row_ = next_element_ = 0;
    const uint64_t fitting = rows * kChunksAtATime * limit_ / elements;
    rows_at_a_time_ = static_cast<uint32_t>(std::clamp<uint64_t>(fitting, 1, in_.rows));
    return true;
  }

  /// Elements lie in the order of their rows, so a chunk's are a piece of all.
  bool next_of_one(Chunk& out, EvalContext& context) {
    const expr::Elements& list = lists_[0];
    const uint32_t count = std::min(limit_, list.count - next_element_);
    if (count == 0) return false;
    start(out, count, context);
    if (!kept_.empty()) {
      auto* const rows = context.arena->allocate<uint32_t>(count);
      for (uint32_t done = 0; done < count; ++next_row_) {
        const uint32_t row = active_[next_row_], end = list.starts[row + 1];
        const uint32_t more = std::min(end - (next_element_ + done), count - done);
        std::fill_n(rows + done, more, row);
        done += more;
        if (next_element_ + done < end) break;
      }
      repeat(rows, out);
    }
    out.columns.push_back(from(list.values, next_element_));
    next_element_ += count;
    return true;
  }

  bool next_of_several(Chunk& out, EvalContext& context) {
    auto* const rows = context.arena->allocate<uint32_t>(limit_);
    auto* const numbers = context.arena->allocate<uint32_t>(limit_);
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
    start(out, count, context);
    repeat(rows, out);
    for (const expr::Elements& list : lists_)
      out.columns.push_back(elements(list, rows, numbers, out.active));
    return true;
  }

  static void start(Chunk& out, uint32_t rows, EvalContext& context) {
    out.rows = rows;
    out.active = ActiveSet(rows, *context.arena);
    out.columns.clear();
  }

  void repeat(const uint32_t* rows, Chunk& out) const {
    for (const size_t column : kept_) out.columns.push_back(take(in_.columns[column], rows, out.active));
  }

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
  const std::vector<ExprPtr>& exprs_;
  const std::vector<size_t>& kept_;
  Arena arena_;  // for the lists, and what computed them
  uint32_t rows_at_a_time_;
  size_t rows_done_ = 0;
  // Of the rows whose lists are there:
  std::vector<expr::Elements> lists_;
  std::span<const uint32_t> active_;
  size_t next_row_ = 0;
  uint32_t next_element_ = 0;  // of one list: of all rows; of several: of the next row
};

}  // namespace

std::unique_ptr<Expansion> Unnest::expand(const Chunk& in, uint32_t rows, EvalContext& context) const {
  return std::make_unique<UnnestExpansion>(in, rows, lists_, kept_, context.budget);
}

}  // namespace lanewise::ops
