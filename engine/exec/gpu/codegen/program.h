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

namespace lanewise::exec {

/// Rows of a string column that an automaton accepts, for one or several calls.
struct Match {
  size_t column;
  const expr::PreparedPattern* pattern;
  friend bool operator==(const Match&, const Match&) = default;
};
/// What an expr::is_match() call tests.
Match match_of(const Expr& call);

/// A join, whose rows find rows of its build side. Their columns are columns of the program, too: those that
/// the build side keeps, then its keys.
struct Probe {
  const plan::Join* join;
  size_t result;  ///< the pipeline that gives the build side
  std::vector<ExprPtr> keys;
  ExprPtr condition;                 ///< that a row of the build side must fulfil to be found; may be null
  size_t first_column;               ///< of these, among the program's
  size_t kept;                       ///< columns before the keys
  bool expands = false;              ///< it may find several rows
  bool takes_one = false;            ///< kSingle: of several rows the first, unless they are an error
  bool finds_value = false;          ///< instead of a row: that of the only column that is kept
  std::optional<size_t> stage = {};  ///< that ends with it

  size_t key_column(size_t key) const { return first_column + kept + key; }
  /// For kMark: whether a row was found.
  size_t mark_column() const { return key_column(keys.size()); }
  size_t end_column() const { return mark_column() + is_mark(); }
  bool is_mark() const { return join->kind == plan::JoinKind::kMark; }
  /// Whether pairs of rows come out, and not only rows that have a match.
  bool gives_pairs() const;
  /// Whether the build side's rows come out for themselves, later: those that were found are marked.
  bool marks_rows() const;
  /// Whether the row that was found is noted.
  bool keeps_row() const { return gives_pairs() || is_mark(); }
};

class KernelBuilder;
struct Program;

/// A step that is more than an expression: the end of a stage.
class StageEnd {
 public:
  virtual ~StageEnd() = default;
  /// The expressions that it reads.
  virtual std::vector<ExprPtr> reads(const Program& program) const = 0;
  /// What sources begin with that run it.
  virtual std::string head(const KernelBuilder& builder) const = 0;
  /// Writes what becomes of one `row`: it narrows `keep`.
  virtual void take_row(expr::Emitter& out, const KernelBuilder& builder) const = 0;
};

/// What one kernel decides, with what automata must have found out before it.
struct Stage {
  std::vector<Match> matches;
  std::vector<ExprPtr> predicates;                ///< in the order in which they are tried
  std::shared_ptr<const StageEnd> end = nullptr;  ///< takes the rows that they leave; may be null

  bool keeps_all_rows() const { return predicates.empty() && end == nullptr; }
};

/// Stages [first, end).
struct StageRange {
  size_t first = 0, end = 0;
};

/// A branch of a pipeline as a function of its input's rows: all steps between are put into the expressions.
struct Program {
  std::vector<Stage> stages;     ///< each sees the rows that those before left; at least one
  std::vector<ExprPtr> outputs;  ///< of the rows that the last one leaves, what comes to the sink
  std::vector<Probe> probes = {};
  std::vector<Type> types = {};  ///< of its columns: the input's, then those that the probes find

  /// The probe that finds the column; none: it is the input's.
  std::optional<size_t> probe_of(size_t column) const;
  /// The probe at the end of the stage.
  std::optional<size_t> probe_at(size_t stage) const;
  /// All expressions of a stage, those that its end reads among them.
  std::vector<ExprPtr> read_by(const Stage& stage) const;
  std::vector<ExprPtr> read_by(StageRange range) const;
};

/// A program of nothing but a probe's keys, which are its columns: those of a build side.
Program program_of_keys(const plan::Join& join);

/// The columns that the program reads, each once: those of the outputs first, in their order, since
/// sources know columns by their places.
std::vector<size_t> columns_of(const Program& program);

}  // namespace lanewise::exec
