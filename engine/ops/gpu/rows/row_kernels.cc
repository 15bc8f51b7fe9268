#include "ops/gpu/rows/row_kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/filter/gpu/match_kernels.h"

namespace lanewise::ops {

using expr::Emitted;
using expr::Emitter;
using Word = codegen::JobLayout::Word;

namespace {

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

/// Whether a row's code calls what has loops of its own: for several rows at once it compiles as many times
/// as long, and nothing is gained.
bool is_long(const codegen::KernelBuilder& builder, const RowKernel& kernel) {
  const auto is_long = [&](const ExprPtr& expr) { return expr != nullptr && builder.traits(*expr).is_long; };
  for (size_t stage = kernel.stages.first; stage < kernel.stages.end; ++stage)
    if (std::ranges::any_of(builder.program().stages[stage].predicates, is_long)) return true;
  return std::ranges::any_of(kernel.read, is_long);
}

/// Writes one row kernel.
class RowWriter {
 public:
  RowWriter(const codegen::KernelBuilder& builder, const RowKernel& kernel)
      : builder_(builder),
        kernel_(kernel),
        is_long_(is_long(builder, kernel)),
        rolled_(kernel.rolled || is_long_) {
    const codegen::Program& program = builder.program();
    read_ = program.read_by(kernel.stages);
    read_.insert(read_.end(), kernel.read.begin(), kernel.read.end());
    const bool is_one = kernel.stages.end - kernel.stages.first == 1;
    const std::vector<ExprPtr> early = is_one ? read_ : program.read_by(program.stages[kernel.stages.first]);
    places_ = builder.places_of(early);
    for (const size_t place : builder.places_of(read_))
      if (std::find(places_.begin(), places_.end(), place) == places_.end()) late_.insert(place);
    std::erase_if(places_, [&](size_t place) { return builder.forms()[place].probe.has_value(); });
  }

  void add_to(codegen::KernelText& text) const {
    Emitter out = builder_.emitter(codegen::KernelBuilder::Access::kGroup, late_);
    out.line("");
    out.open(fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}(const Job job) {{",
                         kernel_.bounds, kernel_.name));
    const size_t bytes = bytes_of_a_row();
    const int words = kernel_.rolled ? words_of_rolled(bytes) : words_at_a_time(bytes, is_long_);
    out.line(fmt::format("constexpr u32 kWords = {};", words));
    out.line(fmt::format("const u64 rows = job.words[{}];", size_t{Word::kRows}));
    builder_.pointers(out, read_);
    out.line_if_texts(codegen::KernelBuilder::heap_declaration());
    if (!kernel_.before.empty()) out.line(kernel_.before);
    // All rows of a full group without a bitmap are active, which leaves nothing to test.
    const bool may_be_full = kernel_.stages.first == builder_.section().first && !rolled_ && words > 1;
    define_group(out);
    out.open("for (u64 first = warp() * kWords * 32; first < rows; first += warps() * kWords * 32) {");
    if (!kernel_.goes_on.empty()) out.line("if (!(" + kernel_.goes_on + ")) break;");
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
    if (!kernel_.end.empty()) out.line(kernel_.end);
    out.close();
    codegen::KernelBuilder::add(text, kernel_.name, out);
  }

 private:
  size_t bytes_of_a_row() const {
    size_t bytes = 0;
    for (size_t place : places_) {
      const codegen::ColumnForm& form = builder_.forms()[place];
      bytes += form.dictionary ? 4 : is_fixed(form) ? width(form.type.physical()) : rolled_ ? kTextBytes : 0;
    }
    return bytes;
  }

  /// Defines `group`, which takes kWords words of rows.
  void define_group(Emitter& out) const {
    out.open("const auto group = [&]<bool full, u32 kWords>(u64 first) {");
    out.line(
        fmt::format("const u32 word_of_lane = full ? ~0u : active_words<kWords>(job.at<const u32>({}), "
                    "first / 32, rows);",
                    size_t{Word::kActive}));
    out.line("u32 active[kWords];");
    out.line("#pragma unroll");
    out.line("for (u32 j = 0; j < kWords; j++) active[j] = full ? ~0u : __shfl_sync(~0u, word_of_lane, j);");
    const std::string next_word = load_columns(out);
    out.line(rolled_ ? "#pragma unroll 1" : "#pragma unroll");
    out.open("for (u32 word = 0; word < kWords; word++) {");
    out.line(rolled_ ? "constexpr u32 j = 0;" : "const u32 j = word;");
    take_row(out);
    if (rolled_) out.line("shift(active);" + next_word);
    out.close();
    out.close("};");
  }

  /// Loads what has a fixed width for all rows of the group. Returns what makes the next word of them the
  /// first.
  std::string load_columns(Emitter& out) const {
    std::string next_word;
    for (size_t place : places_) {
      const codegen::ColumnForm& form = builder_.forms()[place];
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
        out.line(fmt::format(
            "for (u32 j = 0; j < kWords; j++) n{0}[j] = active[j] ? k{0}[first / 32 + j] : 0;", place));
        next_word += fmt::format(" shift(n{});", place);
      }
    }
    return next_word;
  }

