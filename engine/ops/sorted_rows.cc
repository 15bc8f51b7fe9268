#include "ops/sorted_rows.h"

namespace lanewise::ops {

SortedRows::SortedRows(std::vector<std::unique_ptr<Sink::Local>>& locals, MemoryBudget* budget,
                       std::string_view what)
    : budget_(budget), what_(what), rows_(budget, what) {
  const std::vector<OrderedRows::Place> places = OrderedRows::places(locals);
  std::vector<size_t> starts;
  size_t count = 0;
  for (const OrderedRows::Place& place : places) {
    parts_.resize(std::max(parts_.size(), place.part + 1));
    parts_[place.part] = place.batch;
    starts.push_back(count);
    count += static_cast<size_t>(place.rows);
  }
  rows_.resize(count);
  parallel_for(places.size(), [&](size_t p) {
    KeyRow* to = rows_.data() + starts[p];
    const uint64_t row = row_of(places[p].part, static_cast<size_t>(places[p].first));
    for (int64_t i = 0; i < places[p].rows; ++i) to[i].row = row + static_cast<uint64_t>(i);
  });
}

void SortedRows::sort(const SortColumns& columns, size_t keys, size_t first, size_t count,
                      const Cancellation* cancellation) {
  Buffer scratch = Buffer::allocate(rows_.size() * sizeof(KeyRow), budget_, what_, Access::kRandom);
  const std::vector<RowKey> all = columns.row_keys(parts_);
  sort_rows({rows_.data(), rows_.size()}, scratch.mutable_as<KeyRow>(), std::span(all).first(keys),
            rows().subspan(first, count), cancellation);
}

}  // namespace lanewise::ops
