#include "codegen/kernel_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "expr/vectors/comparison.h"

namespace lanewise::codegen {

using expr::Emitted;
using expr::Emitter;

namespace {

/// Calls whose constants need not be known to the compiler.
bool compares(const Expr& expr) {
  return expr.kind == Expr::Kind::kCall &&
         (expr::comparison_of(expr.function->form) || expr.function->form == Function::Form::kBetween);
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

/// Those of the section's stages, each once.
std::vector<Match> matches_of(const Program& program, Section section) {
  std::vector<Match> matches;
  for (size_t stage = section.first; stage < section.end; ++stage) {
    for (const Match& match : program.stages[stage].matches)
      if (std::find(matches.begin(), matches.end(), match) == matches.end()) matches.push_back(match);
  }
  return matches;
}

}  // namespace

KernelBuilder::KernelBuilder(const Program& program, const SinkForm& sink, std::vector<size_t> columns,
                             std::vector<ColumnForm> forms, const Strategy& strategy, size_t section)
    : program_(program),
      sink_(sink),
      columns_(std::move(columns)),
      forms_(std::move(forms)),
      strategy_(strategy),
      section_(sections_of(program, sink, strategy)[section]),
      matches_(matches_of(program, section_)),
      layout_(columns_.size(), matches_.size(), program.probes.size(),
              sink.outputs.value_or(program.outputs.size())),
      first_pairs_(section == 1),
      first_of_last_(find_first_of_last()) {
  if (section > 0) {
    for (ColumnForm& form : forms_)
      if (!form.probe) form.probe = program.probes.size();  // by the input's row of a pair
  }
  if (layout_.words() > kernel::kMostJobWords)
    throw expr::NotOnDevice("so many columns and patterns in one query are not supported on GPUs");
  for (const Stage& stage : program.stages) {
    for (const ExprPtr& expr : program.read_by(stage)) find_constants(*expr);
  }
  for (const ExprPtr& output : program.outputs) {
    if (output != nullptr) find_constants(*output);
  }
}

size_t KernelBuilder::find_first_of_last() const {
  if (section_.takes_pairs()) return section_.first;
  size_t first = program_.stages.size() - 1;
  if (!is_last() || sink_.takes != SinkForm::Takes::kStates) return first;
  while (first > section_.first && program_.stages[first].matches.empty() &&
         program_.stages[first - 1].end != nullptr)
    --first;
  return first;
}

bool KernelBuilder::stays_in_lane(size_t probe) const {
  if (probe >= program_.probes.size()) return false;
  const std::optional<size_t> stage = program_.probes[probe].stage;
  return stage && *stage >= first_of_last_ && *stage + 1 < program_.stages.size();
}

/// Those of comparisons, as far as a Job has words for them.
void KernelBuilder::find_constants(const Expr& expr) {
  walk(expr, [&](const Expr& part) {
    if (!compares(part)) return;
    for (const ExprPtr& arg : part.args) {
      if (fits_word(*arg) && place_of_constant(*arg) == constants_.size() &&
          layout_.words() + constants_.size() < layout_.size())
        constants_.push_back(arg.get());
    }
  });
}

size_t KernelBuilder::place_of_constant(const Expr& literal) const {
  return static_cast<size_t>(std::find(constants_.begin(), constants_.end(), &literal) - constants_.begin());
}

void KernelBuilder::set_constants(kernel::Job& job) const {
  for (size_t i = 0; i < constants_.size(); ++i)
    job.words[layout_.constant(i)] = word_of(constants_[i]->literal);
}

void KernelBuilder::set_column(kernel::Job& job, size_t place, const DeviceColumn& column) const {
  const DeviceColumn& texts = column.dictionary ? *column.dictionary : column;
  kernel::u64* words = &job.words[layout_.column(place)];
  words[0] = column.values.address();
  words[1] = texts.offsets.address();
  words[2] = column.validity.address();
  words[3] = texts.values.address();
}

Emitter KernelBuilder::emitter(Access access, const std::set<size_t>& late) const {
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

expr::DeviceTraits KernelBuilder::traits(const Expr& expr) const {
  return expr::device_traits(
      expr, [this](const Expr& leaf) { return !this->leaf(leaf, Access::kRow).valid.empty(); });
}

void KernelBuilder::check() const {
  for (const Stage& stage : program_.stages) {
    for (const ExprPtr& expr : program_.read_by(stage)) traits(*expr);
  }
  for (const ExprPtr& output : program_.outputs) {
    if (output != nullptr) traits(*output);
  }
}

size_t KernelBuilder::place_of(size_t column) const {
  return static_cast<size_t>(std::find(columns_.begin(), columns_.end(), column) - columns_.begin());
}
size_t KernelBuilder::place_of(const Match& match) const {
  return static_cast<size_t>(std::find(matches_.begin(), matches_.end(), match) - matches_.begin());
}

std::vector<size_t> KernelBuilder::places_of(const std::vector<ExprPtr>& exprs) const {
  std::set<size_t> places;
  for (const ExprPtr& expr : exprs) {
    if (expr == nullptr) continue;
    for (size_t column : lanewise::columns_of(*expr)) places.insert(place_of(column));
  }
  return {places.begin(), places.end()};
}

Emitted KernelBuilder::column(size_t place, Access access) const {
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
Emitted KernelBuilder::found_column(size_t place) const {
  const ColumnForm& form = forms_[place];
  const std::string row = found_row(*form.probe);
  if (is_mark(place))
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

/// Whether the column says whether a probe found a row.
bool KernelBuilder::is_mark(size_t place) const {
  const size_t probe = *forms_[place].probe;
  return probe < program_.probes.size() && program_.probes[probe].is_mark() &&
         columns_[place] == program_.probes[probe].mark_column();
}

std::string KernelBuilder::found_row(size_t probe) const {
  if (looks_at_ == probe || (section_.takes_pairs() && section_.probe == probe)) return "match";
  if (section_.takes_pairs() && first_pairs_ && probe == program_.probes.size()) return "row";
  if (stays_in_lane(probe)) return fmt::format("found{}", probe);
  return fmt::format("r{}[row]", probe);
}

bool KernelBuilder::may_miss(size_t probe) const {
  if (probe == program_.probes.size() || looks_at_ == probe) return false;
  const plan::JoinKind kind = program_.probes[probe].join->kind;
  return kind != plan::JoinKind::kInner && kind != plan::JoinKind::kRight;
}

Emitted KernelBuilder::leaf(const Expr& expr, Access access) const {
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

void KernelBuilder::pointers(Emitter& out, const std::vector<ExprPtr>& read) const {
  std::set<size_t> probes;
  for (size_t place : places_of(read)) {
    const ColumnForm& form = forms_[place];
    if (form.probe) probes.insert(*form.probe);
    const auto name = [&](char letter, const std::string& type, size_t word) {
      out.line(fmt::format("const {0}* const {1}{2} = job.at<const {0}>({3});", type, letter, place,
                           layout_.column(place) + word));
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
    out.line(fmt::format("u32* const r{} = job.at<u32>({});", probe, layout_.probe(probe)));
  for (size_t match : matches)
    out.line(fmt::format("const u32* const m{} = job.at<const u32>({});", match, layout_.match(match)));
  for (size_t i : constants) {
    const Type& type = constants_[i]->type;
    out.line(fmt::format("const {0} p{1} = {0}({2}job.words[{3}]{4});", expr::device_type(type), i,
                         type.is_float() ? "real(" : "", layout_.constant(i), type.is_float() ? ")" : ""));
  }
}

std::vector<size_t> KernelBuilder::filter_order(size_t stage) const {
  std::vector<size_t> order = places_of(program_.read_by(program_.stages[stage]));
  for (size_t place = 0; place < columns_.size(); ++place) {
    if (std::find(order.begin(), order.end(), place) == order.end()) order.push_back(place);
  }
  return order;
}

KernelBuilder KernelBuilder::ordered(const std::vector<size_t>& order) const {
  KernelBuilder ordered(*this);
  for (size_t i = 0; i < order.size(); ++i) {
    ordered.columns_[i] = columns_[order[i]];
    ordered.forms_[i] = forms_[order[i]];
  }
  return ordered;
}

Emitted KernelBuilder::look_at(size_t probe, const std::function<Emitted()>& emit) const {
  looks_at_ = probe;
  Emitted made = emit();
  looks_at_.reset();
  return made;
}

std::string KernelBuilder::begin(std::string_view header) const {
  return (layout_.is_wide() ? "#define LANEWISE_JOB_WORDS kMostJobWords\n" : "") +
         std::string("#include \"codegen/rows-inl.h\"\n") + std::string(header) +
         "\nusing namespace lanewise::kernel;\n\n";
}

bool KernelBuilder::sees_all_rows(const Match& match) const {
  const std::vector<Match>& first = program_.stages[section_.first].matches;
  return !matches_rows(match) || std::find(first.begin(), first.end(), match) != first.end();
}

std::string KernelBuilder::head_of(StageRange stages) const {
  std::string head;
  for (size_t stage = stages.first; stage < stages.end; ++stage)
    if (const auto& end = program_.stages[stage].end) head += end->head(*this);
  return head;
}

void KernelBuilder::take_row(Emitter& out, size_t stage) const {
  try_predicates(out, program_.stages[stage]);
  if (const auto& end = program_.stages[stage].end) end->take_row(out, *this);
}

void KernelBuilder::try_predicates(Emitter& out, const Stage& stage) {
  for (const ExprPtr& predicate : stage.predicates) {
    out.open("if (keep) {");
    const Emitted truth = out.emit(*predicate);
    out.line(fmt::format("keep = {};", Emitter::is_true(truth)));
    out.close();
  }
}

void KernelBuilder::add(KernelText& to, const std::string& name, Emitter& out) {
  to.head = out.includes() + to.head;
  to.body += out.take();
  to.names.push_back(name);
  if (out.makes_texts()) to.making_texts.insert(name);
}

std::string KernelBuilder::heap_declaration() {
  return fmt::format("Heap heap(job.at<u8>({}), job.words[{}]);", size_t{JobLayout::kHeap},
                     size_t{JobLayout::kHeapBytes});
}

std::string KernelBuilder::note_fault() {
  return fmt::format("if (failed) note_fault(job.at<u64>({}), job.words[{}] + row);",
                     size_t{JobLayout::kFault}, size_t{JobLayout::kFirstRow});
}

}  // namespace lanewise::codegen
