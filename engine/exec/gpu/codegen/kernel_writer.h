#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "data/gpu/device_column.h"
#include "exec/gpu/codegen/device_sink.h"
#include "exec/gpu/codegen/program.h"
#include "exec/gpu/groups/slot_layout.h"
#include "exec/gpu/join/join_table.h"
#include "exec/gpu/match/match.h"
#include "exec/gpu/sort/sort_words.h"
#include "expr/gpu/emitter.h"
#include "gpu/modules/compiler.h"

namespace lanewise::exec {

/// How a column lies in a device's memory, as far as sources depend on it.
struct ColumnForm {
  Type type;
  bool nullable = false;
  bool dictionary = false;
  bool wide_offsets = false;         ///< of a dictionary's entries, if it is one
  bool short_texts = false;          ///< each fits into a ShortKey (keys-inl.h)
  std::optional<size_t> probe = {};  ///< the one that finds the row to be read; none: it is the input's
};

ColumnForm form_of(const DeviceColumn& column, std::optional<size_t> probe = {});

/// Kernels that are compiled together, in parallel with others.
struct KernelText {
  std::string head;  ///< what they are written with
  std::vector<std::string> names;
  std::string body;
  std::set<std::string> making_texts = {};  ///< names of those that need Job::kHeap
  std::string entry = {};                   ///< the only one's name in the source, where it is another
  std::string text() const { return head + body; }
};

/// Writes the kernels of a program over columns of given forms: one for each stage, of which the last one
/// feeds aggregates or groups, or writes a bitmap for project(); automata run between them.
///
///   filter_N     stage N: Job::kActive -> Job::kOut, both bitmaps
///   aggregate    stages from first_of_last() on, their rows into a State for each block at Job::kOut; where
///                uses_pairs(), the last stage, the rows of the section before and what they found; after it
///                aggregate_queue, of Job::kQueue
///   group        the last stage, its rows into the table of Slots at Job::kOut
///   mark_groups  the table's slots that are used -> Job::kActive, a bitmap
///   spread       rows of a list, or all: their parts of that table -> Job::kOut, Records -> Job::kRecords
///   group_parts  Job::kRecords, sorted by parts, into the table of Slots at Job::kOut
///   make_slots   rows of a list, or all: their Slots -> Job::kRecords
///   sort_word_N  the N-th of sort_words() for the rows of a list -> Job::kOut
///   sort_size_N  the longest string of sort key N in those rows -> Job::kOut, u32; bits of Job::kActive at
///                the places of those longer than Job::kDepth bytes are set
///   match_N      the N-th of matches(): a MatchJob, or a CountedMatchJob, or a NeedleJob
///   project      the outputs for the rows of a list; the groups of a list of slots
/// Those of pairs-inl.h are not among them. Each section of the program has a writer of its own.
class KernelWriter {
 public:
  /// `forms[i]` is the form of the program's column `columns[i]`. The references outlive it. Throws
  /// expr::NotOnDevice.
  KernelWriter(const Program& program, const DeviceSink& sink, std::vector<size_t> columns,
               std::vector<ColumnForm> forms, const Strategy& strategy = {}, size_t section = 0);

