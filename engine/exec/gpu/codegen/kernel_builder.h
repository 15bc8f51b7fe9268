#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "exec/gpu/codegen/column_form.h"
#include "exec/gpu/codegen/job_layout.h"
#include "exec/gpu/codegen/kernel_text.h"
#include "exec/gpu/codegen/program.h"
#include "exec/gpu/codegen/sections.h"
#include "exec/gpu/codegen/sink_form.h"
#include "exec/pipeline/strategy.h"
#include "expr/codegen/emitter.h"

namespace lanewise::exec {

/// What the kernels of a section of a program have in common: names and access for the columns, matches, rows
/// of probes and constants that expressions read. Each operator writes its kernels with it.
class KernelBuilder {
 public:
  /// Values are there for groups of rows, or are loaded by row; kBuild: the rows are those of a build side.
  enum class Access { kGroup, kRow, kBuild };

  /// `forms[i]` is the form of the program's column `columns[i]`. The program outlives it. Throws
  /// expr::NotOnDevice.
  KernelBuilder(const Program& program, const SinkForm& sink, std::vector<size_t> columns,
                std::vector<ColumnForm> forms, const Strategy& strategy = {}, size_t section = 0);

  const Program& program() const { return program_; }
  const SinkForm& sink() const { return sink_; }
  const Strategy& strategy() const { return strategy_; }
  const Section& section() const { return section_; }
  /// Whether its rows come to the sink.
  bool is_last() const { return section_.end == program_.stages.size(); }
  /// The first stage of the kernel that feeds the sink. The rows that probes find in it stay in its lanes.
  size_t first_of_last() const { return first_of_last_; }

  const std::vector<ColumnForm>& forms() const { return forms_; }
  size_t place_of(size_t column) const;
  /// The places of the columns that the expressions read.
  std::vector<size_t> places_of(const std::vector<ExprPtr>& exprs) const;
  /// Places of all columns as the stage's filter has them in its Job: those first that it reads, so that its
  /// kernel is the same whatever else the query reads.
  std::vector<size_t> filter_order(size_t stage) const;
  /// The same with columns in this order.
  KernelBuilder ordered(const std::vector<size_t>& order) const;

  /// All matches of all stages, in their order: their places in a Job.
  const std::vector<Match>& matches() const { return matches_; }
  size_t place_of(const Match& match) const;
  /// Whether the match is tested on a dictionary's entries, instead of rows.
  bool matches_entries(const Match& match) const { return forms_[place_of(match.column)].dictionary; }
  /// Whether it is tested on the input's rows.
  bool matches_rows(const Match& match) const {
    return !matches_entries(match) && !forms_[place_of(match.column)].probe;
  }
  /// Whether nothing was left out before the stage that tests it first.
  bool sees_all_rows(const Match& match) const;

  const JobLayout& layout() const { return layout_; }
  /// Constants of comparisons: kernels are the same for each.
  size_t constants() const { return constants_.size(); }
  void set_constants(kernel::Job& job) const;
  void set_column(kernel::Job& job, size_t place, const DeviceColumn& column) const;

  /// What a source begins with; `header` is more of it.
  std::string begin(std::string_view header) const;
  /// What sources begin with that run the stages.
  std::string head_of(StageRange stages) const;
  /// Writes what the stage makes of one `row`: its predicates and its end narrow `keep`.
  void take_row(expr::Emitter& out, size_t stage) const;
  /// Expressions as source; `late` are places that are loaded by row all the same.
  expr::Emitter emitter(Access access, const std::set<size_t>& late = {}) const;
  /// Names for what the expressions read: c values, o offsets, k validity, e entries' bytes, m matches, r
  /// rows that probes found, p constants.
  void pointers(expr::Emitter& out, const std::vector<ExprPtr>& read) const;
  expr::Emitted column(size_t place, Access access) const;
  expr::DeviceTraits traits(const Expr& expr) const;
  /// Whether the last stage's rows can have a NULL there.
  bool may_be_null(const ExprPtr& expr) const { return expr != nullptr && traits(*expr).may_be_null; }
  /// Throws expr::NotOnDevice if devices do not support an expression of the program.
  void check() const;
  /// Whether the row that a probe found is used where it is found, and nowhere else.
  bool stays_in_lane(size_t probe) const;
  /// Writes a condition with `emit` where the rows of a probe's run are looked at one by one, each of them
  /// `match`.
  expr::Emitted look_at(size_t probe, const std::function<expr::Emitted()>& emit) const;

  // Lines of kernels.
  static std::string heap_declaration();
  static std::string note_fault();
  /// Narrows `keep` by the stage's predicates, each of them only where those before it hold.
  static void try_predicates(expr::Emitter& out, const Stage& stage);
  /// Adds the kernel that was written.
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
  const bool first_pairs_;  // the section before is that of the input's rows
  const size_t first_of_last_;
  mutable std::optional<size_t> looks_at_;  // see look_at()
};

}  // namespace lanewise::exec
