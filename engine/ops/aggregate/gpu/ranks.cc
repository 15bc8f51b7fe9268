#include "ops/aggregate/gpu/ranks.h"

#include <cmath>

#include "ops/aggregate/accumulators/states.h"
#include "ops/aggregate/functions/functions.h"
#include "ops/aggregate/functions/interpolate.h"
#include "ops/aggregate/functions/share.h"
#include "ops/run/options.h"

namespace lanewise::ops {

namespace {

/// Which of n values in order a call takes, and how far after the first of them the result lies.
class Ranks {
 public:
  explicit Ranks(const plan::AggregateCall& call)
      : share_(call.args.size() > 1 ? Share(call.args[1]->literal) : half()),
        between_(function_of(call).quantile == Quantile::kInterpolated && continuous(call.args[0]->type)) {}
  bool descending() const { return share_.descending; }
  /// Whether the result may lie between two values.
  bool between() const { return between_; }
  struct Place {
    int64_t low, high;
    double part;
  };
  Place of(int64_t n) const {
    if (!between_) {
      const auto rank = static_cast<int64_t>(share_.index(static_cast<size_t>(n)));
      return {rank, rank, 0};
    }
    const double at = static_cast<double>(n - 1) * share_.real, below = std::floor(at);
    return {static_cast<int64_t>(below), static_cast<int64_t>(std::ceil(at)), at - below};
  }

 private:
  const Share share_;
  const bool between_;
};

/// How many rows each row stands for, none where the value is NULL, and where groups begin.
struct CountedValues {
  std::vector<int64_t> counts;
  std::vector<size_t> begins;
};

CountedValues count(const Table& sorted, size_t keys) {
  CountedValues all;
  std::vector<Value> key, before;
  for (const Batch& batch : sorted.batches) {
    const auto* counts = batch.columns[keys + 1]->values.as<int64_t>();
    for (int64_t row = 0; row < batch.rows; ++row) {
      key.clear();
      for (size_t k = 0; k < keys; ++k) key.push_back(batch.columns[k]->value(row));
      if (all.counts.empty() || key != before) all.begins.push_back(all.counts.size());
      std::swap(key, before);
      all.counts.push_back(batch.columns[keys]->is_null(row) ? 0 : counts[row]);
    }
  }
  all.begins.push_back(all.counts.size());
  return all;
}

/// Row by row what lies `parts` of the way from one value to the other.
ColumnPtr between(const Column& lows, const std::vector<double>& parts, const Column& highs, Type type,
                  const Options& options) {
  return visit_continuous(lows.type, [&](auto value, auto result) -> ColumnPtr {
    using T = decltype(value);
    using Result = decltype(result);
    const T *low = lows.values.as<T>(), *high = highs.values.as<T>();
    return number_column<Result>(
        type, static_cast<uint32_t>(lows.rows), options.budget, [&](uint32_t i) { return !lows.is_null(i); },
        [&](uint32_t i) {
          const auto first = as_quantile<Result>(low[i]);
          return parts[i] == 0 ? first : ops::between(first, parts[i], as_quantile<Result>(high[i]), type);
        });
  });
}

}  // namespace

Table values_at_ranks(Table partial, size_t keys, const plan::AggregateCall& call, const Options& options) {
  const Ranks ranks(call);
  const Schema schema = partial.schema;
  std::vector<plan::SortKey> order;
  for (size_t k = 0; k <= keys; ++k)
    order.push_back({.expr = column(k, schema[k].type), .descending = k == keys && ranks.descending()});
  const Table sorted = run_on_cores(
      plan::sort(plan::values(std::make_shared<const Table>(std::move(partial))), order), options);

  const CountedValues all = count(sorted, keys);
  std::vector<size_t> lows, highs;  // rows, one of each for a group
  std::vector<double> parts;
  for (size_t group = 0; group + 1 < all.begins.size(); ++group) {
    size_t row = all.begins[group];
    int64_t rows = 0, passed = 0;
    for (size_t i = row; i < all.begins[group + 1]; ++i) rows += all.counts[i];
    const auto row_of = [&](int64_t rank) {
      while (passed + all.counts[row] <= rank) passed += all.counts[row++];
      return row;
    };
    const Ranks::Place place = rows == 0 ? Ranks::Place{} : ranks.of(rows);
    lows.push_back(rows == 0 ? row : row_of(place.low));
    highs.push_back(rows == 0 ? row : row_of(place.high));
    parts.push_back(place.part);
  }
  Table table{schema, {}};
  if (ranks.between()) table.schema[keys].type = call.type;
  if (lows.empty()) return table;
  const auto column_of = [&](size_t place, const std::vector<size_t>& rows) {
    std::vector<Value> values;
    for (const size_t row : rows) values.push_back(sorted.value(static_cast<int64_t>(row), place));
    return make_column(schema[place].type, values);
  };
  Batch batch{static_cast<int64_t>(lows.size()), {}};
  for (size_t i = 0; i < schema.size(); ++i) batch.columns.push_back(column_of(i, lows));
  if (ranks.between())
    batch.columns[keys] = between(*batch.columns[keys], parts, *column_of(keys, highs), call.type, options);
  table.batches.push_back(std::move(batch));
  return table;
}

}  // namespace lanewise::ops
