#include "exec/device/ranks.h"

#include "exec/device/host_run.h"
#include "ops/aggregate/share.h"

namespace lanewise::exec {

namespace {

/// Which of n values in order a call asks for.
class Ranks {
 public:
  explicit Ranks(const plan::AggregateCall& call)
      : share_(call.args.size() > 1 ? call.args[1]->literal : Value(Type::decimal(2, 1), int128_t{5})),
        both_(call.args.size() == 1 && ops::continuous(call.args[0]->type)) {}
  bool descending() const { return share_.descending; }
  std::vector<int64_t> of(int64_t n) const {
    if (both_) return {(n - 1) / 2, n / 2};
    return {static_cast<int64_t>(share_.index(static_cast<size_t>(n)))};
  }

 private:
  const ops::Share share_;
  const bool both_;  // those next to the middle, between which a median lies
};

/// How many rows each row stands for, none where the value is NULL, and where groups begin.
struct Counted {
  std::vector<int64_t> counts;
  std::vector<size_t> begins;
};

Counted count(const Table& sorted, size_t keys) {
  Counted all;
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

}  // namespace

Table rows_at_ranks(Table partial, size_t keys, const plan::AggregateCall& call, const Options& options) {
  const Ranks ranks(call);
  const Schema schema = partial.schema;
  std::vector<plan::SortKey> order;
  for (size_t k = 0; k <= keys; ++k)
    order.push_back({.expr = column(k, schema[k].type), .descending = k == keys && ranks.descending()});
  const Table sorted = run_on_host(
      plan::sort(plan::values(std::make_shared<const Table>(std::move(partial))), order), options);

  const Counted all = count(sorted, keys);
  std::vector<size_t> kept;
  for (size_t group = 0; group + 1 < all.begins.size(); ++group) {
    size_t row = all.begins[group];
    int64_t rows = 0, passed = 0;
    for (size_t i = row; i < all.begins[group + 1]; ++i) rows += all.counts[i];
    if (rows == 0) {
      kept.push_back(row);
      continue;
    }
    for (const int64_t rank : ranks.of(rows)) {
      while (passed + all.counts[row] <= rank) passed += all.counts[row++];
      kept.push_back(row);
    }
  }
  Table table{schema, {}};
  if (kept.empty()) return table;
  Batch batch{static_cast<int64_t>(kept.size()), {}};
  for (size_t i = 0; i < schema.size(); ++i) {
    std::vector<Value> values;
    for (const size_t row : kept) values.push_back(sorted.value(static_cast<int64_t>(row), i));
    batch.columns.push_back(make_column(schema[i].type, values));
  }
  table.batches.push_back(std::move(batch));
  return table;
}

}  // namespace lanewise::exec
