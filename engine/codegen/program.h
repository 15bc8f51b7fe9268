#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expr/expr.h"
#include "expr/patterns/prepared_pattern.h"
#include "plan/node.h"

namespace lanewise::expr {
class Emitter;
}  // namespace lanewise::expr

namespace lanewise::codegen {

/// A test of a string column's rows by an automaton; several calls may share it.
struct Match {
  size_t column;
  const expr::PreparedPattern* pattern;
  friend bool operator==(const Match&, const Match&) = default;
};
/// The test of an expr::is_match() call.
Match match_of(const Expr& call);

/// The probe side of a join: each row looks for rows of the build side. The build side's columns are columns
/// of the program, too: those that it keeps, then its keys.
struct Probe {
  const plan::Join* join;
  size_t result;  ///< the pipeline that computes the build side
  std::vector<ExprPtr> keys;
  ExprPtr condition;                 ///< must hold for a pair of rows to match; may be null
  size_t first_column;               ///< the build side's first column among the program's
  size_t kept;                       ///< number of columns before the keys
  bool expands = false;              ///< it may find several rows
  bool takes_one = false;            ///< kSingle: takes the first of several rows, unless they are an error
  bool finds_value = false;          ///< finds a value of the only kept column instead of a row
  std::optional<size_t> stage = {};  ///< the stage that ends with this probe
  ExprPtr unknown = nullptr;         ///< kMark: where it is NULL for a pair, a mark that is not true is NULL

  size_t key_column(size_t key) const { return first_column + kept + key; }
  /// For kMark: whether a row was found.
  size_t mark_column() const { return key_column(keys.size()); }
  size_t end_column() const { return mark_column() + is_mark(); }
  bool is_mark() const { return join->kind == plan::JoinKind::kMark; }
  /// Whether the result has pairs of rows, and not only rows that have a match.
  bool gives_pairs() const;
  /// Whether the join outputs rows of the build side afterwards; so rows that were found are marked.
  bool marks_rows() const;
  /// Whether the row that was found is stored.
  bool keeps_row() const { return gives_pairs() || is_mark(); }
};

class KernelBuilder;
struct Program;

/// The end of a stage: a step that is not an expression, such as a probe.
class StageEnd {
 public:
  virtual ~StageEnd() = default;
  /// The expressions that the step reads.
  virtual std::vector<ExprPtr> reads(const Program& program) const = 0;
  /// The beginning of sources that run the step.
  virtual std::string head(const KernelBuilder& builder) const = 0;
  /// Writes the step's code for one `row`, which narrows `keep`.
  virtual void take_row(expr::Emitter& out, const KernelBuilder& builder) const = 0;
};

/// Predicates of one kernel, and the matches it needs first.
struct Stage {
  std::vector<Match> matches;
  std::vector<ExprPtr> predicates;                ///< in the order in which they are tried
  std::shared_ptr<const StageEnd> end = nullptr;  ///< takes the rows that pass; may be null

  bool keeps_all_rows() const { return predicates.empty() && end == nullptr; }
};

/// Stages [first, end).
struct StageRange {
  size_t first = 0, end = 0;
};

/// A branch of a pipeline as a function of its input's rows; intermediate steps are inlined into expressions.
struct Program {
  std::vector<Stage> stages;     ///< at least one; each sees the rows that pass the stages before
  std::vector<ExprPtr> outputs;  ///< the sink's columns, for rows that pass the last stage
  std::vector<Probe> probes = {};
  std::vector<Type> types = {};  ///< of the program's columns: the input's, then those of probes' build sides

  /// The probe whose build side has the column; none: it is a column of the input.
  std::optional<size_t> probe_of(size_t column) const;
  /// The probe at the end of the stage.
  std::optional<size_t> probe_at(size_t stage) const;
  /// All expressions of a stage, including those that its end reads.
  std::vector<ExprPtr> read_by(const Stage& stage) const;
  std::vector<ExprPtr> read_by(StageRange range) const;
};

/// A program that only computes a join's keys; its columns are the build side's keys.
Program program_of_keys(const plan::Join& join);

/// The columns that the program reads, each once. Those of the outputs come first, in their order, as sources
/// identify columns by place.
std::vector<size_t> columns_of(const Program& program);

}  // namespace lanewise::codegen
