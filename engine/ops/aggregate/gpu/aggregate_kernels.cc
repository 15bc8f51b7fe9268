#include "ops/aggregate/gpu/aggregate_kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/gpu/rows/row_kernels.h"

namespace lanewise::ops {

using expr::Emitted;
using expr::Emitter;
using Word = codegen::JobLayout::Word;

namespace {

/// What sources begin with: headers and the State of a block.
std::string state_head(const codegen::KernelBuilder& builder,
                       const std::vector<DeviceAggregate>& aggregates) {
  const bool folds = std::any_of(aggregates.begin(), aggregates.end(),
                                 [](const DeviceAggregate& aggregate) { return is_fold(aggregate.keeps); });
  std::string head =
      builder.begin(fmt::format("#include \"ops/aggregate/gpu/{}-inl.h\"\n", folds ? "folds" : "states"));
  head += "struct State {\n  Count rows;\n";
  std::string merge = "    rows.merge(other.rows);\n";
  for (size_t i = 0; i < aggregates.size(); ++i) {
    head += fmt::format("  {} a{};\n", aggregates[i].state, i);
    merge += fmt::format("    a{0}.merge(other.a{0});\n", i);
  }
  return head + "  LANES_FN void merge(const State& other) {\n" + merge + "  }\n};\n";
}

/// Gives the row that is kept to the aggregates' states.
void add_row(Emitter& out, const std::vector<ExprPtr>& outputs,
             const std::vector<DeviceAggregate>& aggregates) {
  out.open("if (keep) {");
  out.line("state.rows.add();");
  for (size_t i = 0; i < aggregates.size(); ++i) {
    const ExprPtr &arg = outputs[2 * i], &filter = outputs[2 * i + 1];
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
}

/// Defines `find`, which finds the matches of a row for Pairs::run_of().
void define_find(Emitter& out, const codegen::KernelBuilder& builder) {
  out.open("const auto find = [&](u64 row, Matches& matches) {");
  const codegen::Section& section = builder.section();
  if (section.pairs == codegen::Section::Pairs::kFound) {
    out.line("bool keep = true, failed = false;");
    builder.take_row(out, section.first);
    out.line(codegen::KernelBuilder::note_fault());
    out.line(fmt::format("matches = found{};", *section.probe));
    out.line("return keep;");
  } else {
    out.line("return pairs.find(row, matches);");
  }
  out.close("};");
}

/// Kernels over the rows before the pairs, which are tried and taken one by one.
void add_pair_kernels(std::vector<codegen::KernelText>& texts, const codegen::KernelBuilder& builder,
                      const std::string& head, const Write& sink, const std::string& end) {
  const codegen::Program& program = builder.program();
  constexpr const char* kForms[] = {"kBalanced", "kNaive", "kRefill", "kBalanced", "kMixed", "kQueued"};
  const codegen::Stage& stage = program.stages.back();
  std::vector<ExprPtr> read = program.read_by(builder.section());
  read.insert(read.end(), program.outputs.begin(), program.outputs.end());
  const bool counts = builder.strategy().occupancy;
  const std::string tally = counts ? "#include \"codegen/tally-inl.h\"\n" : "";
  texts.push_back({"#include \"ops/join/gpu/expand-inl.h\"\n" + tally + head, {}, ""});
  const auto kernel = [&](const std::string& name, const std::string& loop, bool finds) {
    Emitter out = builder.emitter(codegen::KernelBuilder::Access::kRow);
    out.line("");
    out.open(
        fmt::format("extern \"C\" __global__ void __launch_bounds__(kThreads) {}(const Job job) {{", name));
    builder.pointers(out, read);
    const size_t words = builder.layout().probe(*builder.section().probe);
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
    if (finds) define_find(out, builder);
    out.open(fmt::format("{}(pairs, {}[&](u64 row, u32 match) {{", loop, finds ? "find, " : ""));
    out.line("bool keep = true, failed = false;");
    if (counts) out.line("tally.step();");
    codegen::KernelBuilder::try_predicates(out, stage);
    sink(out);
    out.line(codegen::KernelBuilder::note_fault());
    out.close("});");
    if (counts) out.line(fmt::format("tally.add_to(*job.at<LaneSteps>({}));", size_t{Word::kSteps}));
    out.line(end);
    out.close();
    codegen::KernelBuilder::add(texts.back(), name, out);
  };
  const auto form = static_cast<size_t>(builder.strategy().pairs);
  kernel("aggregate", fmt::format("for_each_pair<PairForm::{}>", kForms[form]), true);
  if (builder.strategy().pairs == codegen::Strategy::Pairs::kQueued)
    kernel("aggregate_queue", "for_queued_pairs", false);
}

/// Whether only the number of rows that the last stage's patterns leave is needed.
bool counts_bits(const codegen::KernelBuilder& builder, const std::vector<DeviceAggregate>& aggregates) {
  const codegen::Program& program = builder.program();
  if (builder.first_of_last() + 1 != program.stages.size()) return false;
  const std::vector<ExprPtr>& predicates = program.stages.back().predicates;
  return std::all_of(predicates.begin(), predicates.end(),
                     [&](const ExprPtr& predicate) {
                       return expr::is_match(*predicate) &&
                              builder.matches_rows(codegen::match_of(*predicate));
                     }) &&
         std::all_of(aggregates.begin(), aggregates.end(),
                     [](const DeviceAggregate& aggregate) {
                       return aggregate.takes == DeviceAggregate::Takes::kRows;
                     }) &&
         std::all_of(program.outputs.begin(), program.outputs.end(),
                     [](const ExprPtr& output) { return output == nullptr; });
}

/// Counts bits, a word of each bitmap a thread.
void add_counting_kernel(std::vector<codegen::KernelText>& texts, const codegen::KernelBuilder& builder,
                         const std::string& head, size_t aggregates, const std::string& end) {
  const std::vector<ExprPtr>& predicates = builder.program().stages.back().predicates;
  Emitter out = builder.emitter(codegen::KernelBuilder::Access::kGroup);
  out.line("");
  out.open("extern \"C\" __global__ void __launch_bounds__(kThreads) aggregate(const Job job) {");
  out.line(fmt::format("const u64 rows = job.words[{}];", size_t{Word::kRows}));
  builder.pointers(out, predicates);
  out.line("State state{};");
  out.open("for (u64 word = thread(); word * 32 < rows; word += threads()) {");
  out.line(fmt::format("u32 kept = active_word(job.at<const u32>({}), word, rows);", size_t{Word::kActive}));
  for (const ExprPtr& predicate : predicates) {
    const codegen::Match match = codegen::match_of(*predicate);
    const size_t place = builder.place_of(match.column);
    out.line(fmt::format("kept &= {}m{}[word];", expr::is_negated(*predicate) ? "~" : "",
                         builder.place_of(match)));
    if (builder.forms()[place].nullable) out.line(fmt::format("kept &= k{}[word];", place));
  }
  out.line("const u32 count = __popc(kept);");
  out.line("state.rows.add(count);");
  for (size_t i = 0; i < aggregates; ++i) out.line(fmt::format("state.a{}.add(count);", i));
  out.close();
  out.line(end);
  out.close();
  texts.push_back({head, {}, ""});
  codegen::KernelBuilder::add(texts.back(), "aggregate", out);
}

}  // namespace

void add_aggregate_kernels(std::vector<codegen::KernelText>& texts, const codegen::KernelBuilder& builder,
                           const std::vector<DeviceAggregate>& aggregates) {
  const std::vector<ExprPtr>& outputs = builder.program().outputs;
  const codegen::StageRange last = {builder.first_of_last(), builder.program().stages.size()};
  const std::string head = state_head(builder, aggregates) + builder.head_of(last);
  add_narrowing(texts, builder, last.first);
  const Write sink = [&](Emitter& out) { add_row(out, outputs, aggregates); };
  const std::string end = fmt::format("add_up(state, job.at<State>({}) + blockIdx.x);", size_t{Word::kOut});
  if (builder.section().takes_pairs()) return add_pair_kernels(texts, builder, head, sink, end);
  if (counts_bits(builder, aggregates))
    return add_counting_kernel(texts, builder, head, aggregates.size(), end);
  add_row_kernel(texts, builder, head,
                 {.name = "aggregate",
                  .stages = last,
                  .read = outputs,
                  .before = "State state{};",
                  .sink = sink,
                  .end = end});
}

}  // namespace lanewise::ops
