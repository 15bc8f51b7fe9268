#include "exec/gpu/join/build_kernels.h"

#include <fmt/format.h>

#include "exec/gpu/join/probe_kernels.h"

namespace lanewise::exec {

using expr::Emitted;
using expr::Emitter;
using Word = JobLayout::Word;

std::vector<ExprPtr> build_columns(const Program& program) {
  const Probe& probe = program.probes[0];
  std::vector<ExprPtr> columns;
  for (size_t key = 0; key < probe.keys.size(); ++key)
    columns.push_back(column(probe.key_column(key), program.types[probe.key_column(key)]));
  return columns;
}

namespace {

/// A kernel over the rows of a build side, of which some can match: `each` is written for `row`, `before` and
/// `after` around the loop.
void add_build_kernel(KernelText& to, const KernelBuilder& builder, const std::string& name,
                      const std::string& before, const std::string& each, const std::string& after,
                      const std::string& parameters = "") {
  const Probe& probe = builder.program().probes[0];
  Emitter out = builder.emitter(KernelBuilder::Access::kBuild);
  out.line("");
  out.open(fmt::format("extern \"C\" __global__ void __launch_bounds__(kThreads) {}(const Job job{}) {{",
                       name, parameters));
  builder.pointers(out, build_columns(builder.program()));
  define_held(out, builder, 0);
  define_lookup(out, builder.layout(), 0);
  out.line(fmt::format("const u64 rows = job.words[{}];", size_t{Word::kRows}));
  out.line(before);
  out.open("for (u64 row = thread(); row < rows; row += threads()) {");
  std::string can_match = "true";
  const std::vector<Emitted> keys = build_keys(builder, 0);
  for (size_t key = 0; key < keys.size(); ++key) {
    if (!keys[key].valid.empty() && !probe.join->keys[key].null_is_equal)
      can_match += " && " + keys[key].valid;
  }
  out.line(fmt::format("const bool can_match = {};", can_match));
  out.line(each);
  out.close();
  out.line(after);
  out.close();
  KernelBuilder::add(to, name, out);
}

}  // namespace

KernelText lookup_text(const KernelBuilder& builder) {
  const Program& program = builder.program();
  KernelText text{
      builder.begin("") + "#include \"exec/gpu/join/join-inl.h\"\n" + keys_text(program, 0), {}, ""};
  const std::string noted = fmt::format("&job.at<KeyBounds>({})->noted", size_t{Word::kOut});
  add_build_kernel(text, builder, "fill", "",
                   fmt::format("if (!can_match) note_keys({0}, kNullKeys);\n"
                               "    else if (put_row<Keys0>(lookup, rows, u32(row), held) != row) "
                               "note_keys({0}, kKeysRepeat);",
                               noted),
                   "");
  if (has_exact_keys(program, 0)) {
    add_build_kernel(
        text, builder, "fill_values", "",
        fmt::format(
            "const u32 value = word_at(job.words[{0}], u32(job.words[{1}]), row);\n"
            "    const u32 seen = can_match ? put_value<Keys0>(lookup, u32(row), value, held) : kNullKeys;\n"
            "    if (seen) note_keys({2}, seen);",
            size_t{Word::kRecords}, size_t{Word::kDepth}, noted),
        "");
  }
  add_build_kernel(text, builder, "count_runs", "",
                   fmt::format("const u32 first = can_match ? find_row(lookup, held(row), held) : kNoRow;\n"
                               "    job.at<u32>({})[row] = first;\n"
                               "    if (first != kNoRow) atomicAdd(job.at<u32>({}) + first, 1);",
                               builder.layout().probe(0), size_t{Word::kOut}),
                   "");
  if (!finds_numbers(program, 0)) return text;
  add_build_kernel(
      text, builder, "place_rows", "",
      fmt::format("if (!can_match) note_keys({0}, kNullKeys);\n"
                  "    else if (!place_row(lookup, row, columns, held)) note_keys({0}, kKeysRepeat);",
                  noted),
      "", ", const __grid_constant__ MovedColumns columns");
  add_build_kernel(text, builder, "bound", "KeyBounds bounds = {~u64(0), 0, 0};",
                   "if (can_match) bounds.take(row, held);\n"
                   "    else bounds.noted = kNullKeys | kNotAscending;",
                   fmt::format("bounds.give(job.at<KeyBounds>({}));", size_t{Word::kOut}));
  return text;
}

}  // namespace lanewise::exec
