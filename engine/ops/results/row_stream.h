#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "data/column.h"
#include "ops/ordered_rows.h"
#include "ops/sink.h"

namespace lanewise::ops {

/// Rows that threads still make, batch by batch and in order, for one reader. It holds about `bytes` of them:
/// threads ahead of the reader wait for it.
class RowStream {
 public:
  explicit RowStream(size_t bytes) : most_bytes_(bytes) {}

  /// Waits for the next batch; nothing at the end. Throws the error that ended the rows.
  std::optional<Batch> next();
  /// No more rows are wanted: add() throws CancelledError from now on.
  void stop();

  /// A thread that adds rows.
  class Writer {
   public:
    explicit Writer(RowStream& stream);
    ~Writer() { begin(kNoMorsel); }
    Writer(const Writer&) = delete;

    /// The rows that follow are those of the morsel with this order.
    void begin(uint64_t order);
    /// Waits while the stream is full, unless the reader waits for this writer's rows.
    void add(Batch batch);

   private:
    RowStream& stream_;
    const size_t number_;
  };
  static constexpr uint64_t kNoMorsel = UINT64_MAX;

  /// The rows of all morsels with lower orders have been added.
  void complete_below(uint64_t order);
  /// Rows of morsels from this order on are never given: one of them raised an error.
  void cut(uint64_t order);
  /// A writer failed: no more rows are given than those that were ready, and add() does nothing. To be called
  /// while the writer's reader still holds its morsel.
  void abort();
  /// Nothing is added any more; with an error, which next() throws after the rows before it.
  void end(std::exception_ptr error = nullptr);

 private:
  bool is_ready() const;                ///< whether the reader can take a batch
  bool must_wait(size_t writer) const;  ///< whether the writer must

  const size_t most_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<uint64_t, uint64_t>, Batch>
      batches_;  // by their morsel's order, then as they were added
  uint64_t added_ = 0;
  size_t bytes_ = 0;
  std::vector<uint64_t> morsels_;  // of the writers
  uint64_t complete_below_ = 0;
  uint64_t cut_ = UINT64_MAX;
  bool stopped_ = false;
  bool aborted_ = false;
  bool ended_ = false;
  std::exception_ptr error_;
};

/// The end of a pipeline whose rows go to a stream.
class StreamSink : public Sink {
 public:
  StreamSink(const Schema& schema, RowStream& stream) : schema_(schema), stream_(stream) {}
  std::unique_ptr<Local> local() const override;
  void consume(Local& local, const Chunk& chunk, EvalContext& context) const override;
  /// A table without rows.
  Table finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) override;

  /// The chunks that follow are those of the morsel with this order; all of its predecessors have passed.
  static void begin(Local& local, uint64_t order);
  RowStream& stream() const { return stream_; }

 private:
  const Schema& schema_;
  RowStream& stream_;
};

}  // namespace lanewise::ops
