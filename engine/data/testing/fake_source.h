#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/source.h"

/// A source over values in memory, for tests: batches of a chosen length, orders with gaps, errors on demand.
namespace lanewise {

class FakeSource : public Source {
 public:
  FakeSource(Schema schema, std::vector<std::vector<Value>> rows)
      : schema_(std::move(schema)), rows_(std::move(rows)) {}

  size_t batch_rows = 1000;
  size_t workers = 4;
  std::string id;                                  ///< identity()
  std::function<void(size_t batch)> on_next;       ///< called before a batch is made
  mutable std::vector<std::vector<size_t>> scans;  ///< columns of each scan so far
  mutable std::atomic<size_t> batches_read{0};

  std::string name() const override { return "fake"; }
  const Schema& schema() const override { return schema_; }
  std::string identity() const override { return id; }
  int64_t estimated_rows() const override { return static_cast<int64_t>(rows_.size()); }

  const std::vector<std::vector<Value>>& rows() const { return rows_; }

  std::unique_ptr<Scan> scan(const std::vector<size_t>& columns, BatchSize, MemoryBudget* budget,
                             const Cancellation*) const override {
    scans.push_back(columns);
    return std::make_unique<FakeScan>(*this, columns, budget);
  }

 private:
  class FakeScan : public Scan {
   public:
    FakeScan(const FakeSource& source, std::vector<size_t> columns, MemoryBudget* budget)
        : source_(source), columns_(std::move(columns)), budget_(budget) {}

    std::unique_ptr<ScanWorker> worker() override { return std::make_unique<Worker>(*this); }
    size_t max_workers() const override { return source_.workers; }
    double progress() const override { return source_.rows_.empty() ? 1 : 0.5; }

   private:
    class Worker : public ScanWorker {
     public:
      explicit Worker(FakeScan& scan) : scan_(scan) {}
      std::optional<ScanBatch> next() override { return scan_.batch(scan_.next_++); }

     private:
      FakeScan& scan_;
    };

    std::optional<ScanBatch> batch(size_t index) const {
      const size_t first = index * source_.batch_rows;
      if (first >= source_.rows_.size()) return std::nullopt;
      if (source_.on_next) source_.on_next(index);
      const size_t last = std::min(first + source_.batch_rows, source_.rows_.size());
      ScanBatch made;
      made.order = index * 10 + 3;
      made.batch.rows = static_cast<int64_t>(last - first);
      for (size_t column : columns_) {
        ColumnBuilder builder(source_.schema_[column].type, budget_, "Scan fake");
        for (size_t row = first; row < last; ++row) builder.append(source_.rows_[row][column]);
        made.batch.columns.push_back(builder.finish());
      }
      ++source_.batches_read;
      return made;
    }

    const FakeSource& source_;
    const std::vector<size_t> columns_;
    MemoryBudget* budget_;
    std::atomic<size_t> next_{0};
  };

  Schema schema_;
  std::vector<std::vector<Value>> rows_;
};

}  // namespace lanewise
