#include <fmt/format.h>

#include "ops/aggregate/gpu/groups/group_kernels.h"
#include "ops/gpu/rows/row_kernels.h"

/// The kernels that read tables of groups.
namespace lanewise::ops {

using expr::Emitted;
using expr::Emitter;
using Kind = GroupCell::Kind;
using Word = codegen::JobLayout::Word;

/// What has its place in the program's outputs, in the row that the cell picked.
Emitted GroupKernels::in_row(Emitter& out, size_t output, size_t cell, const Expr& expr) const {
  const std::string value = fmt::format("picked{}", output), there = fmt::format("is_picked{}", output);
  out.line(fmt::format("{} {}{{}};", expr::device_type(expr.type), value));
  out.line(fmt::format("bool {} = slot.c{}.there();", there, cell));
  out.open(fmt::format("if ({}) {{", there));
  out.line(fmt::format("const u64 row = slot.c{}.template row<{}>();", cell, plan_.cells()[cell].last));
  const Emitted made = out.emit(expr);
  out.line(fmt::format("{} = {};", value, made.value));
  if (!made.valid.empty()) out.line(fmt::format("{} = {};", there, made.valid));
  out.close();
  return {value, there};
}

/// A column that is a cell.
Emitted GroupKernels::cell_value(Emitter& out, size_t output, size_t i) const {
  const GroupCell& cell = plan_.cells()[i];
  const std::string held = fmt::format("slot.c{}", slots_.holder(i));
  const std::string seen =
      cell.seen && slots_.stores(*cell.seen) ? fmt::format("slot.c{}.count != 0", *cell.seen) : "";
  switch (cell.kind) {
    case Kind::kPicked:
      return in_row(out, output, *cell.of, *input(cell.input));
    case Kind::kIsPicked:
      return {held + ".there()"};
    case Kind::kSquares:
      return {held + ".state().squares", seen};
    default:
      break;
  }
  if (is_count(cell.reduction)) return {fmt::format("i64({}.count)", held)};
  if (cell.reduction == Reduction::kSum && cell.type != TypeId::kFloat64)
    out.line(fmt::format("if ({}.overflows()) job.at<GroupOutcome>({})->overflow = 1;", held,
                         size_t{Word::kEvents}));
  return {held + ".get()", seen};
}

/// `mark_groups` and `project`.
void GroupKernels::add_readers(codegen::KernelText& text) const {
  text.body = fmt::format(
      "\nextern \"C\" __global__ void __launch_bounds__(kThreads) mark_groups(const Job job) {{\n"
      "  mark_slots<Slot, {}>(job.at<const u8>({}), job.words[{}], job.at<u32>({}));\n}}\n",
      slots_.far_stride(), size_t{Word::kOut}, size_t{Word::kRows}, size_t{Word::kActive});
  const size_t keys = plan_.keys().size();
  std::vector<Type> types;
  for (const Field& field : plan_.partial()) types.push_back(field.type);
  std::vector<size_t> columns;  // cells
  for (size_t i = 0; i < plan_.cells().size(); ++i) {
    if (plan_.cells()[i].is_column) columns.push_back(i);
  }
  const auto output = [&](Emitter& out, size_t o) -> Emitted {
    if (o >= keys) return cell_value(out, o, columns[o - keys]);
    if (const std::optional<size_t> cell = plan_.row_of_key(o)) return in_row(out, o, *cell, *key(o));
    return {fmt::format("slot.k{}.get()", o), fmt::format("!(slot.nulls & {}u)", 1u << o)};
  };
  std::vector<ExprPtr> read;  // in rows that were picked
  for (size_t i = 0; i < keys; ++i) {
    if (plan_.row_of_key(i)) read.push_back(key(i));
  }
  for (const GroupCell& cell : plan_.cells()) {
    if (cell.kind == Kind::kPicked) read.push_back(input(cell.input));
  }
  const std::string begin =
      fmt::format("const Slot& slot = *reinterpret_cast<const Slot*>(job.at<u8>({}) + row * {});{}",
                  size_t{Word::kOut}, slots_.far_stride(), read.empty() ? "" : " bool failed = false;");
  add_project_kernel(text, builder_,
                     {.read = read, .types = types, .begin = begin, .output = output, .notes_faults = false});
}

}  // namespace lanewise::ops
