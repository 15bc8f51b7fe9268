#include <fmt/format.h>

#include "exec/device/kernel_writer.h"

/// The kernels of GROUP BY and DISTINCT.
namespace lanewise::exec {

using expr::Emitted;
using expr::Emitter;
using Takes = DeviceAggregate::Takes;
using Keeps = DeviceAggregate::Keeps;

/// An input's value, and whether it is taken: where it is there and its filter is true.
Emitted KernelWriter::input_value(Emitter& out, size_t input) const {
  const size_t pair = sink_.input_pair(input);
  const ExprPtr &arg = program_.outputs[pair], &filter = program_.outputs[pair + 1];
  if (filter == nullptr) return out.emit(*arg);
  const std::string value = fmt::format("arg{}", input), given = fmt::format("given{}", input);
  const Emitted condition = out.emit(*filter);
  out.line(fmt::format("bool {} = {};", given, Emitter::is_true(condition)));
  if (arg == nullptr) return {"", given};
  out.line(fmt::format("{} {}{{}};", expr::device_type(arg->type), value));
  out.open(fmt::format("if ({}) {{", given));
  const Emitted made = out.emit(*arg);
  out.line(fmt::format("{} = {};", value, made.value));
  if (!made.valid.empty()) out.line(fmt::format("{} = {};", given, made.valid));
  out.close();
  return {value, given};
}

/// Puts the row that is kept into its group.
void KernelWriter::put_row(Emitter& out) const {
  const GroupPlan& plan = *sink_.groups;
  out.line("const u32 kept = __ballot_sync(~0u, keep);");
  out.open("if (keep) {");
  out.line("Slot one{};");
  for (size_t key = 0; key < plan.keys().size(); ++key) {
    const Emitted value = out.emit(*program_.outputs[DeviceSink::key_pair(key)]);
    const std::string set = fmt::format("one.k{}.set({});", key, value.value);
    out.line(value.valid.empty() ? set : fmt::format("if ({}) {}", value.valid, set));
    if (!value.valid.empty()) out.line(fmt::format("else one.nulls |= {}u;", 1u << key));
  }
  std::vector<Emitted> values;
  for (size_t input = 0; input < plan.inputs().size(); ++input) values.push_back(input_value(out, input));
  for (size_t i = 0; i < plan.cells().size(); ++i) {
    const GroupCell& cell = plan.cells()[i];
    if (!slots_->stores(i)) continue;
    const Emitted value = cell.input == kNoInput ? Emitted{} : values[cell.input];
    const std::string taken = cell.takes == Takes::kTrue ? Emitter::is_true(value) : value.valid;
    out.line(fmt::format("{}one.c{}.set({});", taken.empty() ? "" : "if (" + taken + ") ", i,
                         cell.keeps == Keeps::kCount ? "" : value.value));
  }
  out.line("table.add(kept, one);");
  out.close();
}

void KernelWriter::grouping(std::vector<KernelText>& texts) const {
  const GroupPlan& plan = *sink_.groups;
  const std::string head = begin("#include \"exec/device/groups-inl.h\"\n") + slots_->text();
  const size_t last = program_.stages.size() - 1;
  narrowing(texts, last);
  row_kernel(texts, head,
             {.name = "group",
              .stage = last,
              .bounds = "kGroupThreads, 2",
              .read = program_.outputs,
              .before = fmt::format(
                  "Table table(job.at<u8>({}), job.words[{}], job.words[{}], job.at<GroupOutcome>({}));",
                  size_t{kOut}, size_t{kSlots}, size_t{kProbes}, size_t{kEvents}),
              .goes_on = "table.goes_on(kWords * 32)",
              .sink = [&](Emitter& out) { put_row(out); },
              .end = "table.finish();",
              .keeps_texts = true,
              .rolled = true});
  KernelText rest{head, {"mark_groups"}, ""};
  rest.body = fmt::format(
      "\nextern \"C\" __global__ void __launch_bounds__(kThreads) mark_groups(const Job job) {{\n"
      "  mark_slots<Slot, {}>(job.at<const u8>({}), job.words[{}], job.at<u32>({}));\n}}\n",
      slots_->far_stride(), size_t{kOut}, size_t{kRows}, size_t{kActive});

  std::vector<Type> types;
  for (const Field& field : plan.partial()) types.push_back(field.type);
  std::vector<size_t> columns;  // cells
  for (size_t i = 0; i < plan.cells().size(); ++i) {
    if (plan.cells()[i].is_column) columns.push_back(i);
  }
  const auto output = [&](Emitter& out, size_t o) -> Emitted {
    if (o < plan.keys().size())
      return {fmt::format("slot.k{}.get()", o), fmt::format("!(slot.nulls & {}u)", 1u << o)};
    const size_t i = columns[o - plan.keys().size()];
    const GroupCell& cell = plan.cells()[i];
    if (cell.keeps == Keeps::kCount) return {fmt::format("i64(slot.c{}.count)", slots_->holder(i))};
    const std::string seen =
        cell.seen && slots_->stores(*cell.seen) ? fmt::format("slot.c{}.count != 0", *cell.seen) : "";
    if (cell.keeps != Keeps::kSum) return {fmt::format("slot.c{}.get()", i), seen};
    if (cell.type == TypeId::kFloat64) return {fmt::format("slot.c{}.sum", i), seen};
    out.line(
        fmt::format("if (slot.c{}.overflows()) job.at<GroupOutcome>({})->overflow = 1;", i, size_t{kEvents}));
    return {fmt::format("slot.c{}.total()", i), seen};
  };
  project_kernel(rest, {}, types,
                 fmt::format("const Slot& slot = *reinterpret_cast<const Slot*>(job.at<u8>({}) + row * {});",
                             size_t{kOut}, slots_->far_stride()),
                 output);
  texts.push_back(std::move(rest));
}

}  // namespace lanewise::exec
