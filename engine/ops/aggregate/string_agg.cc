#include "ops/aggregate/collected.h"
#include "ops/aggregate/function_groups.h"
#include "ops/aggregate/kept_text.h"

namespace lanewise::ops {

namespace {

/// string_agg(text, separator ORDER BY ...).
class StringAgg : public Accumulator {
 public:
  StringAgg(Collected rows, Value separator, MemoryBudget* budget)
      : rows_(std::move(rows)), separator_(std::move(separator)), budget_(budget) {}

  void resize(uint32_t groups) override { rows_.resize(groups); }
  void update(const AggregateInput& input) override {
    if (!separator_.is_null()) rows_.add(input, present(input));
  }
  void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    rows_.merge(static_cast<const StringAgg&>(other).rows_, from, to);
  }
  bool merge_copies() const override { return false; }  // texts stay where they are
  void seal() override { rows_.seal(); }

  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation* cancellation) const override {
    std::vector<std::string> joined(count);
    std::vector<uint32_t> order;
    Reservation held(budget_, kGroupBy);
    for (uint32_t i = 0; i < count; ++i) {
      if (cancellation != nullptr && i % 1024 == 0) cancellation->check();
      const auto rows = rows_.rows(first + i);
      if (rows.empty()) continue;
      order.assign(rows.begin(), rows.end());
      rows_.sort(order);
      size_t size = (order.size() - 1) * separator_.text().size();
      for (const uint32_t row : order) size += rows_.value<std::string_view>(row).size();
      held.resize(held.bytes() + size);
      joined[i].reserve(size);
      for (const uint32_t row : order) {
        if (row != order.front()) joined[i] += separator_.text();
        joined[i] += rows_.value<std::string_view>(row);
      }
    }
    return text_column(
        TypeId::kVarchar, count, budget_, [&](uint32_t i) { return !rows_.rows(first + i).empty(); },
        [&](uint32_t i) { return std::string_view(joined[i]); });
  }

 private:
  Collected rows_;
  Value separator_;  // NULL: so is the result
  MemoryBudget* budget_;
};

std::optional<Type> resolve_string_agg(std::span<const Type> args) {
  if (args.empty() || args.size() > 2 || args[0] != TypeId::kVarchar) return std::nullopt;
  if (args.size() == 2 && args[1] != TypeId::kVarchar && args[1] != TypeId::kNull) return std::nullopt;
  return TypeId::kVarchar;
}

std::unique_ptr<Accumulator> make_string_agg(const plan::AggregateCall& call, MemoryBudget* budget) {
  Value separator = Value::varchar(",");
  if (call.args.size() == 2) {
    if (call.args[1]->kind != Expr::Kind::kLiteral)
      throw UserError("string_agg: the separator must be a constant");
    separator = call.args[1]->literal;
  }
  return std::make_unique<StringAgg>(collected_in_order(TypeId::kVarchar, call, budget), separator, budget);
}

constexpr AggregateFunction kStringAggFunctions[] = {
    {"string_agg", true, true, resolve_string_agg, make_string_agg,
     "All strings that are not NULL, joined by a separator (a comma if none is given).",
     "SELECT string_agg(x, '-' ORDER BY x) FROM (VALUES ('b'), ('a')) t(x) -- a-b"},
};

}  // namespace

std::span<const AggregateFunction> string_agg_functions() { return kStringAggFunctions; }

}  // namespace lanewise::ops
