#include "ops/run/first_fault.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanewise::ops {

void FirstFault::note(uint64_t order) {
  const std::lock_guard lock(mutex_);
  if (order >= order_.load(std::memory_order_relaxed)) return;
  order_.store(order, std::memory_order_relaxed);
  error_ = std::current_exception();
}

void name_argument(ConversionError& error, const Schema& columns) {
  if (error.argument == nullptr) return;
  std::vector<std::string> names;
  for (const Field& column : columns) names.push_back(column.name);
  const bool is_column = error.argument->kind == Expr::Kind::kColumn;
  error.origin = (is_column ? "column " : "") + error.argument->to_string(&names);
}

bool reads_only(const Expr& expr, const std::vector<bool>& marked) {
  return std::ranges::all_of(columns_of(expr),
                             [&](size_t column) { return column < marked.size() && marked[column]; });
}

ConversionError with_place(const ConversionError& error, const std::string& source,
                           std::optional<uint64_t> row) {
  if (error.of_constant) return error;
  std::string place;
  if (!source.empty()) place += fmt::format("'{}'", source);
  if (!source.empty() && row) place += fmt::format(", row {}", *row + 1);
  if (!place.empty() && !error.origin.empty()) place += ", ";
  place += error.origin;
  return ConversionError(place.empty() ? error.what() : place + ": " + error.what());
}

}  // namespace lanewise::ops