  /// All but parts(). What takes long to compile stands alone.
  std::vector<KernelText> texts() const;
  /// For a program that is a build side's keys. `bound` finds the bounds of keys that are numbers. `fill`
  /// puts rows into the lookup of probe 0, `fill_values` values of Job::kDepth bytes at Job::kRecords
  /// instead, and `place_rows` puts MovedColumns into the order of numbers as well. They note what they saw
  /// in the KeyBounds at Job::kOut. `count_runs` counts the rows of each run there, and notes in the probe's
  /// rows which row stands for each.
  KernelText lookup_text() const;
  /// `count_parts` adds the rows of each part of the lookup, of 2^Job::kShift places, to the counts at
  /// Job::kOut; `start_parts` makes them sums of those before, and that of all; `split_rows` moves rows
  /// there, also given MovedColumns. Of the rows that come to the last kernel, where there are
  /// split_places().
  KernelText split_text() const;
  /// The same of the rows of a program that is a build side's keys.
  KernelText split_build_text() const;
  /// The places of the columns that go with rows that are split before the last kernel.
  const std::optional<std::vector<size_t>>& split_places() const { return split_places_; }
  /// Whether the probe's keys are one integer of up to 64 bits.
  bool finds_numbers(size_t probe) const;
  /// Whether all of them is in the lookup: one integer of up to 32 bits.
  bool has_exact_keys(size_t probe) const;
  /// Whether the last stage's rows can have a NULL there.
  bool may_be_null(const ExprPtr& expr) const;
  /// The first stage of the kernel that feeds the sink. The rows that probes find in it stay in its lanes.
  size_t first_of_last() const { return first_of_last_; }
  /// Whether the section's pairs are made where they are used, and nowhere else.
  bool uses_pairs() const { return paired_.has_value(); }
  /// What groups rows by parts, and the last stage's filter if it has one; where record_bytes() is not 0.
  std::vector<KernelText> parts() const;
  /// The bytes that a row brings to its group, if that is no more than 16 bytes in which nothing points at
  /// strings or identifies the row itself: 4, 8 or 16. Else 0: rows are not grouped by parts.
  size_t record_bytes() const;
  /// What is soon compiled and does, with put_slots_kernel(), what `group` does, and the last stage's filter
  /// if it has one. Empty where slots() has no shape.
  std::vector<KernelText> slot_texts() const;

  /// All matches of all stages, in their order: their places in a Job.
  const std::vector<Match>& matches() const { return matches_; }
  size_t place_of(const Match& match) const;
  MatchKind kind(const Match& match) const;
  kernel::Asked asked(const Match& match) const;
  /// Whether its kernel counts what lanes do.
  bool counted(const Match& match) const { return strategy_.occupancy && is_automaton(kind(match)); }
  /// Names of kernels.
  std::string match_kernel(const Match& match) const;
  static std::string filter_kernel(size_t stage);
  /// Places of all columns as the stage's filter has them in its Job: those first that it reads, so that its
  /// kernel is the same whatever else the query reads.
  std::vector<size_t> filter_order(size_t stage) const;
  /// Whether the match is tested on a dictionary's entries, instead of rows.
  bool matches_entries(const Match& match) const { return forms_[place_of(match.column)].dictionary; }
  /// Whether it is tested on the input's rows.
  bool matches_rows(const Match& match) const {
    return !matches_entries(match) && !forms_[place_of(match.column)].probe;
  }
  /// Where the words of a Job lie that belong to a column (its place among `columns`), a match, an output.
  size_t column_word(size_t place) const { return kFirstWord + place * kColumnWords; }
  size_t match_word(size_t place) const { return column_word(columns_.size()) + place; }
  /// For a probe, whose words are ProbeWords. After the last one: the input's rows.
  size_t probe_word(size_t probe) const { return match_word(matches_.size()) + kProbeWords * probe; }
  size_t output_word(size_t place) const {
    return probe_word(program_.probes.empty() ? 0 : program_.probes.size() + 1) + 2 * place;
  }
  /// Constants of comparisons: kernels are the same for each. From the end, so that a filter's kernel is the
  /// same whatever else the query reads.
  size_t constant_word(size_t place) const {
    return (is_wide() ? kernel::kMostJobWords : kernel::kJobWords) - 1 - place;
  }
  size_t constants() const { return constants_.size(); }
  size_t words() const { return output_word(outputs()) + constants_.size(); }
  bool is_wide() const { return words() > kernel::kJobWords; }
  void set_constants(kernel::Job& job) const;
  void set_column(kernel::Job& job, size_t place, const DeviceColumn& column) const;
  void set_table(kernel::Job& job, size_t probe, const JoinTable& table) const;
  /// How groups lie in memory; the sink groups rows.
  const SlotLayout& slots() const { return *slots_; }
  /// What a sort compares, most significant first; the sink sorts.
  const std::vector<SortWord>& sort_words() const { return sort_words_; }
  static std::string sort_word_kernel(size_t word);
  static std::string sort_size_kernel(size_t key);

