#include <fmt/format.h>

#include "exec/gpu/codegen/kernel_writer.h"
#include "exec/gpu/join/split-inl.h"

/// The kernels that put rows into the order of the parts of a lookup.
namespace lanewise::exec {

using expr::Emitted;
using expr::Emitter;

/// `part` leaves the part of `row`.
void KernelWriter::split_kernels(KernelText& to, size_t probe, const std::vector<ExprPtr>& read,
                                 Access access, const Write& part) const {
  const auto kernel = [&](const std::string& name, const std::string& parameters, const std::string& call) {
    Emitter out = emitter(access);
    out.line("");
    out.open(
        fmt::format("extern \"C\" __global__ void __launch_bounds__(kSplitThreads) {}(const Job job{}) {{",
                    name, parameters));
    pointers(out, read);
    define_lookup(out, probe);
    out.open("const auto part = [&](u64 row) -> u32 {");
    part(out);
    out.close("};");
    out.line(call);
    out.close();
    add(to, name, out);
  };
  const std::string rows = fmt::format("job.words[{}], job.at<u32>({})", size_t{kRows}, size_t{kOut});
  kernel("count_parts", "", "count_by_part(" + rows + ", part);");
  kernel("split_rows", ", const __grid_constant__ MovedColumns columns",
         "split_by_part(" + rows + ", columns, part);");
  to.names.emplace_back("start_parts");
  to.body += fmt::format(
      "\nextern \"C\" __global__ void __launch_bounds__(kSplitThreads) start_parts(const Job job) {{\n"
      "  if (warp() != 0) return;\n"
      "  u32* const counts = job.at<u32>({});\n"
      "  const u32 all = start_parts(counts, counts);\n"
      "  if (lane() == 0) counts[kLookupParts] = all;\n}}\n",
      size_t{kOut});
}

std::string KernelWriter::split_head(size_t probe) const {
  return begin("") + "#include \"exec/gpu/join/split-inl.h\"\n" + keys_text(probe);
}

KernelText KernelWriter::split_build_text() const {
  KernelText text{split_head(0), {}, ""};
  split_kernels(text, 0, build_columns(), Access::kBuild, [this](Emitter& out) {
    out.line("Keys0 keys{};");
    set_keys(out, 0, build_keys(0));
    out.line(fmt::format("return part_of(lookup, keys, job.words[{}], false);", size_t{kShift}));
  });
  return text;
}

KernelText KernelWriter::split_text() const {
  const Stage& stage = program_.stages[first_of_last_];
  const size_t probe = *stage.probe;
  KernelText text{split_head(probe), {}, ""};
  split_kernels(text, probe, program_.read_by(stage), Access::kRow, [&](Emitter& out) {
    out.line(fmt::format("const u32* const active = job.at<const u32>({});", size_t{kActive}));
    out.line("bool keep = !active || bit(active, row), failed = false;");
    try_predicates(out, stage);
    out.line("if (!keep && !failed) return kNoPart;");
    std::vector<Emitted> values;
    for (const ExprPtr& key : program_.probes[probe].keys) values.push_back(out.emit(*key));
    out.line(fmt::format("Keys{} keys{{}};", probe));
    set_keys(out, probe, values);
    out.line(fmt::format("return part_of(lookup, keys, job.words[{}], {} && !failed);", size_t{kShift},
                         needs_match(probe)));
  });
  return text;
}

/// The places of the columns that the last kernel reads in rows that are split; none where they cannot be:
/// what else it reads lies by the rows' numbers, or has no fixed width.
std::optional<std::vector<size_t>> KernelWriter::find_split() const {
  if (section_.first != 0 || !is_last() || !sink_.aggregates_rows) return std::nullopt;
  if (!program_.stages[first_of_last_].probe || is_wide()) return std::nullopt;
  static_assert(kernel::kJobWords * sizeof(uint64_t) + sizeof(kernel::MovedColumns) <= 4096,
                "arguments of a kernel");
  std::vector<ExprPtr> read = program_.read_by({first_of_last_, program_.stages.size()});
  read.insert(read.end(), program_.outputs.begin(), program_.outputs.end());
  Emitter scratch = emitter(Access::kRow);
  for (const ExprPtr& expr : program_.read_by(program_.stages[first_of_last_])) scratch.emit(*expr);
  bool can = !scratch.makes_texts();
  for (const ExprPtr& expr : read)
    if (expr != nullptr) walk(*expr, [&](const Expr& part) { can &= !expr::is_match(part); });
  std::vector<size_t> moved;
  for (const size_t place : places_of(read)) {
    const ColumnForm& form = forms_[place];
    if (form.probe) {
      can &= stays_in_lane(*form.probe);
    } else {
      moved.push_back(place);
      can &= !form.type.is_string() && !form.nullable;
    }
  }
  return can && moved.size() <= kernel::MovedColumns::kMost ? std::optional(moved) : std::nullopt;
}

}  // namespace lanewise::exec
