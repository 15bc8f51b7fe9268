#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "ops/sink.h"

namespace lanewise::ops {

class SinkOperator;

/// Keeps the rows [offset, offset + limit) in the order of the input (limit < 0: all from offset on), and
/// reports when no more input is needed.
class Limit : public Sink {
 public:
  Limit(Schema schema, int64_t limit, int64_t offset);
  std::unique_ptr<Local> local() const override;
  void consume(Local& local, const Chunk& chunk, EvalContext& context) const override;
  uint64_t needed_below() const override { return needed_below_.load(std::memory_order_relaxed); }
  Table finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) override;

 private:
  /// Counts the rows of a chunk; false if earlier chunks hold all rows that are needed.
  bool count(uint64_t order, uint32_t rows) const;

  Schema schema_;
  int64_t limit_;
  int64_t offset_;
  int64_t wanted_;  // rows needed, counted from the first row of the input
  mutable std::atomic<uint64_t> needed_below_{UINT64_MAX};
  mutable std::mutex mutex_;
  mutable std::map<uint64_t, uint64_t> seen_;  // order -> rows, of the chunks counted
  mutable int64_t seen_rows_ = 0;
};

/// The node Limit.
const SinkOperator& limit_operator();

}  // namespace lanewise::ops
