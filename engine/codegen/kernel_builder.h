#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/column_form.h"
#include "codegen/job_layout.h"
#include "codegen/kernel_text.h"
#include "codegen/program.h"
#include "codegen/sections.h"
#include "codegen/sink_form.h"
#include "codegen/strategy.h"
#include "expr/codegen/emitter.h"

namespace lanewise::codegen {

/// The common parts of the kernels of one section of a program: names and access for the columns, matches,
/// rows of probes and constants that expressions read. Operators use it to write their kernels.
class KernelBuilder {
 public:
  /// kGroup: values were loaded for a group of rows; kRow: they are loaded row by row; kBuild: as kRow, from
  /// rows of a build side.
  enum class Access { kGroup, kRow, kBuild };

  /// `forms[i]` is the form of the program's column `columns[i]`. The program must outlive the builder.
  /// Throws expr::NotOnDevice.
  KernelBuilder(const Program& program, const SinkForm& sink, std::vector<size_t> columns,
                std::vector<ColumnForm> forms, const Strategy& strategy = {}, size_t section = 0);

  const Program& program() const { return program_; }
  const SinkForm& sink() const { return sink_; }
  const Strategy& strategy() const { return strategy_; }
  const Section& section() const { return section_; }
  /// Whether the section is the last one: its rows go to the sink.
  bool is_last() const { return section_.end == program_.stages.size(); }
  /// The first stage of the kernel that feeds the sink. Rows that its probes find stay in its lanes.
  size_t first_of_last() const { return first_of_last_; }

  const std::vector<ColumnForm>& forms() const { return forms_; }
  size_t place_of(size_t column) const;
  /// The places of the columns that the expressions read.
  std::vector<size_t> places_of(const std::vector<ExprPtr>& exprs) const;
  /// The order of all columns in the Job of the stage's filter: those that it reads come first, so that its
  /// kernel does not depend on the rest of the query.
  std::vector<size_t> filter_order(size_t stage) const;
  /// The same builder with the columns in this order.
  KernelBuilder ordered(const std::vector<size_t>& order) const;

  /// All matches of all stages, in the order of their words in a Job.
  const std::vector<Match>& matches() const { return matches_; }
  size_t place_of(const Match& match) const;
  /// Whether the match is tested on a dictionary's entries, instead of rows.
  bool matches_entries(const Match& match) const { return forms_[place_of(match.column)].dictionary; }
  /// Whether the match is tested on the input's rows.
  bool matches_rows(const Match& match) const {
    return !matches_entries(match) && !forms_[place_of(match.column)].probe;
  }
  /// Whether all rows reach the first stage that tests the match.
  bool sees_all_rows(const Match& match) const;

  const JobLayout& layout() const { return layout_; }
  /// The number of comparisons' constants; they are arguments, so that kernels do not depend on their values.
  size_t constants() const { return constants_.size(); }
  void set_constants(kernel::Job& job) const;
  void set_column(kernel::Job& job, size_t place, const DeviceColumn& column) const;

  /// The beginning of a source, with `header` added.
  std::string begin(std::string_view header) const;
  /// The beginning of sources that run these stages.
  std::string head_of(StageRange stages) const;
  /// Writes the stage's code for one `row`: its predicates and its end narrow `keep`.
  void take_row(expr::Emitter& out, size_t stage) const;
  /// An emitter of expressions; the places in `late` are loaded by row even with Access::kGroup.
  expr::Emitter emitter(Access access, const std::set<size_t>& late = {}) const;
  /// Declares pointers for all that the expressions read: c values, o offsets, k validity, e entries' bytes,
  /// m matches, r rows that probes found, p constants.
  void pointers(expr::Emitter& out, const std::vector<ExprPtr>& read) const;
  expr::Emitted column(size_t place, Access access) const;
  expr::DeviceTraits traits(const Expr& expr) const;
  /// Whether the expression can be NULL in the last stage's rows.
  bool may_be_null(const ExprPtr& expr) const { return expr != nullptr && traits(*expr).may_be_null; }
  /// Throws expr::NotOnDevice if devices do not support an expression of the program.
  void check() const;
  /// Whether only the kernel that finds a probe's row uses it.
  bool stays_in_lane(size_t probe) const;
  /// Writes a condition with `emit` in a loop over the rows of a probe's run; the current row is `match`.
  expr::Emitted look_at(size_t probe, const std::function<expr::Emitted()>& emit) const;

  // Lines of a kernel's code.
  static std::string heap_declaration();
  static std::string note_fault();
  /// Narrows `keep` by the stage's predicates; each is evaluated only if all earlier ones hold.
  static void try_predicates(expr::Emitter& out, const Stage& stage);
  /// Adds the kernel in `out`.
  static void add(KernelText& to, const std::string& name, expr::Emitter& out);

 private:
  void find_constants(const Expr& expr);
  size_t place_of_constant(const Expr& literal) const;
  size_t find_first_of_last() const;
  expr::Emitted leaf(const Expr& expr, Access access) const;
  expr::Emitted found_column(size_t place) const;
  bool is_mark(size_t place) const;
  std::string found_row(size_t probe) const;
  bool may_miss(size_t probe) const;

  const Program& program_;
  const SinkForm sink_;
  std::vector<size_t> columns_;
  std::vector<ColumnForm> forms_;
  const Strategy strategy_;
  const Section section_;
  const std::vector<Match> matches_;
  const JobLayout layout_;
  std::vector<const Expr*> constants_;
  const bool first_pairs_;  // the previous section has the input's rows
  const size_t first_of_last_;
  mutable std::optional<size_t> looks_at_;  // see look_at()
};

}  // namespace lanewise::codegen
