#include "ops/aggregate/gpu/groups/state_kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/gpu/rows/row_kernels.h"

namespace lanewise::ops {

using expr::Emitted;
using expr::Emitter;
using Word = codegen::JobLayout::Word;

namespace {

/// What kernels end with.
std::string add_up() {
  return fmt::format("add_up(state, job.at<State>({}) + blockIdx.x);", size_t{Word::kOut});
}

}  // namespace

/// What sources begin with: headers and the State of a block.
std::string StateKernels::head() const {
  const bool folds =
      std::ranges::any_of(plan_.cells(), [](const GroupCell& cell) { return is_fold(cell.reduction); });
  return builder_.begin(
             fmt::format("#include \"ops/aggregate/gpu/{}-inl.h\"\n", folds ? "folds" : "states")) +
         states_.text();
}

/// Adds the row that is kept to the state.
void StateKernels::add_row(Emitter& out) const {
  const std::vector<ExprPtr>& outputs = builder_.program().outputs;
  out.open("if (keep) {");
  out.line("state.rows.add();");
  for (size_t input = 0; input < plan_.inputs().size(); ++input) {
    const size_t pair = plan_.input_pair(input);
    const ExprPtr &arg = outputs[pair], &filter = outputs[pair + 1];
    if (filter != nullptr) {
      const Emitted condition = out.emit(*filter);
      out.open(fmt::format("if ({}) {{", Emitter::is_true(condition)));
    }
    const Emitted value = arg == nullptr ? Emitted{} : out.emit(*arg);
    for (size_t i = 0; i < plan_.cells().size(); ++i) {
      const GroupCell& cell = plan_.cells()[i];
      if (cell.input != input || !states_.stores(i)) continue;
      const std::string taken =
          cell.reduction == Reduction::kCountTrue ? Emitter::is_true(value) : value.valid;
      out.line(fmt::format("{}state.c{}.add({});", taken.empty() ? "" : "if (" + taken + ") ", i,
                           is_count(cell.reduction) ? "" : value.value));
    }
    if (filter != nullptr) out.close();
  }
  out.close();
}

/// Defines `find`, which finds the matches of a row for Pairs::run_of().
void StateKernels::define_find(Emitter& out) const {
  out.open("const auto find = [&](u64 row, Matches& matches) {");
  const codegen::Section& section = builder_.section();
  if (section.pairs == codegen::Section::Pairs::kFound) {
    out.line("bool keep = true, failed = false;");
    builder_.take_row(out, section.first);
    out.line(codegen::KernelBuilder::note_fault());
    out.line(fmt::format("matches = found{};", *section.probe));
    out.line("return keep;");
  } else {
    out.line("return pairs.find(row, matches);");
  }
  out.close("};");
}

/// Kernels over the rows before the pairs, which are tried and taken one by one.
void StateKernels::add_pair_kernels(std::vector<codegen::KernelText>& texts, const std::string& head) const {
  const codegen::Program& program = builder_.program();
  constexpr const char* kForms[] = {"kBalanced", "kNaive", "kRefill", "kBalanced", "kMixed", "kQueued"};
  const codegen::Stage& stage = program.stages.back();
  std::vector<ExprPtr> read = program.read_by(builder_.section());
  read.insert(read.end(), program.outputs.begin(), program.outputs.end());
  const bool counts = builder_.strategy().occupancy;
  const std::string tally = counts ? "#include \"codegen/tally-inl.h\"\n" : "";
  texts.push_back({"#include \"ops/join/gpu/expand-inl.h\"\n" + tally + head, {}, ""});
  const auto kernel = [&](const std::string& name, const std::string& loop, bool finds) {
    Emitter out = builder_.emitter(codegen::KernelBuilder::Access::kRow);
    out.line("");
    out.open(
        fmt::format("extern \"C\" __global__ void __launch_bounds__(kThreads) {}(const Job job) {{", name));
    builder_.pointers(out, read);
    const size_t words = builder_.layout().probe(*builder_.section().probe);
    const auto at = [](const char* type, size_t word) { return fmt::format("job.at<{}>({}), ", type, word); };
    const auto number = [](size_t word) { return fmt::format("u32(job.words[{}])", word); };
    out.line("const Pairs pairs = {" + at("const u32", Word::kActive) +
             fmt::format("job.words[{}], ", size_t{Word::kRows}) +
             at("const u32", words + codegen::JobLayout::kFound) +
             at("const Matches", words + codegen::JobLayout::kRunsOf) +
             at("const u32", words + codegen::JobLayout::kOrderOf) + number(Word::kLeast) + ", " +
             at("PairQueue", Word::kQueue) + number(Word::kRoom) + "};");
    out.line("State state{};");
    if (counts) out.line("LaneTally tally;");
    if (finds) define_find(out);
    out.open(fmt::format("{}(pairs, {}[&](u64 row, u32 match) {{", loop, finds ? "find, " : ""));
    out.line("bool keep = true, failed = false;");
    if (counts) out.line("tally.step();");
    codegen::KernelBuilder::try_predicates(out, stage);
    add_row(out);
    out.line(codegen::KernelBuilder::note_fault());
    out.close("});");
    if (counts) out.line(fmt::format("tally.add_to(*job.at<LaneSteps>({}));", size_t{Word::kSteps}));
    out.line(add_up());
    out.close();
    codegen::KernelBuilder::add(texts.back(), name, out);
  };
  const auto form = static_cast<size_t>(builder_.strategy().pairs);
  kernel("aggregate", fmt::format("for_each_pair<PairForm::{}>", kForms[form]), true);
  if (builder_.strategy().pairs == codegen::Strategy::Pairs::kQueued)
    kernel("aggregate_queue", "for_queued_pairs", false);
}

/// Whether only the number of rows that the last stage's patterns leave is needed.
bool StateKernels::counts_bits() const {
  const codegen::Program& program = builder_.program();
  return program.outputs.empty() && builder_.first_of_last() + 1 == program.stages.size() &&
         std::ranges::all_of(program.stages.back().predicates, [&](const ExprPtr& predicate) {
           return expr::is_match(*predicate) && builder_.matches_rows(codegen::match_of(*predicate));
         });
}

/// Counts bits, a word of each bitmap a thread.
void StateKernels::add_counting_kernel(std::vector<codegen::KernelText>& texts,
                                       const std::string& head) const {
  const std::vector<ExprPtr>& predicates = builder_.program().stages.back().predicates;
  Emitter out = builder_.emitter(codegen::KernelBuilder::Access::kGroup);
  out.line("");
  out.open("extern \"C\" __global__ void __launch_bounds__(kThreads) aggregate(const Job job) {");
  out.line(fmt::format("const u64 rows = job.words[{}];", size_t{Word::kRows}));
  builder_.pointers(out, predicates);
  out.line("State state{};");
  out.open("for (u64 word = thread(); word * 32 < rows; word += threads()) {");
  out.line(fmt::format("u32 kept = active_word(job.at<const u32>({}), word, rows);", size_t{Word::kActive}));
  for (const ExprPtr& predicate : predicates) {
    const codegen::Match match = codegen::match_of(*predicate);
    const size_t place = builder_.place_of(match.column);
    out.line(fmt::format("kept &= {}m{}[word];", expr::is_negated(*predicate) ? "~" : "",
                         builder_.place_of(match)));
    if (builder_.forms()[place].nullable) out.line(fmt::format("kept &= k{}[word];", place));
  }
  out.line("state.rows.add(__popc(kept));");
  out.close();
  out.line(add_up());
  out.close();
  texts.push_back({head, {}, ""});
  codegen::KernelBuilder::add(texts.back(), "aggregate", out);
}

std::vector<codegen::KernelText> StateKernels::texts() const {
  std::vector<codegen::KernelText> texts;
  const codegen::StageRange last = {builder_.first_of_last(), builder_.program().stages.size()};
  const std::string head = this->head() + builder_.head_of(last);
  add_narrowing(texts, builder_, last.first);
  if (builder_.section().takes_pairs()) {
    add_pair_kernels(texts, head);
  } else if (counts_bits()) {
    add_counting_kernel(texts, head);
  } else {
    add_row_kernel(texts, builder_, head,
                   {.name = "aggregate",
                    .stages = last,
                    .read = builder_.program().outputs,
                    .before = "State state{};",
                    .sink = [&](Emitter& out) { add_row(out); },
                    .end = add_up()});
  }
  return texts;
}

}  // namespace lanewise::ops