  // What a Job's words are; constants are the last ones. A column has its values (strings: bytes;
  // dictionaries: codes), offsets, validity and a dictionary's bytes; an output values and validity.
  enum Word : size_t {
    kRows,
    kActive,
    kOut,
    kFault,
    kFirstRow,
    kList,
    kSlots,   // of a table of groups
    kProbes,  // of which so many are looked at for a key
    kEvents,  // a GroupOutcome
    kDepth,   // bytes of a string that a sort passes over
    kRecords,
    kShift,  // see part_of()
    kFrom,   // the first row, where there is no list
    kHeap,   // memory for strings that the kernel makes
    kHeapBytes,
    kFirstWord,
    kQueue = kSlots,  // a PairQueue, where there are no groups; its room; pairs of a row that finds no match
    kRoom,
    kLeast
  };
  static constexpr size_t kColumnWords = 4;
  /// The rows that a probe finds, and its JoinTable. A mark join finds kMissOf where there is no row, and
  /// kNullKeyOf for a NULL.
  enum ProbeWord : size_t {
    kFound,
    kLookupOf,  ///< the words of a kernel::Lookup
    kRunsOf = kLookupOf + 4,
    kOrderOf,
    kMarksOf,
    kMissOf,
    kNullKeyOf,
    kProbeWords
  };

 private:
  /// Values are there for groups of rows, or are loaded by row; kBuild: the rows are those of a build side.
  enum class Access { kGroup, kRow, kBuild };
  using Write = std::function<void(expr::Emitter&)>;
  /// What a kernel over rows does apart from trying predicates and finding rows.
  struct RowKernel {
    std::string name;
    Section stages;
    std::string bounds = "kThreads";  ///< of __launch_bounds__
    std::vector<ExprPtr> read = {};   ///< in addition to the predicates
    std::string before = {};          ///< the rows: a statement
    std::string goes_on = {};         ///< a condition, before each group of rows
    Write sink = [](expr::Emitter&) {};
    std::string after_word = {};  ///< for each word of rows
    std::string end = {};
    bool keeps_texts = false;  ///< of one row when it takes the next one
    bool rolled = false;       ///< words one after the other by the same code, as where is_long()
  };

  void find_constants(const Expr& expr);
  size_t place_of_constant(const Expr& literal) const;
  expr::Emitter emitter(Access access, const std::set<size_t>& late = {}) const;
  static void add(KernelText& to, const std::string& name, expr::Emitter& out);
  static std::string heap_declaration();
  size_t outputs() const;
  std::string begin(std::string_view header) const;
  bool sees_all_rows(const Match& match) const;
  void match_kernels(std::vector<KernelText>& texts) const;
  bool is_long(const RowKernel& kernel) const;
  static void try_predicates(expr::Emitter& out, const Stage& stage);
  void row_kernel(std::vector<KernelText>& texts, const std::string& head, const RowKernel& kernel) const;
  bool is_last() const { return section_.end == program_.stages.size(); }
  void narrowing(std::vector<KernelText>& texts, size_t end) const;
  void filter(std::vector<KernelText>& texts, size_t stage) const;
  void aggregation(std::vector<KernelText>& texts) const;
  void pair_kernels(std::vector<KernelText>& texts, const std::string& head, const Write& sink,
                    const std::string& end) const;
  size_t find_first_of_last() const;
  std::optional<size_t> find_paired(size_t section) const;
  bool counts_bits() const;
  void counting(std::vector<KernelText>& texts, const std::string& head, const std::string& end) const;
  void projection(std::vector<KernelText>& texts) const;
  void project_kernel(KernelText& to, const std::vector<ExprPtr>& read, const std::vector<Type>& types,
                      const std::string& begin,
                      const std::function<expr::Emitted(expr::Emitter&, size_t)>& output) const;

