#include "ops/join/gpu/split_kernels.h"

#include <fmt/format.h>

#include <functional>

#include "ops/join/gpu/build_kernels.h"
#include "ops/join/gpu/probe_kernels.h"
#include "ops/join/gpu/split-inl.h"

namespace lanewise::ops {

using expr::Emitted;
using expr::Emitter;
using Word = codegen::JobLayout::Word;

namespace {

/// `part` leaves the part of `row`. Only the rows of a build side are split again, by `ends`: other kernels
/// are faster where it is a constant.
void add_split_kernels(codegen::KernelText& to, const codegen::KernelBuilder& builder, size_t probe,
                       const std::vector<ExprPtr>& read, codegen::KernelBuilder::Access access,
                       const std::function<void(Emitter&)>& part) {
  const auto kernel = [&](const std::string& name, const std::string& parameters, const std::string& call) {
    Emitter out = builder.emitter(access);
    out.line("");
    out.open(
        fmt::format("extern \"C\" __global__ void __launch_bounds__(kSplitThreads) {}(const Job job{}) {{",
                    name, parameters));
    builder.pointers(out, read);
    define_lookup(out, builder.layout(), probe);
    out.open("const auto part = [&](u64 row) -> u32 {");
    part(out);
    out.close("};");
    out.line(call);
    out.close();
    codegen::KernelBuilder::add(to, name, out);
  };
  const std::string rows =
      fmt::format("SplitRange(job.words[{}], {}), job.at<u32>({})", size_t{Word::kRows},
                  access == codegen::KernelBuilder::Access::kBuild ? "ends" : "nullptr", size_t{Word::kOut});
  kernel("count_parts", ", const u32* ends", "count_by_part(" + rows + ", part);");
  kernel("split_rows", ", const u32* ends, const __grid_constant__ MovedColumns columns",
         "split_by_part(" + rows + ", columns, part);");
  to.names.emplace_back("start_parts");
  to.body += fmt::format(
      "\nextern \"C\" __global__ void __launch_bounds__(kSplitThreads) start_parts(const Job job, u32 parts) "
      "{{\n"
      "  start_all(job.at<u32>({}), parts);\n}}\n",
      size_t{Word::kOut});
}

std::string split_head(const codegen::KernelBuilder& builder, size_t probe) {
  return builder.begin("") + "#include \"ops/join/gpu/split-inl.h\"\n" + keys_text(builder.program(), probe);
}

}  // namespace

codegen::KernelText split_build_text(const codegen::KernelBuilder& builder) {
  codegen::KernelText text{split_head(builder, 0), {}, ""};
  add_split_kernels(
      text, builder, 0, build_columns(builder.program()), codegen::KernelBuilder::Access::kBuild,
      [&](Emitter& out) {
        out.line("Keys0 keys{};");
        set_keys(out, builder.program().probes[0], build_keys(builder, 0));
        out.line(fmt::format("return part_of(lookup, keys, job.words[{}], false) % kLookupParts;",
                             size_t{Word::kShift}));
      });
  return text;
}

codegen::KernelText split_text(const codegen::KernelBuilder& builder) {
  const codegen::Program& program = builder.program();
  const codegen::Stage& stage = program.stages[builder.first_of_last()];
  const size_t probe = *program.probe_at(builder.first_of_last());
  codegen::KernelText text{split_head(builder, probe), {}, ""};
  add_split_kernels(
      text, builder, probe, program.read_by(stage), codegen::KernelBuilder::Access::kRow, [&](Emitter& out) {
        out.line(fmt::format("const u32* const active = job.at<const u32>({});", size_t{Word::kActive}));
        out.line("bool keep = !active || bit(active, row), failed = false;");
        codegen::KernelBuilder::try_predicates(out, stage);
        out.line("if (!keep && !failed) return kNoPart;");
        std::vector<Emitted> values;
        for (const ExprPtr& key : program.probes[probe].keys) values.push_back(out.emit(*key));
        out.line(fmt::format("Keys{} keys{{}};", probe));
        set_keys(out, program.probes[probe], values);
        out.line(fmt::format("return part_of(lookup, keys, job.words[{}], {} && !failed);",
                             size_t{Word::kShift}, needs_match(program.probes[probe])));
      });
  return text;
}

std::optional<std::vector<size_t>> split_places(const codegen::KernelBuilder& builder) {
  const codegen::Program& program = builder.program();
  const size_t first = builder.first_of_last();
  if (builder.section().probe || !builder.is_last() ||
      builder.sink().takes != codegen::SinkForm::Takes::kStates)
    return std::nullopt;
  if (!program.probe_at(first) || builder.layout().is_wide()) return std::nullopt;
  static_assert(kernel::kJobWords * sizeof(uint64_t) + sizeof(kernel::MovedColumns) <= 4096,
                "arguments of a kernel");
  std::vector<ExprPtr> read = program.read_by({first, program.stages.size()});
  read.insert(read.end(), program.outputs.begin(), program.outputs.end());
  bool can = std::ranges::none_of(program.read_by(program.stages[first]),
                                  [&](const ExprPtr& expr) { return builder.traits(*expr).makes_texts; });
  for (const ExprPtr& expr : read)
    if (expr != nullptr) walk(*expr, [&](const Expr& part) { can &= !expr::is_match(part); });
  std::vector<size_t> moved;
  for (const size_t place : builder.places_of(read)) {
    const codegen::ColumnForm& form = builder.forms()[place];
    if (form.probe) {
      can &= builder.stays_in_lane(*form.probe);
    } else {
      moved.push_back(place);
      can &= !form.type.is_string() && !form.nullable;
    }
  }
  return can && moved.size() <= kernel::MovedColumns::kMost ? std::optional(moved) : std::nullopt;
}

}  // namespace lanewise::ops
