#include "ops/aggregate/accumulators/collected.h"
#include "ops/aggregate/accumulators/kept_text.h"
#include "ops/aggregate/functions/function_groups.h"

namespace lanewise::ops {

namespace {

/// string_agg(text, separator ORDER BY ...).
class StringAgg : public OfCollected {
 public:
  StringAgg(Collected rows, Value separator, MemoryBudget* budget)
      : OfCollected(std::move(rows), budget), separator_(std::move(separator)) {}

  void update(const AggregateInput& input) override {
    if (!separator_.is_null()) OfCollected::update(input);
  }

  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation* cancellation) const override {
    std::vector<std::string> joined(count);
    std::vector<uint32_t> order;
    Reservation held(budget_, kGroupBy);
    for (uint32_t i = 0; i < count; ++i) {
      if (cancellation != nullptr && i % 1024 == 0) cancellation->check();
      const auto rows = values_.rows(first + i);
      if (rows.empty()) continue;
      order.assign(rows.begin(), rows.end());
      values_.sort(order);
      size_t size = (order.size() - 1) * separator_.text().size();
      for (const uint32_t row : order) size += values_.value<std::string_view>(row).size();
      held.resize(held.bytes() + size);
      joined[i].reserve(size);
      for (const uint32_t row : order) {
        if (row != order.front()) joined[i] += separator_.text();
        joined[i] += values_.value<std::string_view>(row);
      }
    }
    return text_column(
        TypeId::kVarchar, count, budget_, [&](uint32_t i) { return !values_.rows(first + i).empty(); },
        [&](uint32_t i) { return std::string_view(joined[i]); });
  }

 private:
  Value separator_;  // NULL: the result is NULL
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
    {.name = "string_agg",
     .order_matters = true,
     .resolve = resolve_string_agg,
     .make = make_string_agg,
     .documentation = "All strings that are not NULL, joined by a separator (a comma if none is given).",
     .example = "SELECT string_agg(x, '-' ORDER BY x) FROM (VALUES ('b'), ('a')) t(x) -- a-b",
     .needs_all_rows = true},
};

}  // namespace

std::span<const AggregateFunction> string_agg_functions() { return kStringAggFunctions; }

}  // namespace lanewise::ops
