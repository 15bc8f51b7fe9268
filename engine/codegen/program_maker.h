#pragma once

#include <memory>
#include <vector>

#include "codegen/program.h"
#include "codegen/sink_form.h"

namespace lanewise::codegen {

/// Puts predicates into stages: a new one begins where an automaton is to see only rows that are left.
class Stages {
 public:
  void add(const ExprPtr& predicate);
  /// Automata that the next stage runs.
  void begin(const std::vector<Match>& matches);
  /// What follows sees only rows that are left.
  void end();
  /// The stage ends with this step, which tests `matches`. Returns its number.
  size_t end_with(std::shared_ptr<const StageEnd> step, const std::vector<Match>& matches);
  /// Whether the last one's predicates take long to compile.
  bool ends_long() const;
  std::vector<Stage> take() { return std::move(stages_); }

 private:
  std::vector<Stage> stages_ = std::vector<Stage>(1);
};

/// Makes the program of a branch, step by step: each step says what becomes of the rows. Expressions of steps
/// read the rows' columns, which are expressions over those of the program.
class ProgramMaker {
 public:
  // The program's columns:
  /// One that the rows do not have.
  void add_hidden(Type type) { program_.types.push_back(type); }
  /// One that is the rows' next column, too.
  void add_column(Type type);
  /// How many there are.
  size_t width() const { return program_.types.size(); }

  // The rows' columns:
  const std::vector<ExprPtr>& columns() const { return columns_; }
  void set_columns(std::vector<ExprPtr> columns) { columns_ = std::move(columns); }
  /// The expression over the program's columns.
  ExprPtr resolve(const ExprPtr& expr) const;

  // Steps:
  void filter(const std::vector<ExprPtr>& predicates);
  /// The same, of a predicate over the program's columns.
  void keep_if(const ExprPtr& predicate) { stages_.add(predicate); }
  void project(const std::vector<ExprPtr>& exprs);
  /// Raises the errors of all rows so far: later steps may drop rows, or compute values only for some.
  void raise_errors();
  /// Ends the stage by `end`, which looks for the rows' keys. `probe.keys` and `probe.condition` are over the
  /// program's columns.
  void probe(Probe probe, std::shared_ptr<const StageEnd> end);
  /// How many there are.
  size_t probes() const { return program_.probes.size(); }

  /// The program, whose outputs are the sink's expressions over the rows (null stays null), or the rows
  /// themselves if it has none. Groups of plain columns have a stage of their own, without predicates: its
  /// kernel, long to compile, is the same whatever is filtered, and may be compiled ahead. The same holds for
  /// other aggregates of plain columns if the filter is long itself. Throws expr::NotOnDevice that names the
  /// pattern which cannot be matched.
  Program finish(const SinkForm& sink);

 private:
  bool is_output(const SinkForm& sink, const ExprPtr& expr) const;

  Program program_;
  Stages stages_;
  std::vector<ExprPtr> columns_;
  std::vector<ExprPtr> unchecked_;  // of steps before; they may raise errors
  size_t compared_ = 0;             // comparisons that run as patterns
};

}  // namespace lanewise::codegen
