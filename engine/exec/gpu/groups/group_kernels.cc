#include <fmt/format.h>

#include <algorithm>

#include "exec/gpu/codegen/kernel_writer.h"

/// The kernels of GROUP BY and DISTINCT.
namespace lanewise::exec {

using expr::Emitted;
using expr::Emitter;
using Takes = DeviceAggregate::Takes;
using Keeps = DeviceAggregate::Keeps;
using Kind = GroupCell::Kind;

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

namespace {

/// Makes the cell the one of this row: its ranks, the best one greatest, then the row.
void set_row(Emitter& out, const std::string& cell, const GroupCell& wanted,
             const std::vector<Emitted>& values, const std::vector<Type>& types) {
  size_t word = 0;
  const auto set = [&](const std::string& bits) {
    out.line(fmt::format("{}.words[{}] = {};", cell, word++, bits));
  };
  for (const GroupCell::Rank& rank : wanted.ranks) {
    const Emitted& value = values[rank.input];
    const bool may_be_null = !value.valid.empty() && !rank.must_be_there;
    if (may_be_null) set(fmt::format("u64({}({}))", rank.nulls_first ? "!" : "", value.valid));
    if (may_be_null) out.open(fmt::format("if ({}) {{", value.valid));
    const std::string order = fmt::format("order_of<{}>({})", !rank.greatest, value.value);
    if (types[rank.input].is_string()) {
      out.line(fmt::format("{}.template set_text<{}>({}, {});", cell, rank.greatest, word, value.value));
      word += 3;
    } else if (width(types[rank.input].physical()) > 8) {
      set(fmt::format("u64({} >> 64)", order));
      set(fmt::format("u64({})", order));
    } else {
      set(order);
    }
    if (may_be_null) out.close();
  }
  out.line(fmt::format("{}.template set_row<{}>(row);", cell, wanted.last));
}

const char* part_of(Kind kind) {
  return kind == Kind::kMonths ? "months" : kind == Kind::kDays ? "days" : "micros";
}

std::string headers(const GroupPlan& plan) {
  const auto has = [&](const auto& is) { return std::any_of(plan.cells().begin(), plan.cells().end(), is); };
  std::string lines = "#include \"exec/gpu/groups/groups-inl.h\"\n";
  if (has([](const GroupCell& cell) { return is_fold(cell.keeps); }))
    lines += "#include \"exec/gpu/aggregate/guarded_cell-inl.h\"\n";
  if (has([](const GroupCell& cell) { return cell.kind == Kind::kRow; }))
    lines += "#include \"exec/gpu/aggregate/picks-inl.h\"\n";
  return lines;
}

/// Whether a slot points at strings of rows.
bool keeps_texts(const GroupPlan& plan) {
  const auto is_text = [&](size_t input) {
    return input != kNoInput && plan.inputs()[input].arg != nullptr &&
           plan.inputs()[input].arg->type.is_string();
  };
  return std::any_of(plan.keys().begin(), plan.keys().end(),
                     [](const ExprPtr& key) { return key->type.is_string(); }) ||
         std::any_of(plan.cells().begin(), plan.cells().end(), [&](const GroupCell& cell) {
           return ((cell.keeps == Keeps::kLeast || cell.keeps == Keeps::kMost) && is_text(cell.input)) ||
                  std::any_of(cell.ranks.begin(), cell.ranks.end(),
                              [&](const GroupCell::Rank& rank) { return is_text(rank.input); });
         });
}

}  // namespace

/// Makes the key of the slot `one` this value.
void KernelWriter::set_key(Emitter& out, size_t key, const Emitted& value) {
  const std::string set = fmt::format("one.k{}.set({});", key, value.value);
  out.line(value.valid.empty() ? set : fmt::format("if ({}) {}", value.valid, set));
  if (!value.valid.empty()) out.line(fmt::format("else one.nulls |= {}u;", 1u << key));
}

/// Puts the row that is kept into its group.
void KernelWriter::put_row(Emitter& out) const {
  out.line("const u32 kept = __ballot_sync(~0u, keep);");
  out.open("if (keep) {");
  set_slot(out);
  out.line("table.add(kept, one);");
  out.close();
}

/// Makes the slot `one` that of the row.
void KernelWriter::set_slot(Emitter& out) const {
  const GroupPlan& plan = *sink_.groups;
  out.line("Slot one{};");
  for (size_t key = 0; key < plan.keys().size(); ++key)
    set_key(out, key, out.emit(*program_.outputs[DeviceSink::key_pair(key)]));
  std::vector<Emitted> inputs;
  for (size_t input = 0; input < plan.inputs().size(); ++input)
    inputs.push_back(plan.inputs()[input].is_computed ? input_value(out, input) : Emitted{});
  set_cells(out, inputs);
}

std::vector<KernelText> KernelWriter::slot_texts() const {
  std::vector<KernelText> texts;
  if (!slots_->shape()) return texts;
  texts.push_back({group_head(), {}, ""});
  const auto leave_slot = [&](Emitter& out) {
    set_slot(out);
    out.line(fmt::format("job.at<Slot>({})[i] = one;", size_t{kRecords}));
  };
  list_kernel(texts.back(), "make_slots", program_.outputs, "", leave_slot, "",
              fmt::format("list ? list[i] : job.words[{}] + i", size_t{kFrom}), keeps_texts(*sink_.groups));
  const size_t last = program_.stages.size() - 1;
  if (!program_.stages[last].predicates.empty()) filter(texts, last);
  return texts;
}

/// Makes the cells of the slot `one` those of the inputs' values.
void KernelWriter::set_cells(Emitter& out, const std::vector<Emitted>& values) const {
  const GroupPlan& plan = *sink_.groups;
  std::vector<Type> types;
  for (const GroupPlan::Input& input : plan.inputs())
    types.push_back(input.arg == nullptr ? Type(TypeId::kBool) : input.arg->type);
  for (size_t i = 0; i < plan.cells().size(); ++i) {
    const GroupCell& cell = plan.cells()[i];
    if (!slots_->stores(i)) continue;
    const Emitted value = cell.input == kNoInput ? Emitted{} : values[cell.input];
    std::string taken = cell.takes == Takes::kTrue ? Emitter::is_true(value) : value.valid;
    for (const GroupCell::Rank& rank : cell.ranks) {
      const std::string& there = values[rank.input].valid;
      if (rank.must_be_there && !there.empty()) taken += (taken.empty() ? "" : " && ") + there;
    }
    const std::string if_taken = taken.empty() ? "" : "if (" + taken + ") ";
    switch (cell.kind) {
      case Kind::kRow:
        out.open(if_taken + "{");
        set_row(out, fmt::format("one.c{}", i), cell, values, types);
        out.close();
        break;
      case Kind::kMonths:
      case Kind::kDays:
      case Kind::kMicros:
        out.line(fmt::format("{}one.c{}.set(({}).{});", if_taken, i, value.value, part_of(cell.kind)));
        break;
      default:
        out.line(
            fmt::format("{}one.c{}.set({});", if_taken, i, cell.keeps == Keeps::kCount ? "" : value.value));
    }
  }
}

/// What kernels begin with that make slots.
std::string KernelWriter::group_head() const { return begin(headers(*sink_.groups)) + slots_->text(); }
std::string KernelWriter::make_table() {
  return fmt::format("Table table(job.at<u8>({}), job.words[{}], job.words[{}], job.at<GroupOutcome>({}));",
                     size_t{kOut}, size_t{kSlots}, size_t{kProbes}, size_t{kEvents});
}

void KernelWriter::grouping(std::vector<KernelText>& texts) const {
  const GroupPlan& plan = *sink_.groups;
  const std::string head = group_head();
  const size_t last = program_.stages.size() - 1;
  narrowing(texts, last);
  row_kernel(texts, head,
             {.name = "group",
              .stages = {last, last + 1},
              .bounds = "kGroupThreads, 2",
              .read = program_.outputs,
              .before = make_table(),
              .goes_on = "table.goes_on(kWords * 32)",
              .sink = [&](Emitter& out) { put_row(out); },
              .end = "table.finish();",
              .keeps_texts = keeps_texts(plan),
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
  // What has its place in the program's outputs, in the row that the cell picked.
  const auto in_row = [&](Emitter& out, size_t o, size_t cell, const Expr& expr) -> Emitted {
    const std::string value = fmt::format("picked{}", o), there = fmt::format("is_picked{}", o);
    out.line(fmt::format("{} {}{{}};", expr::device_type(expr.type), value));
    out.line(fmt::format("bool {} = slot.c{}.there();", there, cell));
    out.open(fmt::format("if ({}) {{", there));
    out.line(fmt::format("const u64 row = slot.c{}.template row<{}>();", cell, plan.cells()[cell].last));
    const Emitted made = out.emit(expr);
    out.line(fmt::format("{} = {};", value, made.value));
    if (!made.valid.empty()) out.line(fmt::format("{} = {};", there, made.valid));
    out.close();
    return {value, there};
  };
  const auto output = [&](Emitter& out, size_t o) -> Emitted {
    if (o < plan.keys().size()) {
      const std::string there = fmt::format("!(slot.nulls & {}u)", 1u << o);
      const std::optional<size_t> cell = plan.row_of_key(o);
      return cell ? in_row(out, o, *cell, *program_.outputs[DeviceSink::key_pair(o)])
                  : Emitted{fmt::format("slot.k{}.get()", o), there};
    }
    const size_t i = columns[o - plan.keys().size()];
    const GroupCell& cell = plan.cells()[i];
    const std::string held = fmt::format("slot.c{}", slots_->holder(i));
    const std::string seen =
        cell.seen && slots_->stores(*cell.seen) ? fmt::format("slot.c{}.count != 0", *cell.seen) : "";
    switch (cell.kind) {
      case Kind::kPicked:
        return in_row(out, o, *cell.of, *program_.outputs[sink_.input_pair(cell.input)]);
      case Kind::kIsPicked:
        return {held + ".there()"};
      case Kind::kSquares:
        return {held + ".state().squares", seen};
      case Kind::kMonths:
      case Kind::kDays:
      case Kind::kMicros:
        return {held + ".total()", seen};
      default:
        break;
    }
    switch (cell.keeps) {
      case Keeps::kCount:
        return {fmt::format("i64({}.count)", held)};
      case Keeps::kExactSum:
        return {held + ".state().sum", seen};
      case Keeps::kProduct:
        return {held + ".state().product", seen};
      case Keeps::kMoments:
        return {held + ".state().mean", seen};
      case Keeps::kSum:
        break;
      default:
        return {held + ".get()", seen};
    }
    if (cell.type == TypeId::kFloat64) return {held + ".sum", seen};
    out.line(
        fmt::format("if ({}.overflows()) job.at<GroupOutcome>({})->overflow = 1;", held, size_t{kEvents}));
    return {held + ".total()", seen};
  };
  std::vector<ExprPtr> read;  // in rows that were picked
  for (size_t key = 0; key < plan.keys().size(); ++key) {
    if (plan.row_of_key(key)) read.push_back(program_.outputs[DeviceSink::key_pair(key)]);
  }
  for (const GroupCell& cell : plan.cells()) {
    if (cell.kind == Kind::kPicked) read.push_back(program_.outputs[sink_.input_pair(cell.input)]);
  }
  project_kernel(
      rest, read, types,
      fmt::format("const Slot& slot = *reinterpret_cast<const Slot*>(job.at<u8>({}) + row * {});{}",
                  size_t{kOut}, slots_->far_stride(), read.empty() ? "" : " bool failed = false;"),
      output);
  texts.push_back(std::move(rest));
}

}  // namespace lanewise::exec
