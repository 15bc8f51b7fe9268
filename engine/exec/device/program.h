#pragma once

#include <memory>
#include <vector>

#include "exec/pipeline.h"
#include "expr/expr.h"
#include "expr/patterns/prepared_pattern.h"

namespace lanewise::exec {

struct DeviceSink;

/// Rows of a string column that an automaton accepts, asked by one or several calls.
struct Match {
  size_t column;
  const expr::PreparedPattern* pattern;
  friend bool operator==(const Match&, const Match&) = default;
};
/// What an expr::is_match() call asks.
Match match_of(const Expr& call);

/// What one kernel decides, with what automata must have found out before it.
struct Stage {
  std::vector<Match> matches;
  std::vector<ExprPtr> predicates;  ///< in the order in which they are tried
};

/// A branch of a pipeline as a function of its input's rows: all steps between are put into the expressions.
struct Program {
  std::vector<Stage> stages;     ///< each sees the rows that those before left; at least one
  std::vector<ExprPtr> outputs;  ///< of the rows that the last one leaves, what comes to the sink
};

/// `results` are those of earlier pipelines, which ScalarJoins read; they throw UserError where they have
/// more than one row. The outputs are the sink's expressions over the rows that come to it (null stays
/// null), or those rows themselves where it has none. Groups of plain columns have a stage of their own,
/// without predicates: its kernel, long to compile, is the same whatever is filtered, and may be compiled
/// ahead. So have other aggregates of plain columns where what filters is long itself. Throws
/// expr::NotOnDevice that names the pattern which cannot be matched.
Program make_program(const Branch& branch, const DeviceSink& sink, const std::vector<Table>& results);

/// The input's columns that the program reads, each once: those of the outputs first, in their order, since
/// sources know columns by their places.
std::vector<size_t> columns_of(const Program& program);

}  // namespace lanewise::exec
