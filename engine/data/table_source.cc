#include "data/table_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace lanewise {

namespace {

class TableScan : public Scan {
 public:
  explicit TableScan(Table table) : table_(std::move(table)) {}

  std::unique_ptr<ScanWorker> worker() override { return std::make_unique<Worker>(*this); }
  size_t max_workers() const override { return std::max<size_t>(table_.batches.size(), 1); }

 private:
  class Worker : public ScanWorker {
   public:
    explicit Worker(TableScan& scan) : scan_(scan) {}
    std::optional<ScanBatch> next() override {
      const size_t i = scan_.next_++;
      if (i >= scan_.table_.batches.size()) return std::nullopt;
      return ScanBatch{i, scan_.table_.batches[i]};
    }

   private:
    TableScan& scan_;
  };

  const Table table_;
  std::atomic<size_t> next_{0};
};

class TableSource : public Source {
 public:
  TableSource(std::string name, Table table, bool has_identity)
      : name_(std::move(name)), identity_(has_identity ? new_identity() : ""), table_(std::move(table)) {}

  std::string name() const override { return name_; }
  const Schema& schema() const override { return table_.schema; }
  std::string identity() const override { return identity_; }
  int64_t estimated_rows() const override { return table_.rows(); }

  std::unique_ptr<Scan> scan(const std::vector<size_t>& columns, BatchSize, MemoryBudget*,
                             const Cancellation*) const override {
    Table chosen;
    for (const size_t column : columns) chosen.schema.push_back(table_.schema[column]);
    for (const Batch& batch : table_.batches) {
      Batch part{batch.rows, {}};
      for (const size_t column : columns) part.columns.push_back(batch.columns[column]);
      chosen.batches.push_back(std::move(part));
    }
    return scan_table(std::move(chosen));
  }

 private:
  const std::string name_;
  const std::string identity_;
  const Table table_;
};

}  // namespace

std::shared_ptr<const Source> table_source(std::string name, Table table, bool has_identity) {
  return std::make_shared<TableSource>(std::move(name), std::move(table), has_identity);
}

std::unique_ptr<Scan> scan_table(Table table) { return std::make_unique<TableScan>(std::move(table)); }

std::string new_identity() {
  static std::atomic<uint64_t> made{0};
  return fmt::format("registered {}", ++made);
}

}  // namespace lanewise
