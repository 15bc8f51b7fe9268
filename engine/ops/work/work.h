#pragma once

#include <vector>

#include "expr/expr.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::expr {
class PreparedPattern;
}  // namespace lanewise::expr

namespace lanewise::ops {

/// The work of a pipeline, independent of the processor and the machine.
struct Work {
  /// In one build side.
  struct Lookups {
    double words;  ///< of keys, and of the columns that are taken from it
    double rows;   ///< of the build side
  };

  double rows = 0;      ///< rows read
  double scanned = 0;   ///< bytes of columns read
  double computed = 0;  ///< expr::cost() of expressions, times the rows that they are evaluated for
  double searched = 0;  ///< bytes of text searched for one literal
  double walked = 0;    ///< bytes of text matched by automata
  double grouped = 0;   ///< words of keys
  double groups = 0;
  double sorted = 0;  ///< words of keys
  double built = 0;   ///< words of keys, and columns that a build side keeps
  std::vector<Lookups> lookups = {};
  double result_rows = 0;  ///< rows returned
  double result_bytes = 0;
  double missing = 0;     ///< bytes of columns that are not in GPU memory
  double fetched = 0;     ///< bytes of columns that are only in GPU memory
  double host_share = 1;  ///< fraction of the rows that the host must read: without zones that bounds
                          ///< exclude, and without rows after a LIMIT
};

/// Defaults for what is not known.
inline constexpr double kPasses = 0.2;      ///< fraction of rows that pass a predicate, as in DuckDB
inline constexpr double kUsualText = 32;    ///< bytes
inline constexpr double kRowsOfGroup = 10;  ///< rows per group

/// Bytes of a value, or of a row with these columns, if none has been read.
double usual_bytes(Type type);
double usual_bytes(const Schema& schema);
/// Words of a value of a key.
double words(Type type);

/// The input of a branch.
struct InputSize {
  double rows = 0;
  double fixed = 0;    ///< bytes of numbers, offsets and codes
  double text = 0;     ///< average bytes of one string
  double missing = 0;  ///< bytes that the GPU does not have
  double fetched = 0;  ///< bytes that only the GPU has
  double skipped = 0;  ///< rows that bounds exclude
};

/// The rows of a branch on their way to the sink.
class BranchWork {
 public:
  /// Adds the reading of the input.
  BranchWork(const InputSize& size, Work& work);

  double rows() const { return rows_; }
  /// Adds expressions that are evaluated for each row; null ones are none.
  void evaluate(const std::vector<ExprPtr>& exprs);
  /// Adds predicates, which leave fewer rows.
  void narrow(const std::vector<ExprPtr>& predicates);
  /// Adds a lookup for each row, of so many words, in a build side.
  void look_up(double words, double build_rows);
  /// Each row becomes so many.
  void multiply(double factor) { rows_ *= factor; }

 private:
  void evaluate(const Expr& expr);
  void match(const expr::PreparedPattern& prepared);

  Work& work_;
  const double all_;
  double rows_;
  const double text_;
};

/// How many groups the sink's rows have.
double groups_of(const plan::Node& sink, double rows);
/// Adds the grouping of the sink's rows, whose keys have so many words each.
void add_groups(Work& work, const plan::Node& sink, double rows, double words_of_row);
/// How many of the rows pass LIMIT and OFFSET; a negative `limit`: there is none.
double limited(double rows, int64_t limit, int64_t offset);

}  // namespace lanewise::ops