  /// What becomes of one row.
  void take_row(Emitter& out) const {
    out.line("const u64 row = first + word * 32 + lane();");
    out.line("bool keep = active[j] >> lane() & 1, failed = false;");
    if (!kernel_.keeps_texts) out.line_if_texts("heap.rewind();");
    for (size_t stage = kernel_.stages.first; stage < kernel_.stages.end; ++stage)
      builder_.take_row(out, stage);
    kernel_.sink(out);
    out.line_if_texts("failed &= !heap.lost();");
    out.line_if_texts("keep |= heap.lost() && (active[j] >> lane() & 1);");  // it is tested again
    out.line(codegen::KernelBuilder::note_fault());
    if (!kernel_.after_word.empty()) out.line(kernel_.after_word);
  }

  const codegen::KernelBuilder& builder_;
  const RowKernel& kernel_;
  const bool is_long_, rolled_;
  std::vector<ExprPtr> read_;
  std::vector<size_t> places_;  // of what is loaded for the whole group
  std::set<size_t> late_;
};

}  // namespace

void add_row_kernel(std::vector<codegen::KernelText>& texts, const codegen::KernelBuilder& builder,
                    const std::string& head, const RowKernel& kernel) {
  texts.push_back({head, {}, ""});
  RowWriter(builder, kernel).add_to(texts.back());
}

std::string filter_kernel(size_t stage) { return fmt::format("filter_{}", stage); }

void add_filter(std::vector<codegen::KernelText>& texts, const codegen::KernelBuilder& builder,
                size_t stage) {
  const std::string leave = fmt::format(
      "if (const u32 kept = __ballot_sync(~0u, keep && !failed); lane() == 0 && row < rows) "
      "job.at<u32>({})[row / 32] = kept;",
      size_t{Word::kOut});
  const codegen::KernelBuilder ordered = builder.ordered(builder.filter_order(stage));
  const codegen::StageRange only = {stage, stage + 1};
  add_row_kernel(texts, ordered, ordered.begin("") + ordered.head_of(only),
                 {.name = filter_kernel(stage), .stages = only, .after_word = leave});
}

void add_narrowing(std::vector<codegen::KernelText>& texts, const codegen::KernelBuilder& builder,
                   size_t end) {
  add_match_kernels(texts, builder);
  for (size_t stage = builder.section().first; stage < end; ++stage) add_filter(texts, builder, stage);
}

void add_list_kernel(codegen::KernelText& to, const codegen::KernelBuilder& builder,
                     const ListKernel& kernel) {
  Emitter out = builder.emitter(codegen::KernelBuilder::Access::kRow);
  out.line("");
  out.open(fmt::format("extern \"C\" __global__ void __launch_bounds__(kThreads) {}(const Job job) {{",
                       kernel.name));
  out.line(fmt::format("const u64 rows = job.words[{}];", size_t{Word::kRows}));
  out.line(fmt::format("const u32* const list = job.at<const u32>({});", size_t{Word::kList}));
  builder.pointers(out, kernel.read);
  out.line_if_texts(codegen::KernelBuilder::heap_declaration());
  if (!kernel.before.empty()) out.line(kernel.before);
  out.open(
      "for (u64 i = blockIdx.x * u64(kThreads) + threadIdx.x; i < rows; i += gridDim.x * u64(kThreads)) {");
  out.line(fmt::format("const u64 row = {};", kernel.row));
  out.line("bool failed = false;");
  if (!kernel.keeps_texts) out.line_if_texts("heap.rewind();");
  kernel.each(out);
  out.line_if_texts("failed &= !heap.lost();");
  out.line(codegen::KernelBuilder::note_fault());
  out.close();
  if (!kernel.end.empty()) out.line(kernel.end);
  out.close();
  codegen::KernelBuilder::add(to, kernel.name, out);
}

void add_project_kernel(codegen::KernelText& to, const codegen::KernelBuilder& builder,
                        const ProjectKernel& kernel) {
  const std::vector<Type>& types = kernel.types;
  const codegen::JobLayout& layout = builder.layout();
  Emitter out = builder.emitter(codegen::KernelBuilder::Access::kRow);
  out.line("");
  out.open("extern \"C\" __global__ void __launch_bounds__(kThreads) project(const Job job) {");
  out.line(fmt::format("const u64 rows = job.words[{}];", size_t{Word::kRows}));
  out.line(fmt::format("const u32* const list = job.at<const u32>({});", size_t{Word::kList}));
  builder.pointers(out, kernel.read);
  out.line_if_texts(codegen::KernelBuilder::heap_declaration());
  out.open("for (u64 first = warp() * 32; first < rows; first += warps() * 32) {");
  out.line("const u64 i = first + lane();");
  for (size_t o = 0; o < types.size(); ++o) out.line(fmt::format("bool there{} = false;", o));
  out.open("if (i < rows) {");
  out.line("const u64 row = list[i];");
  out.line(kernel.begin);
  for (size_t o = 0; o < types.size(); ++o) {
    const Emitted value = kernel.output(out, o);
    out.line(fmt::format("there{} = {};", o, value.is_valid()));
    out.line(fmt::format("job.at<{0}>({1})[i] = there{2} ? {3} : {0}{{}};", expr::device_type(types[o]),
                         layout.output(o), o, value.value));
  }
  if (kernel.notes_faults) {
    out.line_if_texts("failed &= !heap.lost();");
    out.line(codegen::KernelBuilder::note_fault());
  }
  out.close();
  for (size_t o = 0; o < types.size(); ++o) {
    out.line(fmt::format(
        "if (const u32 word = __ballot_sync(~0u, there{}); lane() == 0) job.at<u32>({})[first / 32] = word;",
        o, layout.output(o) + 1));
  }
  out.close();
  out.close();
  codegen::KernelBuilder::add(to, "project", out);
}

}  // namespace lanewise::ops
