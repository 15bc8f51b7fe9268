#include "ops/join/gpu/build_kernels.h"

#include <fmt/format.h>

#include "ops/join/gpu/probe_kernels.h"

namespace lanewise::ops {

using expr::Emitted;
using expr::Emitter;
using Word = codegen::JobLayout::Word;

std::vector<ExprPtr> build_columns(const codegen::Program& program) {
  const codegen::Probe& probe = program.probes[0];
  std::vector<ExprPtr> columns;
  for (size_t key = 0; key < probe.keys.size(); ++key)
    columns.push_back(column(probe.key_column(key), program.types[probe.key_column(key)]));
  return columns;
}

namespace {

/// A kernel over the rows of a build side, of which some can match.
class BuildKernel {
 public:
  BuildKernel(const codegen::KernelBuilder& builder, std::string name, const std::string& parameters = "",
              const char* threads = "kThreads")
      : name_(std::move(name)), out_(builder.emitter(codegen::KernelBuilder::Access::kBuild)) {
    out_.line("");
    out_.open(fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}(const Job job{}) {{",
                          threads, name_, parameters));
    builder.pointers(out_, build_columns(builder.program()));
    define_held(out_, builder, 0);
    define_lookup(out_, builder.layout(), 0);
    out_.line(fmt::format("const u64 rows = job.words[{}];", size_t{Word::kRows}));
    const codegen::Probe& probe = builder.program().probes[0];
    const std::vector<Emitted> keys = build_keys(builder, 0);
    std::string can_match = "true";
    for (size_t key = 0; key < keys.size(); ++key) {
      if (!keys[key].valid.empty() && !probe.join->keys[key].null_is_equal)
        can_match += " && " + keys[key].valid;
    }
    out_.line(fmt::format("const auto can_match = [&](u64 row) {{ return {}; }};", can_match));
  }
  void line(const std::string& text) { out_.line(text); }
  /// For each `row`.
  void for_rows(const std::string& text) {
    out_.open("for (u64 row = thread(); row < rows; row += threads()) {");
    out_.line(text);
    out_.close();
  }
  void add_to(codegen::KernelText& text) {
    out_.close();
    codegen::KernelBuilder::add(text, name_, out_);
  }

 private:
  const std::string name_;
  Emitter out_;
};

}  // namespace

codegen::KernelText lookup_text(const codegen::KernelBuilder& builder) {
  const codegen::Program& program = builder.program();
  codegen::KernelText text{
      builder.begin("") + "#include \"ops/join/gpu/fill-inl.h\"\n" + keys_text(program, 0), {}, ""};
  const std::string noted = fmt::format("&job.at<KeyBounds>({})->noted", size_t{Word::kOut});
  const auto add_fill = [&](BuildKernel kernel, const std::string& call) {
    kernel.line(fmt::format(
        "const auto of_row = [&](u64 row) {{\n    return job.words[{0}] ? word_at(job.words[{0}], "
        "u32(job.words[{1}]), row) : u32(row);\n  }};",
        size_t{Word::kRecords}, size_t{Word::kDepth}));
    kernel.line("const u32 seen = " + call + ";");
    kernel.line(fmt::format("if (seen) note_keys({}, seen);", noted));
    kernel.add_to(text);
  };
  add_fill(BuildKernel(builder, "fill"), "fill_lookup<Keys0>(lookup, rows, can_match, of_row, held)");
  add_fill(BuildKernel(builder, "fill_slices", ", u64 size, const u32* ends, u32* rest, u32 room",
                       "kSplitThreads"),
           "fill_slice<Keys0>(lookup, blockIdx.x * size, size, blockIdx.x ? ends[blockIdx.x - 1] : 0, "
           "ends[blockIdx.x], can_match, of_row, held, rest, room)");
  add_fill(BuildKernel(builder, "fill_rest", ", const u32* rest, u32 room"),
           "fill_slots<Keys0>(lookup, rest[0] < room ? rest[0] : room, [&](u64 number) { return rest[1 + "
           "number]; }, can_match, of_row, held)");
  BuildKernel runs(builder, "count_runs");
  runs.for_rows(
      fmt::format("const u32 first = can_match(row) ? find_row(lookup, held(row), held) : kNoRow;\n"
                  "    job.at<u32>({})[row] = first;\n"
                  "    if (first != kNoRow) atomicAdd(job.at<u32>({}) + first, 1);",
                  builder.layout().probe(0), size_t{Word::kOut}));
  runs.add_to(text);
  if (!finds_numbers(program, 0)) return text;
  BuildKernel places(builder, "place_rows", ", const __grid_constant__ MovedColumns columns");
  places.for_rows(
      fmt::format("if (!can_match(row)) note_keys({0}, kNullKeys);\n"
                  "    else if (!place_row(lookup, row, columns, held)) note_keys({0}, kKeysRepeat);",
                  noted));
  places.add_to(text);
  BuildKernel bound(builder, "bound");
  bound.line("KeyBounds bounds = {~u64(0), 0, 0};");
  bound.for_rows(
      "if (can_match(row)) bounds.take(row, held);\n"
      "    else bounds.noted = kNullKeys | kNotAscending;");
  bound.line(fmt::format("bounds.give(job.at<KeyBounds>({}));", size_t{Word::kOut}));
  bound.add_to(text);
  return text;
}

}  // namespace lanewise::ops
