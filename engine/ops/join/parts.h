#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ops/join/build.h"
#include "ops/sink.h"
#include "plan/node.h"

namespace lanewise::ops {

/// Maximum number of parts of a join.
inline constexpr size_t kMostParts = 16;

/// Rows of one thread, split by the hash of a join's keys: rows of either side with equal keys are in the
/// part of the same number.
class RowsInParts : public Sink::Local {
 public:
  RowsInParts(const Schema& schema, size_t parts);
  /// `keys` are those of the chunk's rows.
  void append(const Chunk& chunk, std::span<const Vector> keys, Arena& arena, MemoryBudget* budget);
  /// The rows of all threads, by part, in order.
  static std::vector<Table> merge(const Schema& schema, std::vector<std::unique_ptr<Sink::Local>>& locals,
                                  size_t parts, MemoryBudget* budget);

 private:
  std::vector<std::unique_ptr<Sink::Local>> parts_;
};

/// Gathers the rows of a join's left child in parts, for a build side that is in parts.
class LeftPartsSink : public Sink {
 public:
  /// `join` and `left` outlive the sink.
  LeftPartsSink(const plan::Join& join, const Schema& left, size_t parts);
  std::unique_ptr<Local> local() const override;
  void consume(Local& local, const Chunk& chunk, EvalContext& context) const override;
  /// Returns an empty table: the rows are in parts().
  Table finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) override;
  std::vector<Table>& parts() { return parts_; }

 private:
  const plan::Join& join_;
  const Schema& left_;
  const size_t count_;
  std::vector<Table> parts_;
};

/// A build side that is larger than memory, in parts; one part at a time has a lookup. Not thread-safe.
class BuildParts {
 public:
  BuildParts(BuildForm form, std::vector<Table> parts, MemoryBudget* budget);
  size_t count() const { return parts_.size(); }
  int64_t rows() const;
  /// The part's rows, ready for probes; the previous part is released when it is no longer used.
  std::shared_ptr<const Build> open(size_t part);
  /// Of the part that was opened last; empty: none was.
  std::string describe() const;

 private:
  const BuildForm form_;
  std::vector<Table> parts_;
  MemoryBudget* const budget_;
  size_t opened_ = SIZE_MAX;
  std::shared_ptr<const Build> build_;
};

}  // namespace lanewise::ops
