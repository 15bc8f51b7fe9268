#pragma once

#include <atomic>

#include "ops/scan/held_orders.h"
#include "ops/scan/input.h"

namespace lanewise::ops {

/// Morsels known from the start: tables in memory, hot columns. A morsel's order is its first row's
/// number.
class MorselList : public Input {
 public:
  /// The list keeps `kept` alive.
  explicit MorselList(std::vector<Morsel> morsels, std::shared_ptr<const void> kept = nullptr)
      : morsels_(std::move(morsels)), kept_(std::move(kept)) {}
  std::unique_ptr<Reader> reader() override;
  size_t max_readers() const override { return morsels_.size(); }
  std::optional<uint64_t> row_of(uint64_t order, uint32_t row) const override;
  uint64_t processed_below() const override;
  double progress() const override;

 private:
  class ListReader;
  uint64_t next_order() const;  ///< of the next morsel to hand out

  std::vector<Morsel> morsels_;
  std::shared_ptr<const void> kept_;
  std::atomic<size_t> next_{0};
  HeldOrders held_;
};

/// The table's rows.
std::unique_ptr<Input> read_table(const Table& table, const Slicing& slicing);

/// Appends the rows [first, first + rows) of `columns`, cut into morsels. Orders start at `order` and ascend
/// with the rows.
void cut(const std::vector<Span>& columns, int64_t rows, uint64_t order, const Slicing& slicing,
         std::vector<Morsel>& morsels);

}  // namespace lanewise::ops
