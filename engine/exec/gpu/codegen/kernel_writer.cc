#include "exec/gpu/codegen/kernel_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <set>

#include "base/error.h"
#include "exec/gpu/codegen/rows-inl.h"
#include "exec/gpu/groups/keys-inl.h"
#include "exec/gpu/join/join-inl.h"
#include "exec/gpu/join/join_table.h"
#include "exec/gpu/match/match.h"
#include "expr/function.h"

namespace lanewise::exec {

using expr::Emitted;
using expr::Emitter;

namespace {

/// The type of a column's values in memory.
std::string memory_type(const ColumnForm& form) {
  if (form.dictionary) return "u32";
  if (form.type.is_string() || form.type.id == TypeId::kBool) return "u8";
  return expr::device_type(form.type);
}

/// Whether a column's values (or codes) have a fixed width, so that a group's are loaded before they are
/// used.
bool is_fixed(const ColumnForm& form) { return form.dictionary || !form.type.is_string(); }

/// Words of 32 rows that a warp takes at a time: so many that enough bytes are on their way from memory, so
/// few that they fit into registers, and of wide rows, which are enough by themselves, one: it compiles
/// fastest.
int words_at_a_time(size_t bytes_of_a_row, bool is_long) {
  return bytes_of_a_row > 16 ? 1 : is_long || bytes_of_a_row > 4 ? 4 : 8;
}
/// For a kernel that keeps much else: registers are what it lacks.
int words_of_rolled(size_t bytes_of_a_row) { return bytes_of_a_row <= 16 ? 4 : bytes_of_a_row <= 32 ? 2 : 1; }
/// As many as a string counts for.
constexpr size_t kTextBytes = 20;

/// Calls whose constants need not be known to the compiler.
bool compares(const Expr& expr) {
  static const std::set<std::string_view> names = {"=", "<>", "<", "<=", ">", ">=", "BETWEEN"};
  return expr.kind == Expr::Kind::kCall && names.contains(expr.function->name);
}

/// Whether a word of a Job can be the constant.
bool fits_word(const Expr& expr) {
  return expr.kind == Expr::Kind::kLiteral && !expr.literal.is_null() && expr.type.id != TypeId::kBool &&
         !expr.type.is_string() && expr.type.id != TypeId::kInterval && width(expr.type.physical()) <= 8;
}

/// The constant as a Job holds it: floats as the bits of an f64.
uint64_t word_of(const Value& value) {
  if (value.type().is_float()) return std::bit_cast<uint64_t>(value.real());
  const auto* natural = std::get_if<uint128_t>(&value.held());
  return static_cast<uint64_t>(natural ? *natural : static_cast<uint128_t>(value.integer()));
}

}  // namespace

ColumnForm form_of(const DeviceColumn& column, std::optional<size_t> probe) {
  const DeviceColumn& texts = column.dictionary ? *column.dictionary : column;
  return {column.type,
          bool(column.validity),
          column.dictionary != nullptr,
          texts.wide_offsets,
          column.type.is_string() && texts.longest <= kernel::Key<kernel::Text>::kInside,
          probe};
}

KernelWriter::KernelWriter(const Program& program, const DeviceSink& sink, std::vector<size_t> columns,
                           std::vector<ColumnForm> forms, const Strategy& strategy, size_t section)
    : program_(program),
      sink_(sink),
      columns_(std::move(columns)),
      forms_(std::move(forms)),
      strategy_(strategy),
      section_(program.sections()[section]),
      first_pairs_(section == 1),
      first_of_last_(find_first_of_last()) {
  if (section > 0) {
    for (ColumnForm& form : forms_)
      if (!form.probe) form.probe = program.probes.size();  // by the input's row of a pair
  }
  for (size_t stage = section_.first; stage < section_.end; ++stage) {
    for (const Match& match : program.stages[stage].matches) {
      if (std::find(matches_.begin(), matches_.end(), match) == matches_.end()) matches_.push_back(match);
    }
  }
  if (words() > kernel::kMostJobWords)
    throw expr::NotOnDevice("so many columns and patterns in one query are not supported on GPUs");
  for (const Stage& stage : program.stages) {
    for (const ExprPtr& expr : program.read_by(stage)) find_constants(*expr);
  }
  for (const ExprPtr& output : program.outputs) {
    if (output != nullptr) find_constants(*output);
  }
  if (sink.groups) {
    std::vector<bool> may_be_null;  // by input
    for (size_t input = 0; input < sink.groups->inputs().size(); ++input)
      may_be_null.push_back(this->may_be_null(program.outputs[sink.input_pair(input)]));
    std::vector<KeyText> texts;  // by key
    for (size_t key = 0; key < sink.groups->keys().size(); ++key) {
      const Expr& expr = *program.outputs[DeviceSink::key_pair(key)];
      if (expr.kind != Expr::Kind::kColumn) {
        texts.push_back(KeyText::kMade);
      } else {
        texts.push_back(forms_[place_of(expr.column)].short_texts ? KeyText::kShort : KeyText::kColumn);
      }
    }
    slots_.emplace(*sink.groups, may_be_null, std::move(texts));
  }
  if (sink.sort != nullptr) {
    std::vector<bool> may_be_null;  // by key
    for (size_t key = 0; key < sink.sort->keys.size(); ++key)
      may_be_null.push_back(this->may_be_null(program.outputs[sink.sort_output(key)]));
    sort_words_ = exec::sort_words(sink.sort->keys, may_be_null);
  }
  paired_ = find_paired(section);
  split_places_ = find_split();
}

size_t KernelWriter::find_first_of_last() const {
  size_t first = program_.stages.size() - 1;
  if (!is_last() || !sink_.aggregates_rows) return first;
  while (first > section_.first && program_.stages[first].matches.empty() && program_.stages[first - 1].probe)
    --first;
  return first;
}

/// Whether the row that a probe found is used where it is found, and nowhere else.
bool KernelWriter::stays_in_lane(size_t probe) const {
  for (size_t stage = first_of_last_; stage + 1 < program_.stages.size(); ++stage)
    if (program_.stages[stage].probe == probe) return true;
  return false;
}

/// The probe whose pairs aggregates take as they are made: all that becomes of them, and no kernel before
/// needs to know them.
std::optional<size_t> KernelWriter::find_paired(size_t section) const {
  const bool alone = section > 0 && is_last() && section_.end - section_.first == 1;
  if (!alone || !sink_.aggregates_rows || strategy_.pairs == Strategy::Pairs::kWritten) return std::nullopt;
  const Stage& stage = program_.stages[section_.first];
  if (stage.probe) return std::nullopt;
  Emitter scratch = emitter(Access::kRow);
  for (const ExprPtr& predicate : stage.predicates) scratch.emit(*predicate);
  for (const ExprPtr& output : program_.outputs)
    if (output != nullptr) scratch.emit(*output);
  if (scratch.makes_texts()) return std::nullopt;
  return program_.stages[section_.first - 1].probe;
}

/// Those of comparisons, as far as a Job has words for them.
void KernelWriter::find_constants(const Expr& expr) {
  const size_t most = is_wide() ? kernel::kMostJobWords : kernel::kJobWords;
  walk(expr, [&](const Expr& part) {
    if (!compares(part)) return;
    for (const ExprPtr& arg : part.args) {
      if (fits_word(*arg) && place_of_constant(*arg) == constants_.size() && words() < most)
        constants_.push_back(arg.get());
    }
  });
}

size_t KernelWriter::place_of_constant(const Expr& literal) const {
  return static_cast<size_t>(std::find(constants_.begin(), constants_.end(), &literal) - constants_.begin());
}

void KernelWriter::set_constants(kernel::Job& job) const {
  for (size_t i = 0; i < constants_.size(); ++i)
    job.words[constant_word(i)] = word_of(constants_[i]->literal);
}

void KernelWriter::set_column(kernel::Job& job, size_t place, const DeviceColumn& column) const {
  const DeviceColumn& texts = column.dictionary ? *column.dictionary : column;
  kernel::u64* words = &job.words[column_word(place)];
  words[0] = column.values.address();
  words[1] = texts.offsets.address();
  words[2] = column.validity.address();
  words[3] = texts.values.address();
}

void KernelWriter::set_table(kernel::Job& job, size_t probe, const JoinTable& table) const {
  kernel::u64* words = &job.words[probe_word(probe)];
  const kernel::Lookup lookup = table.lookup();
  std::memcpy(&words[kLookupOf], &lookup, sizeof(lookup));
  words[kRunsOf] = table.runs();
  words[kOrderOf] = table.order();
  words[kMarksOf] = table.marks().values.address();
  words[kMissOf] = table.has_null_keys() ? kernel::kUnknownRow : kernel::kNoRow;
  words[kNullKeyOf] = table.rows() != 0 ? kernel::kUnknownRow : kernel::kNoRow;
}

/// `late` are places that are loaded by row all the same.
Emitter KernelWriter::emitter(Access access, const std::set<size_t>& late) const {
  const auto literal = [this](const Expr& expr) {
    const size_t place = place_of_constant(expr);
    return place == constants_.size() ? expr::device_literal(expr.literal)
                                      : Emitted{fmt::format("p{}", place)};
  };
  const auto read = [this, access, late](const Expr& expr) {
    const size_t place = place_of(expr.kind == Expr::Kind::kColumn ? expr.column : match_of(expr).column);
    return leaf(expr, late.contains(place) ? Access::kRow : access);
  };
  return Emitter(read, 0, literal);
}

/// Columns that project() leaves.
size_t KernelWriter::outputs() const {
  if (sink_.groups) return sink_.groups->partial().size();
  if (sink_.sort != nullptr) return sink_.sort_output(0);
  return sink_.aggregates_rows ? 0 : program_.outputs.size();
}

bool KernelWriter::may_be_null(const ExprPtr& expr) const {
  if (expr == nullptr) return false;
  Emitter scratch = emitter(Access::kGroup);
  return !scratch.emit(*expr).valid.empty();
}

std::vector<KernelText> KernelWriter::texts() const {
  std::vector<KernelText> texts;
  if (!is_last()) {
    narrowing(texts, section_.end);
  } else if (sink_.groups) {
    grouping(texts);
  } else if (sink_.aggregates_rows) {
    aggregation(texts);
  } else {
    projection(texts);
  }
  return texts;
}

size_t KernelWriter::place_of(size_t column) const {
  return static_cast<size_t>(std::find(columns_.begin(), columns_.end(), column) - columns_.begin());
}
size_t KernelWriter::place_of(const Match& match) const {
  return static_cast<size_t>(std::find(matches_.begin(), matches_.end(), match) - matches_.begin());
}

/// The places of the columns that the expressions read.
std::vector<size_t> KernelWriter::places_of(const std::vector<ExprPtr>& exprs) const {
  std::set<size_t> places;
  for (const ExprPtr& expr : exprs) {
    if (expr == nullptr) continue;
    for (size_t column : lanewise::columns_of(*expr)) places.insert(place_of(column));
  }
  return {places.begin(), places.end()};
}

Emitted KernelWriter::column(size_t place, Access access) const {
  const ColumnForm& form = forms_[place];
  if (form.probe && access != Access::kBuild) return found_column(place);
  const bool group = access == Access::kGroup;
  const std::string valid = !form.nullable ? ""
                            : group        ? fmt::format("bool(n{}[j] >> lane() & 1)", place)
                                           : fmt::format("bit(k{}, row)", place);
  const std::string held = group ? fmt::format("x{}[j]", place) : fmt::format("c{}[row]", place);
  if (form.dictionary) return {fmt::format("text(o{0}, e{0}, {1})", place, held), valid};
  if (form.type.is_string()) return {fmt::format("text(o{0}, c{0}, row)", place), valid};
  return {form.type.id == TypeId::kBool ? fmt::format("({} != 0)", held) : held, valid};
}

/// The column's value in the row that a probe found. Where it may have found none, nothing is loaded.
Emitted KernelWriter::found_column(size_t place) const {
  const ColumnForm& form = forms_[place];
  const std::string row = found_row(*form.probe);
  if (*form.probe < program_.probes.size() && program_.probes[*form.probe].is_mark() &&
      columns_[place] == program_.probes[*form.probe].mark_column())
    return {fmt::format("({} < kUnknownRow)", row), fmt::format("({} != kUnknownRow)", row)};
  const bool may_miss = this->may_miss(*form.probe);
  const std::string there = may_miss ? row + " != kNoRow" : "";
  const bool is_found = *form.probe < program_.probes.size() && program_.probes[*form.probe].finds_value;
  const std::string held =
      is_found ? fmt::format("value_of<{}>({})", memory_type(form), row) : fmt::format("c{}[{}]", place, row);
  std::string value = form.dictionary                 ? fmt::format("text(o{0}, e{0}, {1})", place, held)
                      : form.type.is_string()         ? fmt::format("text(o{0}, c{0}, {1})", place, row)
                      : form.type.id == TypeId::kBool ? fmt::format("({} != 0)", held)
                                                      : held;
  if (may_miss) value = fmt::format("({} ? {} : {}{{}})", there, value, expr::device_type(form.type));
  std::string valid = form.nullable ? fmt::format("bit(k{}, {})", place, row) : "";
  if (may_miss) valid = valid.empty() ? fmt::format("({})", there) : fmt::format("({} && {})", there, valid);
  return {value, valid};
}

std::string KernelWriter::found_row(size_t probe) const {
  if (looks_at_ == probe || paired_ == probe) return "match";
  if (paired_ && first_pairs_ && probe == program_.probes.size()) return "row";
  if (stays_in_lane(probe)) return fmt::format("found{}", probe);
  return fmt::format("r{}[row]", probe);
}

bool KernelWriter::may_miss(size_t probe) const {
  if (probe == program_.probes.size() || looks_at_ == probe) return false;
  const plan::JoinKind kind = program_.probes[probe].join->kind;
  return kind != plan::JoinKind::kInner && kind != plan::JoinKind::kRight;
}

Emitted KernelWriter::leaf(const Expr& expr, Access access) const {
  if (expr.kind == Expr::Kind::kColumn) return column(place_of(expr.column), access);
  const Match match = match_of(expr);
  const size_t place = place_of(match.column);
  const std::optional<size_t> probe = forms_[place].probe;
  const std::string row = probe ? found_row(*probe) : "row";
  const bool group = access == Access::kGroup && !probe;
  const std::string held = group ? fmt::format("x{}[j]", place) : fmt::format("c{}[{}]", place, row);
  std::string bit = fmt::format("bit(m{}, {})", place_of(match), matches_entries(match) ? held : row);
  if (probe && may_miss(*probe)) bit = fmt::format("({} != kNoRow && {})", row, bit);
  return {(expr::is_negated(expr) ? "!" : "") + bit, column(place, access).valid};
}

/// Names for what the expressions read: c values, o offsets, k validity, e entries' bytes, m matches, r rows
/// that probes found, p constants.
void KernelWriter::pointers(Emitter& out, const std::vector<ExprPtr>& read) const {
  std::set<size_t> probes;
  for (size_t place : places_of(read)) {
    const ColumnForm& form = forms_[place];
    if (form.probe) probes.insert(*form.probe);
    const auto name = [&](char letter, const std::string& type, size_t word) {
      out.line(fmt::format("const {0}* const {1}{2} = job.at<const {0}>({3});", type, letter, place,
                           column_word(place) + word));
    };
    name('c', memory_type(form), 0);
    if (form.type.is_string()) name('o', form.wide_offsets ? "u64" : "u32", 1);
    if (form.nullable) name('k', "u32", 2);
    if (form.dictionary) name('e', "u8", 3);
  }
  std::set<size_t> matches, constants;
  for (const ExprPtr& expr : read) {
    if (expr == nullptr) continue;
    walk(*expr, [&](const Expr& part) {
      if (expr::is_match(part)) matches.insert(place_of(match_of(part)));
      if (const size_t place = place_of_constant(part); place < constants_.size()) constants.insert(place);
    });
  }
  std::erase_if(probes, [this](size_t probe) { return stays_in_lane(probe); });
  for (size_t probe : probes)
    out.line(fmt::format("u32* const r{} = job.at<u32>({});", probe, probe_word(probe)));
  for (size_t match : matches)
    out.line(fmt::format("const u32* const m{} = job.at<const u32>({});", match, match_word(match)));
  for (size_t i : constants) {
    const Type& type = constants_[i]->type;
    out.line(fmt::format("const {0} p{1} = {0}({2}job.words[{3}]{4});", expr::device_type(type), i,
                         type.is_float() ? "real(" : "", constant_word(i), type.is_float() ? ")" : ""));
  }
}

std::string KernelWriter::match_kernel(const Match& match) const {
  return fmt::format("match_{}", place_of(match));
}

std::string KernelWriter::filter_kernel(size_t stage) { return fmt::format("filter_{}", stage); }

std::string KernelWriter::begin(std::string_view header) const {
  return (is_wide() ? "#define LANEWISE_JOB_WORDS kMostJobWords\n" : "") +
         std::string("#include \"exec/gpu/codegen/rows-inl.h\"\n") + std::string(header) +
         "\nusing namespace lanewise::kernel;\n\n";
}

/// Whether nothing was left out before the stage that tests it first.
bool KernelWriter::sees_all_rows(const Match& match) const {
  const std::vector<Match>& first = program_.stages[section_.first].matches;
  return !matches_rows(match) || std::find(first.begin(), first.end(), match) != first.end();
}

MatchKind KernelWriter::kind(const Match& match) const {
  return match_kind(match.pattern->pattern(), !sees_all_rows(match), strategy_);
}

kernel::Asked KernelWriter::asked(const Match& match) const {
  if (sees_all_rows(match)) return kernel::Asked::kAll;
  return strategy_.lists && is_automaton(kind(match)) ? kernel::Asked::kList : kernel::Asked::kBitmap;
}

void KernelWriter::match_kernels(std::vector<KernelText>& texts) const {
  for (const Match& match : matches_) {
    const bool wide = forms_[place_of(match.column)].wide_offsets;
    texts.push_back(match_text(match_kernel(match), kind(match), wide, asked(match), counted(match)));
  }
}

/// Whether a row's code calls what has loops of its own: for several rows at once it compiles as many times
/// as long, and nothing is gained.
bool KernelWriter::is_long(const RowKernel& kernel) const {
  Emitter scratch = emitter(Access::kGroup);
  for (size_t stage = kernel.stages.first; stage < kernel.stages.end; ++stage)
    for (const ExprPtr& predicate : program_.stages[stage].predicates) scratch.emit(*predicate);
  kernel.sink(scratch);
  return !scratch.includes().empty();
}

/// Narrows `keep` by the stage's predicates, each of them only where those before it hold.
void KernelWriter::try_predicates(Emitter& out, const Stage& stage) {
  for (const ExprPtr& predicate : stage.predicates) {
    out.open("if (keep) {");
    const Emitted truth = out.emit(*predicate);
    out.line(fmt::format("keep = {};", Emitter::is_true(truth)));
    out.close();
  }
}

/// A kernel whose warps take groups of rows: loads what its first stage reads and has a fixed width for the
/// whole group at once, then goes through its stages row by row; `sink` writes what becomes of the rows that
/// pass.
void KernelWriter::row_kernel(std::vector<KernelText>& texts, const std::string& head,
                              const RowKernel& kernel) const {
  std::vector<ExprPtr> read = program_.read_by(kernel.stages);
  read.insert(read.end(), kernel.read.begin(), kernel.read.end());
  const bool is_one = kernel.stages.end - kernel.stages.first == 1;
  const std::vector<ExprPtr> early = is_one ? read : program_.read_by(program_.stages[kernel.stages.first]);
  std::vector<size_t> places = places_of(early);  // of what is loaded for the whole group
  std::set<size_t> late;
  for (const size_t place : places_of(read))
    if (std::find(places.begin(), places.end(), place) == places.end()) late.insert(place);
  std::erase_if(places, [&](size_t place) { return forms_[place].probe.has_value(); });
  const bool is_long = this->is_long(kernel), rolled = kernel.rolled || is_long;
  size_t bytes = 0;
  for (size_t place : places) {
    bytes += forms_[place].dictionary  ? 4
             : is_fixed(forms_[place]) ? width(forms_[place].type.physical())
             : rolled                  ? kTextBytes
                                       : 0;
  }

  Emitter out = emitter(Access::kGroup, late);
  out.line("");
  out.open(fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}(const Job job) {{",
                       kernel.bounds, kernel.name));
  const int words = kernel.rolled ? words_of_rolled(bytes) : words_at_a_time(bytes, is_long);
  out.line(fmt::format("constexpr u32 kWords = {};", words));
  out.line(fmt::format("const u64 rows = job.words[{}];", size_t{kRows}));
  pointers(out, read);
  out.line_if_texts(heap_declaration());
  if (!kernel.before.empty()) out.line(kernel.before);
  // All rows of a full group without a bitmap are active, which leaves nothing to test.
  const bool may_be_full = kernel.stages.first == section_.first && !rolled && words > 1;
  std::string next_word;
  out.open("const auto group = [&]<bool full, u32 kWords>(u64 first) {");
  out.line(
      fmt::format("const u32 word_of_lane = full ? ~0u : active_words<kWords>(job.at<const u32>({}), "
                  "first / 32, rows);",
                  size_t{kActive}));
  out.line("u32 active[kWords];");
  out.line("#pragma unroll");
  out.line("for (u32 j = 0; j < kWords; j++) active[j] = full ? ~0u : __shfl_sync(~0u, word_of_lane, j);");
  for (size_t place : places) {
    const ColumnForm& form = forms_[place];
    if (is_fixed(form)) {
      const std::string type = memory_type(form);
      out.line(fmt::format("{} x{}[kWords];", type, place));
      out.line("#pragma unroll");
      out.line("for (u32 j = 0; j < kWords; j++)");
      out.line(fmt::format("  x{0}[j] = active[j] >> lane() & 1 ? c{0}[first + j * 32 + lane()] : {1}{{}};",
                           place, type));
      next_word += fmt::format(" shift(x{});", place);
    }
    if (form.nullable) {
      out.line(fmt::format("u32 n{}[kWords];", place));
      out.line("#pragma unroll");
      out.line(fmt::format("for (u32 j = 0; j < kWords; j++) n{0}[j] = active[j] ? k{0}[first / 32 + j] : 0;",
                           place));
      next_word += fmt::format(" shift(n{});", place);
    }
  }
  out.line(rolled ? "#pragma unroll 1" : "#pragma unroll");
  out.open("for (u32 word = 0; word < kWords; word++) {");
  out.line(rolled ? "constexpr u32 j = 0;" : "const u32 j = word;");
  out.line("const u64 row = first + word * 32 + lane();");
  out.line("bool keep = active[j] >> lane() & 1, failed = false;");
  if (!kernel.keeps_texts) out.line_if_texts("heap.rewind();");
  for (size_t stage = kernel.stages.first; stage < kernel.stages.end; ++stage) {
    try_predicates(out, program_.stages[stage]);
    if (program_.stages[stage].probe) find_row(out, *program_.stages[stage].probe);
  }
  kernel.sink(out);
  out.line_if_texts("failed &= !heap.lost();");
  out.line_if_texts("keep |= heap.lost() && (active[j] >> lane() & 1);");  // it is tested again
  out.line(fmt::format("if (failed) note_fault(job.at<u64>({}), job.words[{}] + row);", size_t{kFault},
                       size_t{kFirstRow}));
  if (!kernel.after_word.empty()) out.line(kernel.after_word);
  if (rolled) out.line("shift(active);" + next_word);
  out.close();
  out.close("};");
  out.open("for (u64 first = warp() * kWords * 32; first < rows; first += warps() * kWords * 32) {");
  if (!kernel.goes_on.empty()) out.line("if (!(" + kernel.goes_on + ")) break;");
  if (may_be_full) {
    out.open("if (first + kWords * 32 <= rows) {");
    out.line("group.template operator()<true, kWords>(first);");
    out.line("continue;");
    out.close();
    // The last rows: one warp has them, once. Code for one word of rows compiles faster than for a group.
    out.line("#pragma unroll 1");
    out.line("for (u64 word = first; word < rows; word += 32) group.template operator()<false, 1>(word);");
  } else {
    out.line("group.template operator()<false, kWords>(first);");
  }
  out.close();
  if (!kernel.end.empty()) out.line(kernel.end);
  out.close();
  texts.push_back({head, {}, ""});
  add(texts.back(), kernel.name, out);
}

/// Adds the kernel that was written.
void KernelWriter::add(KernelText& to, const std::string& name, Emitter& out) {
  to.head = out.includes() + to.head;
  to.body += out.take();
  to.names.push_back(name);
  if (out.makes_texts()) to.making_texts.insert(name);
}

std::string KernelWriter::heap_declaration() {
  return fmt::format("Heap heap(job.at<u8>({}), job.words[{}]);", size_t{kHeap}, size_t{kHeapBytes});
}

/// The kernel that writes the bitmap of a stage.
void KernelWriter::filter(std::vector<KernelText>& texts, size_t stage) const {
  const std::string leave = fmt::format(
      "if (const u32 kept = __ballot_sync(~0u, keep && !failed); lane() == 0 && row < rows) "
      "job.at<u32>({})[row / 32] = kept;",
      size_t{kOut});
  KernelWriter ordered(*this);
  const std::vector<size_t> order = filter_order(stage);
  for (size_t i = 0; i < order.size(); ++i) {
    ordered.columns_[i] = columns_[order[i]];
    ordered.forms_[i] = forms_[order[i]];
  }
  const Section only = {stage, stage + 1};
  const std::string head = begin("") + ordered.probe_head(only);
  ordered.row_kernel(texts, head, {.name = filter_kernel(stage), .stages = only, .after_word = leave});
}

std::vector<size_t> KernelWriter::filter_order(size_t stage) const {
  std::vector<size_t> order = places_of(program_.read_by(program_.stages[stage]));
  for (size_t place = 0; place < columns_.size(); ++place) {
    if (std::find(order.begin(), order.end(), place) == order.end()) order.push_back(place);
  }
  return order;
}

/// Those of the section's stages before `end`.
void KernelWriter::narrowing(std::vector<KernelText>& texts, size_t end) const {
  match_kernels(texts);
  for (size_t stage = section_.first; stage < end; ++stage) filter(texts, stage);
}

void KernelWriter::aggregation(std::vector<KernelText>& texts) const {
  const std::vector<DeviceAggregate>& aggregates = sink_.aggregates;
  const bool folds = std::any_of(aggregates.begin(), aggregates.end(),
                                 [](const DeviceAggregate& aggregate) { return is_fold(aggregate.keeps); });
  std::string head =
      begin(fmt::format("#include \"exec/gpu/aggregate/{}-inl.h\"\n", folds ? "folds" : "states"));
  head += "struct State {\n  Count rows;\n";
  std::string merge = "    rows.merge(other.rows);\n";
  for (size_t i = 0; i < aggregates.size(); ++i) {
    head += fmt::format("  {} a{};\n", aggregates[i].state, i);
    merge += fmt::format("    a{0}.merge(other.a{0});\n", i);
  }
  head += "  LANES_FN void merge(const State& other) {\n" + merge + "  }\n};\n";
  const Section last = {first_of_last_, program_.stages.size()};
  head += probe_head(last);
  narrowing(texts, first_of_last_);

  const auto sink = [&](Emitter& out) {
    out.open("if (keep) {");
    out.line("state.rows.add();");
    for (size_t i = 0; i < aggregates.size(); ++i) {
      const ExprPtr &arg = program_.outputs[2 * i], &filter = program_.outputs[2 * i + 1];
      const auto take = [&] {
        if (aggregates[i].takes == DeviceAggregate::Takes::kRows)
          return out.line(fmt::format("state.a{}.add();", i));
        const Emitted value = out.emit(*arg);
        const std::string if_valid = value.valid.empty() ? "" : fmt::format("if ({}) ", value.valid);
        switch (aggregates[i].takes) {
          case DeviceAggregate::Takes::kPresent:
            return out.line(fmt::format("{}state.a{}.add();", if_valid, i));
          case DeviceAggregate::Takes::kTrue:
            return out.line(fmt::format("if ({}) state.a{}.add();", Emitter::is_true(value), i));
          default:
            return out.line(fmt::format("{}state.a{}.add({});", if_valid, i, value.value));
        }
      };
      if (filter == nullptr) {
        take();
        continue;
      }
      const Emitted condition = out.emit(*filter);
      out.open(fmt::format("if ({}) {{", Emitter::is_true(condition)));
      take();
      out.close();
    }
    out.close();
  };
  const std::string end = fmt::format("add_up(state, job.at<State>({}) + blockIdx.x);", size_t{kOut});
  if (paired_) return pair_kernels(texts, head, sink, end);
  if (counts_bits()) return counting(texts, head, end);
  row_kernel(texts, head,
             {.name = "aggregate",
              .stages = last,
              .read = program_.outputs,
              .before = "State state{};",
              .sink = sink,
              .end = end});
}

/// Kernels over the rows before the pairs, which are tried and taken one by one.
void KernelWriter::pair_kernels(std::vector<KernelText>& texts, const std::string& head, const Write& sink,
                                const std::string& end) const {
  constexpr const char* kForms[] = {"kBalanced", "kNaive", "kRefill", "kBalanced", "kMixed", "kQueued"};
  const Stage& stage = program_.stages.back();
  std::vector<ExprPtr> read = program_.read_by(stage);
  read.insert(read.end(), program_.outputs.begin(), program_.outputs.end());
  texts.push_back({"#include \"exec/gpu/join/expand-inl.h\"\n" + head, {}, ""});
  const auto kernel = [&](const std::string& name, const std::string& loop) {
    Emitter out = emitter(Access::kRow);
    out.line("");
    out.open(
        fmt::format("extern \"C\" __global__ void __launch_bounds__(kThreads) {}(const Job job) {{", name));
    pointers(out, read);
    const size_t words = probe_word(*paired_);
    const auto at = [](const char* type, size_t word) { return fmt::format("job.at<{}>({}), ", type, word); };
    const auto number = [](size_t word) { return fmt::format("u32(job.words[{}])", word); };
    out.line("const Pairs pairs = {" + at("const u32", kActive) +
             fmt::format("job.words[{}], ", size_t{kRows}) + at("const u32", words + kFound) +
             at("const Matches", words + kRunsOf) + at("const u32", words + kOrderOf) + number(kLeast) +
             ", " + at("PairQueue", kQueue) + number(kRoom) + "};");
    out.line("State state{};");
    out.open(loop + "(pairs, [&](u64 row, u32 match) {");
    out.line("bool keep = true, failed = false;");
    try_predicates(out, stage);
    sink(out);
    out.line(fmt::format("if (failed) note_fault(job.at<u64>({}), job.words[{}] + row);", size_t{kFault},
                         size_t{kFirstRow}));
    out.close("});");
    out.line(end);
    out.close();
    add(texts.back(), name, out);
  };
  const auto form = static_cast<size_t>(strategy_.pairs);
  kernel("aggregate", fmt::format("for_each_pair<PairForm::{}>", kForms[form]));
  if (strategy_.pairs == Strategy::Pairs::kQueued) kernel("aggregate_queue", "for_queued_pairs");
}

/// Whether only the number of rows that the last stage's patterns leave is needed.
bool KernelWriter::counts_bits() const {
  if (first_of_last_ + 1 != program_.stages.size()) return false;
  const std::vector<ExprPtr>& predicates = program_.stages.back().predicates;
  return std::all_of(predicates.begin(), predicates.end(),
                     [&](const ExprPtr& predicate) {
                       return expr::is_match(*predicate) && matches_rows(match_of(*predicate));
                     }) &&
         std::all_of(sink_.aggregates.begin(), sink_.aggregates.end(),
                     [](const DeviceAggregate& aggregate) {
                       return aggregate.takes == DeviceAggregate::Takes::kRows;
                     }) &&
         std::all_of(program_.outputs.begin(), program_.outputs.end(),
                     [](const ExprPtr& output) { return output == nullptr; });
}

/// Counts bits, a word of each bitmap a thread.
void KernelWriter::counting(std::vector<KernelText>& texts, const std::string& head,
                            const std::string& end) const {
  const std::vector<ExprPtr>& predicates = program_.stages.back().predicates;
  Emitter out = emitter(Access::kGroup);
  out.line("");
  out.open("extern \"C\" __global__ void __launch_bounds__(kThreads) aggregate(const Job job) {");
  out.line(fmt::format("const u64 rows = job.words[{}];", size_t{kRows}));
  pointers(out, predicates);
  out.line("State state{};");
  out.open("for (u64 word = thread(); word * 32 < rows; word += threads()) {");
  out.line(fmt::format("u32 kept = active_word(job.at<const u32>({}), word, rows);", size_t{kActive}));
  for (const ExprPtr& predicate : predicates) {
    const Match match = match_of(*predicate);
    const size_t place = place_of(match.column);
    out.line(fmt::format("kept &= {}m{}[word];", expr::is_negated(*predicate) ? "~" : "", place_of(match)));
    if (forms_[place].nullable) out.line(fmt::format("kept &= k{}[word];", place));
  }
  out.line("const u32 count = __popc(kept);");
  out.line("state.rows.add(count);");
  for (size_t i = 0; i < sink_.aggregates.size(); ++i) out.line(fmt::format("state.a{}.add(count);", i));
  out.close();
  out.line(end);
  out.close();
  texts.push_back({head, {}, ""});
  add(texts.back(), "aggregate", out);
}

/// Writes values and validity of each output for the rows of Job::kList; `begin` is written for each row. Of
/// those that are slots of groups no fault is noted: `group` did that, by the input's rows.
void KernelWriter::project_kernel(KernelText& to, const std::vector<ExprPtr>& read,
                                  const std::vector<Type>& types, const std::string& begin,
                                  const std::function<Emitted(Emitter&, size_t)>& output) const {
  Emitter out = emitter(Access::kRow);
  out.line("");
  out.open("extern \"C\" __global__ void __launch_bounds__(kThreads) project(const Job job) {");
  out.line(fmt::format("const u64 rows = job.words[{}];", size_t{kRows}));
  out.line(fmt::format("const u32* const list = job.at<const u32>({});", size_t{kList}));
  pointers(out, read);
  out.line_if_texts(heap_declaration());
  out.open("for (u64 first = warp() * 32; first < rows; first += warps() * 32) {");
  out.line("const u64 i = first + lane();");
  for (size_t o = 0; o < types.size(); ++o) out.line(fmt::format("bool there{} = false;", o));
  out.open("if (i < rows) {");
  out.line("const u64 row = list[i];");
  out.line(begin);
  for (size_t o = 0; o < types.size(); ++o) {
    const Emitted value = output(out, o);
    out.line(fmt::format("there{} = {};", o, value.is_valid()));
    out.line(fmt::format("job.at<{0}>({1})[i] = there{2} ? {3} : {0}{{}};", expr::device_type(types[o]),
                         output_word(o), o, value.value));
  }
  if (!sink_.groups) {
    out.line_if_texts("failed &= !heap.lost();");
    out.line(fmt::format("if (failed) note_fault(job.at<u64>({}), job.words[{}] + row);", size_t{kFault},
                         size_t{kFirstRow}));
  }
  out.close();
  for (size_t o = 0; o < types.size(); ++o) {
    out.line(fmt::format(
        "if (const u32 word = __ballot_sync(~0u, there{}); lane() == 0) job.at<u32>({})[first / 32] = word;",
        o, output_word(o) + 1));
  }
  out.close();
  out.close();
  add(to, "project", out);
}

void KernelWriter::projection(std::vector<KernelText>& texts) const {
  const bool sorts = sink_.sort != nullptr;
  narrowing(texts, program_.stages.size());
  KernelText rest{begin(sorts ? "#include \"exec/gpu/sort/sort-inl.h\"\n" : ""), {}, ""};
  if (sorts) sort_kernels(rest);
  const std::vector<ExprPtr> rows(program_.outputs.begin(),
                                  program_.outputs.begin() + static_cast<ptrdiff_t>(outputs()));
  std::vector<Type> types;
  for (const ExprPtr& output : rows) types.push_back(output->type);
  project_kernel(rest, rows, types, "bool failed = false;",
                 [&](Emitter& out, size_t o) { return out.emit(*program_.outputs[o]); });
  texts.push_back(std::move(rest));
}

KernelText match_text(const std::string& name, MatchKind kind, bool wide_offsets, kernel::Asked asked,
                      bool counted) {
  constexpr char kEntry[] = "match_pattern";
  const bool automaton = is_automaton(kind);
  const char* const job = !automaton ? "Needle" : counted ? "CountedMatch" : "Match";
  return {.head = fmt::format("#include \"exec/gpu/match/{}-inl.h\"\n\nusing namespace lanewise::kernel;\n",
                              automaton ? "match" : "needle"),
          .names = {name},
          .body = fmt::format("\nextern \"C\" __global__ void __launch_bounds__({0}Threads) {1}(const "
                              "__grid_constant__ {2}Job job) {{\n  {3};\n}}\n",
                              automaton ? "kMatch" : "k", kEntry, job, match_call(kind, wide_offsets, asked)),
          .entry = kEntry};
}

std::string list_kernels() { return "#include \"exec/gpu/join/pairs-inl.h\"\n"; }

std::string put_slots_kernel() {
  return "#include \"exec/gpu/groups/any_slots-inl.h\"\n"
         "using namespace lanewise::kernel;\n\n"
         "extern \"C\" __global__ void __launch_bounds__(kGroupThreads) put_slots(const SlotsJob job) {\n"
         "  put_slots_of(job);\n}\n";
}

gpu::KernelSource kernel_source(std::string text) {
  return {.name = "pipeline.cu",
          .text = std::move(text),
          .options = {"--device-int128", "--device-as-default-execution-space", "--fmad=false"}};
}

}  // namespace lanewise::exec