  // join_kernels.cc
  std::string probe_head(Section stages) const;
  std::string keys_text(size_t probe) const;
  std::string set_keys(expr::Emitter& out, size_t probe, const std::vector<expr::Emitted>& values) const;
  void build_kernel(KernelText& to, const std::string& name, const std::string& before,
                    const std::string& each, const std::string& after,
                    const std::string& parameters = "") const;
  void define_lookup(expr::Emitter& out, size_t probe) const;
  bool needs_match(size_t probe) const;
  void find_row(expr::Emitter& out, size_t probe) const;
  void look_at_run(expr::Emitter& out, size_t probe) const;
  std::vector<expr::Emitted> build_keys(size_t probe) const;
  void define_held(expr::Emitter& out, size_t probe) const;

  std::vector<ExprPtr> build_columns() const;

  // split_kernels.cc
  void split_kernels(KernelText& to, size_t probe, const std::vector<ExprPtr>& read, Access access,
                     const Write& part) const;
  std::string split_head(size_t probe) const;
  std::optional<std::vector<size_t>> find_split() const;

  // sort_kernels.cc
  void sort_kernels(KernelText& to) const;
  void list_kernel(KernelText& to, const std::string& name, const std::vector<ExprPtr>& read,
                   const std::string& before, const Write& each, const std::string& end,
                   const std::string& row = "list[i]", bool keeps_texts = false) const;
  void sort_word(expr::Emitter& out, const SortWord& word) const;

  // group_kernels.cc
  void grouping(std::vector<KernelText>& texts) const;
  std::string group_head() const;
  static std::string make_table();
  void put_row(expr::Emitter& out) const;
  void set_slot(expr::Emitter& out) const;
  static void set_key(expr::Emitter& out, size_t key, const expr::Emitted& value);
  void set_cells(expr::Emitter& out, const std::vector<expr::Emitted>& inputs) const;
  expr::Emitted input_value(expr::Emitter& out, size_t input) const;

  // part_kernels.cc
  /// A value of a Record: a key's, or an input's.
  struct RecordField {
    bool is_key;
    size_t number;      // among keys, or inputs
    const Expr* value;  // null: only whether it is there
    bool may_be_null;
    std::string name() const;
    size_t bytes() const;
  };
  std::vector<RecordField> record_fields() const;
  std::string record_text() const;
  void spread_row(expr::Emitter& out) const;
  void put_record(expr::Emitter& out) const;

  void pointers(expr::Emitter& out, const std::vector<ExprPtr>& read) const;
  expr::Emitted leaf(const Expr& expr, Access access) const;
  expr::Emitted column(size_t place, Access access) const;
  expr::Emitted found_column(size_t place) const;
  std::string found_row(size_t probe) const;
  bool stays_in_lane(size_t probe) const;
  bool may_miss(size_t probe) const;
  size_t place_of(size_t column) const;
  std::vector<size_t> places_of(const std::vector<ExprPtr>& exprs) const;

  const Program& program_;
  const DeviceSink& sink_;
  std::vector<size_t> columns_;
  std::vector<ColumnForm> forms_;
  const Strategy strategy_;
  const Section section_;
  std::vector<Match> matches_;
  std::vector<const Expr*> constants_;
  const bool first_pairs_;  // the section before is that of the input's rows
  const size_t first_of_last_;
  std::optional<std::vector<size_t>> split_places_;
  std::optional<size_t> paired_;  // the probe whose pairs are made where they are used
  mutable std::optional<size_t>
      looks_at_;  // while a condition is written: the probe whose run's rows are looked at one by one
  std::optional<SlotLayout> slots_;
  std::vector<SortWord> sort_words_;
};

/// The kernel of all patterns of a kind; queries call it `name`.
KernelText match_text(const std::string& name, MatchKind kind, bool wide_offsets, kernel::Asked asked,
                      bool counted = false);
/// The text of the kernels that are the same for all queries.
std::string list_kernels();
/// That of the kernel that puts Slots of any query into a table.
std::string put_slots_kernel();
/// The text as NVRTC is to compile it: with 128-bit integers, and with rounding as on the host.
gpu::KernelSource kernel_source(std::string text);

}  // namespace lanewise::exec
