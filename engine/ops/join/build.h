#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "ops/join/lookup.h"
#include "ops/sink.h"
#include "plan/node.h"

namespace lanewise::ops {

/// The columns of its right child (the build side) that a join keeps, and their use.
struct JoinColumns {
  /// `of_left` and `of_right` are the columns of the children.
  JoinColumns(const plan::Join& join, const Schema& of_left, const Schema& of_right);

  std::vector<size_t> kept;   ///< kept columns of the right child, ascending
  std::vector<size_t> right;  ///< for the output's columns of the right child: index among the kept ones
  ExprPtr condition;          ///< over the left child's columns, then the kept ones; may be null
};

/// The complete build side of a join. Shared by threads.
struct Build {
  uint32_t rows = 0;
  std::vector<ColumnPtr> columns;       ///< the kept ones
  std::vector<ColumnPtr> keys;          ///< values of the keys
  std::vector<bool> finds_nulls;        ///< for each key: NULLs are equal, and there are some
  std::unique_ptr<Lookup> lookup;       ///< null: there are no keys, so every row is a candidate
  bool in_order = false;                ///< the lookup's places are row numbers though keys repeat
  ColumnPtr range;                      ///< values of the join's range, ascending, NULLs last; may be null
  std::vector<uint32_t> rows_of_nulls;  ///< kMark: rows with a NULL in a key compared with =
  /// 1 for each row that has a match, if the join needs it; else null.
  std::unique_ptr<std::atomic<uint8_t>[]> matched;

  bool unique() const { return lookup != nullptr && lookup->unique(); }
  uint32_t row(uint32_t place) const { return lookup == nullptr ? place : lookup->row(place); }
  /// A rough time per lookup, in the unit of expr::cost().
  double lookup_time() const;
  /// "300 rows, array by 599 numbers, 2.3 KiB: their range is narrow"; empty without keys.
  std::string describe() const;
};

/// How gathered rows are turned into a build side.
struct BuildForm {
  const plan::Join& join;    ///< outlives it
  size_t kept = 0;           ///< the first gathered columns are the kept ones, followed by computed ones
  std::vector<size_t> keys;  ///< for each key: index among the gathered columns
  size_t range = 0;          ///< likewise for the join's range
  LookupForm lookup = LookupForm::automatic;  ///< forced, if the keys allow it: for tests

  /// Columns must have fewer than 2^32 - 1 rows.
  std::shared_ptr<Build> make(std::vector<ColumnPtr> columns, size_t rows, MemoryBudget* budget) const;
  std::shared_ptr<Build> make(const Table& rows, MemoryBudget* budget) const;
};

class BuildParts;

/// Gathers the rows of a join's right child.
class BuildSink : public Sink {
 public:
  /// `join` outlives the sink.
  BuildSink(const plan::Join& join, const Schema& left, const Schema& right);
  std::unique_ptr<Local> local() const override;
  void consume(Local& local, const Chunk& chunk, EvalContext& context) const override;
  /// Returns an empty table: the rows are in build() or, if they are larger than memory, in parts().
  Table finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) override;
  std::shared_ptr<const Build> build() const { return build_; }
  std::shared_ptr<BuildParts> parts() const { return parts_; }
  /// Forces this number of parts, if the join allows it: for tests.
  void force_parts(size_t parts) { forced_parts_ = parts; }
  /// Forces this lookup, if the keys allow it: for tests.
  void force_lookup(LookupForm lookup) { form_.lookup = lookup; }

 private:
  /// The index of the gathered column with the expression's values.
  size_t gathered(const ExprPtr& expr);
  std::vector<ColumnPtr> columns_by_range(std::vector<std::unique_ptr<Local>>& locals,
                                          const EvalContext& context) const;
  /// The number of parts into which the rows must be split; 1: no split.
  size_t parts_for(const std::vector<std::unique_ptr<Local>>& locals, const MemoryBudget* budget) const;
  std::vector<Table> in_parts(std::vector<std::unique_ptr<Local>>& locals, size_t parts,
                              const EvalContext& context) const;

  const plan::Join& join_;
  JoinColumns columns_;
  Schema gathered_;                // the kept columns, then computed ones
  std::vector<ExprPtr> computed_;  // keys and range values that are not kept columns
  BuildForm form_;
  size_t forced_parts_ = 0;
  std::shared_ptr<Build> build_;
  std::shared_ptr<BuildParts> parts_;
};

}  // namespace lanewise::ops
