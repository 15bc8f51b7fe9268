#include "ops/scan/morsel_list.h"

#include <algorithm>

namespace lanewise::ops {

class MorselList::ListReader : public Reader {
 public:
  explicit ListReader(MorselList& list) : list_(list), held_(list.held_) {}

  bool next(Morsel& morsel, uint64_t below) override {
    for (;;) {
      held_.hold(list_.next_order());  // at most this order, until it is known
      const size_t i = list_.next_.fetch_add(1);
      if (i >= list_.morsels_.size()) break;
      if (list_.morsels_[i].order >= below) continue;  // others need not come after it
      morsel = list_.morsels_[i];
      held_.hold(morsel.order);
      return true;
    }
    held_.hold(HeldOrders::kNone);
    return false;
  }

 private:
  MorselList& list_;
  HeldOrders::Holder held_;
};

std::unique_ptr<Reader> MorselList::reader() { return std::make_unique<ListReader>(*this); }

uint64_t MorselList::next_order() const {
  const size_t next = next_.load();
  return next < morsels_.size() ? morsels_[next].order : HeldOrders::kNone;
}

uint64_t MorselList::processed_below() const {
  const uint64_t next = next_order();  // first: what is handed out meanwhile is not lower
  return std::min(next, held_.lowest());
}

std::optional<uint64_t> MorselList::row_of(uint64_t order, uint32_t row) const {
  for (const Morsel& morsel : morsels_) {
    if (order < morsel.order) continue;
    const uint64_t first = (order - morsel.order) * morsel.slice_rows;  // of the slice in the morsel
    if (first < static_cast<uint64_t>(morsel.rows)) return morsel.order + first + row;
  }
  return std::nullopt;
}

double MorselList::progress() const {
  const size_t all = morsels_.size();
  return all == 0 ? 1
                  : static_cast<double>(std::min(next_.load(std::memory_order_relaxed), all)) /
                        static_cast<double>(all);
}

void cut(const std::vector<Span>& columns, int64_t rows, uint64_t order, const Slicing& slicing,
         std::vector<Morsel>& morsels) {
  for (int64_t first = 0; first < rows; first += slicing.morsel_rows) {
    Morsel& morsel = morsels.emplace_back();
    morsel.order = order + static_cast<uint64_t>(first);
    morsel.rows = std::min(slicing.morsel_rows, rows - first);
    morsel.slice_rows = slicing.vector_rows;
    morsel.columns = columns;
    for (Span& span : morsel.columns) span.first += first;
  }
}

std::unique_ptr<Input> read_table(const Table& table, const Slicing& slicing) {
  std::vector<Morsel> morsels;
  uint64_t order = 0;
  for (const Batch& batch : table.batches) {
    std::vector<Span> columns;
    for (const ColumnPtr& column : batch.columns) columns.push_back({column, 0});
    cut(columns, batch.rows, order, slicing, morsels);
    order += static_cast<uint64_t>(batch.rows);
  }
  return std::make_unique<MorselList>(std::move(morsels));
}

}  // namespace lanewise::ops
