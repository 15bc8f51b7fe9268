#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "ops/join/lookup.h"
#include "ops/sink.h"
#include "plan/node.h"

namespace lanewise::ops {

/// Whether rows of the right child come out by whether they have a match.
bool asks_right(plan::JoinKind kind);

/// Which columns a join keeps of its right child (the build side), and what it reads them for.
struct JoinColumns {
  /// `of_left` and `of_right` are the columns of the children.
  JoinColumns(const plan::Join& join, const Schema& of_left, const Schema& of_right);

  std::vector<size_t> kept;   ///< columns of the right child that are kept, ascending
  std::vector<size_t> right;  ///< of the output's columns of the right child: which of the kept ones
  ExprPtr condition;          ///< over the left child's columns, then the kept ones; may be null
};

/// The build side of a join, once all its rows are there. Shared by threads.
struct Build {
  uint32_t rows = 0;
  std::vector<ColumnPtr> columns;       ///< the kept ones
  std::vector<ColumnPtr> keys;          ///< values of the keys
  std::unique_ptr<Lookup> lookup;       ///< null: there are no keys, so every row is a candidate
  ColumnPtr range;                      ///< values of the join's range, ascending, NULLs last; may be null
  std::vector<uint32_t> rows_of_nulls;  ///< kMark: rows with a NULL in a key that is compared by =
  /// 1 for each row that has a match, for joins that ask it of the build side; else null.
  std::unique_ptr<std::atomic<uint8_t>[]> matched;

  bool unique() const { return lookup != nullptr && lookup->unique(); }
  uint32_t row(uint32_t place) const { return lookup == nullptr ? place : lookup->row(place); }
};

/// Gathers the rows of a join's right child.
class BuildSink : public Sink {
 public:
  /// `join` outlives the sink.
  BuildSink(const plan::Join& join, const Schema& left, const Schema& right);
  std::unique_ptr<Local> local() const override;
  void consume(Local& local, const Chunk& chunk, EvalContext& context) const override;
  /// An empty table: the rows are in build().
  Table finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) override;
  std::shared_ptr<const Build> build() const { return build_; }

 private:
  /// Which of the gathered columns holds the expression's values.
  size_t gathered(const ExprPtr& expr);
  std::vector<ColumnPtr> columns_in_order(std::vector<std::unique_ptr<Local>>& locals,
                                          const EvalContext& context) const;
  std::vector<ColumnPtr> columns_by_range(std::vector<std::unique_ptr<Local>>& locals,
                                          const EvalContext& context) const;

  const plan::Join& join_;
  JoinColumns columns_;
  Schema gathered_;                // the kept columns, then computed ones
  std::vector<ExprPtr> computed_;  // keys and the range's values that are no kept columns
  std::vector<size_t> keys_;       // by key: which of the gathered columns
  size_t range_ = 0;               // likewise, of the join's range
  std::shared_ptr<Build> build_;
};

}  // namespace lanewise::ops
