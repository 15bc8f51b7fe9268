#include "ops/scan/marked_rows.h"

#include <algorithm>
#include <atomic>

#include "base/arena.h"
#include "ops/gather.h"
#include "ops/scan/held_orders.h"

namespace lanewise::ops {

namespace {

using plan::JoinKind;

constexpr uint32_t kChunkRows = 1 << 16;

ColumnPtr nulls(Type type, uint32_t rows) {
  ColumnBuilder builder(type);
  for (uint32_t row = 0; row < rows; ++row) builder.append_null();
  return builder.finish();
}

class MarkedRowsInput : public Input {
 public:
  MarkedRowsInput(const plan::Node& node, std::shared_ptr<const Build> build, const Slicing& slicing,
                  MemoryBudget* budget)
      : build_(std::move(build)), slicing_(slicing), budget_(budget) {
    const auto& join = std::get<plan::Join>(node.payload);
    const Schema &left = node.children[0]->schema, &right = node.children[1]->schema;
    wanted_ = join.kind == JoinKind::kRightSemi ? 1 : 0;
    for (const size_t column : join.left)
      nulls_.push_back(nulls(left[column].type, std::min(kChunkRows, build_->rows)));
    right_ = JoinColumns(join, left, right).right;
  }

  std::unique_ptr<Reader> reader() override { return std::make_unique<MarkedReader>(*this); }
  size_t max_readers() const override { return build_->rows / kChunkRows + 1; }
  uint64_t processed_below() const override {
    const uint64_t next = next_order();  // first: what is handed out meanwhile is not lower
    return std::min(next, held_.lowest());
  }
  double progress() const override {
    return build_->rows == 0 ? 1 : std::min(1.0, static_cast<double>(next_.load()) / build_->rows);
  }

 private:
  class MarkedReader : public Reader {
   public:
    explicit MarkedReader(MarkedRowsInput& rows) : rows_(rows), held_(rows.held_) {}

    bool next(Morsel& morsel, uint64_t below) override {
      do {
        held_.hold(rows_.next_order());  // at most this order, until it is known
        const uint64_t first = rows_.next_.fetch_add(kChunkRows);
        held_.hold(first);
        if (first >= rows_.build_->rows || first >= below) {
          held_.hold(HeldOrders::kNone);
          return false;
        }
        morsel = rows_.morsel(static_cast<uint32_t>(first));
      } while (morsel.rows == 0);
      return true;
    }

   private:
    MarkedRowsInput& rows_;
    HeldOrders::Holder held_;
  };

  /// The order of the next morsel to hand out.
  uint64_t next_order() const {
    const uint64_t next = next_.load();
    return next < build_->rows ? next : HeldOrders::kNone;
  }

  Morsel morsel(uint32_t first) const {
    const uint32_t rows = std::min(kChunkRows, build_->rows - first);
    Arena arena(budget_, kJoin);
    auto* const wanted = arena.allocate<uint64_t>(bits::words(rows));
    std::fill_n(wanted, bits::words(rows), 0);
    for (uint32_t row = 0; row < rows; ++row) {
      if (build_->matched[first + row].load(std::memory_order_relaxed) == wanted_) bits::set(wanted, row);
    }
    const ActiveSet active = ActiveSet(rows, arena).narrowed(wanted);
    Morsel morsel;
    morsel.order = first;
    morsel.rows = active.count();
    morsel.slice_rows = slicing_.vector_rows;
    if (active.none()) return morsel;
    for (const ColumnPtr& column : nulls_) morsel.columns.push_back({column, 0});
    for (const size_t column : right_) {
      Gather gather(build_->columns[column]->type, budget_, kJoin);
      gather.append(slice(*build_->columns[column], first, rows, arena), active);
      morsel.columns.push_back({gather.finish(), 0});
    }
    return morsel;
  }

  const std::shared_ptr<const Build> build_;
  const Slicing slicing_;
  MemoryBudget* const budget_;
  uint8_t wanted_;
  std::vector<ColumnPtr> nulls_;  // replace the left child's columns
  std::vector<size_t> right_;
  std::atomic<uint64_t> next_{0};
  HeldOrders held_;
};

}  // namespace

std::unique_ptr<Input> read_marked_rows(const plan::Node& node, std::shared_ptr<const Build> build,
                                        const Slicing& slicing, MemoryBudget* budget) {
  return std::make_unique<MarkedRowsInput>(node, std::move(build), slicing, budget);
}

}  // namespace lanewise::ops
