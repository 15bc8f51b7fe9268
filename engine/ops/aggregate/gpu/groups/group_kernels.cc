#include "ops/aggregate/gpu/groups/group_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "expr/codegen/traits.h"
#include "ops/gpu/rows/row_kernels.h"

namespace lanewise::ops {

using expr::Emitted;
using expr::Emitter;
using Kind = GroupCell::Kind;
using Word = codegen::JobLayout::Word;

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

const char* field_of(Kind kind) {
  return kind == Kind::kMonths ? "months" : kind == Kind::kDays ? "days" : "micros";
}

std::string headers(const GroupPlan& plan) {
  const auto has = [&](const auto& is) { return std::any_of(plan.cells().begin(), plan.cells().end(), is); };
  std::string lines = "#include \"ops/aggregate/gpu/groups/groups-inl.h\"\n";
  if (has([](const GroupCell& cell) { return is_fold(cell.reduction); }))
    lines += "#include \"ops/aggregate/gpu/guarded_cell-inl.h\"\n";
  if (has([](const GroupCell& cell) { return cell.kind == Kind::kRow; }))
    lines += "#include \"ops/aggregate/gpu/picks-inl.h\"\n";
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
           return ((cell.reduction == Reduction::kMin || cell.reduction == Reduction::kMax) &&
                   is_text(cell.input)) ||
                  std::any_of(cell.ranks.begin(), cell.ranks.end(),
                              [&](const GroupCell::Rank& rank) { return is_text(rank.input); });
         });
}

}  // namespace

GroupKernels::GroupKernels(const codegen::KernelBuilder& builder, const GroupPlan& plan)
    : builder_(builder), plan_(plan), slots_(make_layout()) {}

SlotLayout GroupKernels::make_layout() const {
  std::vector<bool> may_be_null;  // by input
  for (size_t i = 0; i < plan_.inputs().size(); ++i) may_be_null.push_back(builder_.may_be_null(input(i)));
  std::vector<KeyText> texts;  // by key
  for (size_t i = 0; i < plan_.keys().size(); ++i) {
    const Expr& expr = *key(i);
    if (expr.kind != Expr::Kind::kColumn) {
      texts.push_back(KeyText::kMade);
    } else {
      const codegen::ColumnForm& form = builder_.forms()[builder_.place_of(expr.column)];
      texts.push_back(form.short_texts ? KeyText::kShort : KeyText::kColumn);
    }
  }
  return {plan_, may_be_null, std::move(texts)};
}

/// For each row, as a cell needs it or it may raise an error.
bool GroupKernels::is_computed(size_t input) const {
  return plan_.inputs()[input].is_computed || expr::device_traits(*this->input(input)).may_fail;
}

/// An input's value, and whether it is taken: where it is there and its filter is true.
Emitted GroupKernels::input_value(Emitter& out, size_t input) const {
  const ExprPtr &arg = this->input(input), &filter = this->filter(input);
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

void set_key(Emitter& out, size_t key, const Emitted& value) {
  const std::string set = fmt::format("one.k{}.set({});", key, value.value);
  out.line(value.valid.empty() ? set : fmt::format("if ({}) {}", value.valid, set));
  if (!value.valid.empty()) out.line(fmt::format("else one.nulls |= {}u;", 1u << key));
}

/// Puts the row that is kept into its group.
void GroupKernels::put_row(Emitter& out) const {
  out.line("const u32 kept = __ballot_sync(~0u, keep);");
  out.open("if (keep) {");
  set_slot(out);
  out.line("table.add(kept, one);");
  out.close();
}

/// Makes the slot `one` that of the row.
void GroupKernels::set_slot(Emitter& out) const {
  out.line("Slot one{};");
  for (size_t i = 0; i < plan_.keys().size(); ++i) set_key(out, i, out.emit(*key(i)));
  std::vector<Emitted> inputs;
  for (size_t input = 0; input < plan_.inputs().size(); ++input)
    inputs.push_back(is_computed(input) ? input_value(out, input) : Emitted{});
  set_cells(out, inputs);
}

void GroupKernels::add_last_filter(std::vector<codegen::KernelText>& texts) const {
  const size_t last = builder_.program().stages.size() - 1;
  if (!builder_.program().stages[last].predicates.empty()) add_filter(texts, builder_, last);
}

std::vector<codegen::KernelText> GroupKernels::slot_texts() const {
  std::vector<codegen::KernelText> texts;
  if (!slots_.shape()) return texts;
  texts.push_back({head(), {}, ""});
  const auto leave_slot = [&](Emitter& out) {
    set_slot(out);
    out.line(fmt::format("job.at<Slot>({})[i] = one;", size_t{Word::kRecords}));
  };
  add_list_kernel(texts.back(), builder_,
                  {.name = "make_slots",
                   .read = builder_.program().outputs,
                   .each = leave_slot,
                   .row = fmt::format("list ? list[i] : job.words[{}] + i", size_t{Word::kFrom}),
                   .keeps_texts = keeps_texts(plan_)});
  add_last_filter(texts);
  return texts;
}

/// Makes the cells of the slot `one` those of the inputs' values.
void GroupKernels::set_cells(Emitter& out, const std::vector<Emitted>& values) const {
  std::vector<Type> types;
  for (const GroupPlan::Input& input : plan_.inputs())
    types.push_back(input.arg == nullptr ? Type(TypeId::kBool) : input.arg->type);
  for (size_t i = 0; i < plan_.cells().size(); ++i) {
    const GroupCell& cell = plan_.cells()[i];
    if (!slots_.stores(i)) continue;
    const Emitted value = cell.input == kNoInput ? Emitted{} : values[cell.input];
    std::string taken = cell.reduction == Reduction::kCountTrue ? Emitter::is_true(value) : value.valid;
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
        out.line(fmt::format("{}one.c{}.set(({}).{});", if_taken, i, value.value, field_of(cell.kind)));
        break;
      default:
        out.line(fmt::format("{}one.c{}.set({});", if_taken, i, is_count(cell.reduction) ? "" : value.value));
    }
  }
}

/// What kernels begin with that make slots.
std::string GroupKernels::head() const { return builder_.begin(headers(plan_)) + slots_.text(); }

std::string define_table() {
  return fmt::format("Table table(job.at<u8>({}), job.words[{}], job.words[{}], job.at<GroupOutcome>({}));",
                     size_t{Word::kOut}, size_t{Word::kSlots}, size_t{Word::kProbes}, size_t{Word::kEvents});
}

std::vector<codegen::KernelText> GroupKernels::texts() const {
  std::vector<codegen::KernelText> texts;
  const size_t last = builder_.program().stages.size() - 1;
  add_narrowing(texts, builder_, last);
  add_row_kernel(texts, builder_, head(),
                 {.name = "group",
                  .stages = {last, last + 1},
                  .bounds = "kGroupThreads, 2",
                  .read = builder_.program().outputs,
                  .before = define_table(),
                  .goes_on = "table.goes_on(kWords * 32)",
                  .sink = [&](Emitter& out) { put_row(out); },
                  .end = "table.finish();",
                  .keeps_texts = keeps_texts(plan_),
                  .rolled = true});
  codegen::KernelText rest{head(), {"mark_groups"}, ""};
  add_readers(rest);
  texts.push_back(std::move(rest));
  return texts;
}

SinkKernels::ForNow GroupKernels::texts_for_now(Accelerator& gpu) const {
  std::vector<codegen::KernelText> texts = this->texts();
  const auto group = std::ranges::find(texts, std::vector<std::string>{"group"}, &codegen::KernelText::names);
  if (!slots_.shape()) return {std::move(texts)};
  std::string source = group->text();
  switch (gpu.strategy.groups) {
    case codegen::Strategy::Groups::kTable:
    case codegen::Strategy::Groups::kParts:
      return {std::move(texts)};
    case codegen::Strategy::Groups::kSlots:
      source.clear();
      break;
    case codegen::Strategy::Groups::kAuto:
      if (!gpu.compiles_beside || gpu.modules.find(source)) return {std::move(texts)};
      if (!gpu.modules.find(put_slots_kernel())) {  // for another query
        gpu.modules.begin(put_slots_kernel());
        return {std::move(texts)};
      }
  }
  std::vector<codegen::KernelText> slots = slot_texts();
  texts.insert(texts.erase(group), std::make_move_iterator(slots.begin()),
               std::make_move_iterator(slots.end()));
  return {std::move(texts), std::move(source)};
}

std::vector<codegen::KernelText> GroupKernels::other_texts(const codegen::Strategy& strategy,
                                                           bool rare) const {
  using Groups = codegen::Strategy::Groups;
  const auto may_go = [&](Groups how) {
    return strategy.groups == how || (rare && strategy.groups == Groups::kAuto);
  };
  std::vector<codegen::KernelText> texts;
  if (may_go(Groups::kParts) && record_bytes() != 0) texts = parts();
  if (may_go(Groups::kSlots)) std::ranges::move(slot_texts(), std::back_inserter(texts));
  return texts;
}

std::string put_slots_kernel() {
  return "#include \"ops/aggregate/gpu/groups/any_slots-inl.h\"\n"
         "using namespace lanewise::kernel;\n\n"
         "extern \"C\" __global__ void __launch_bounds__(kGroupThreads) put_slots(const SlotsJob job) {\n"
         "  put_slots_of(job);\n}\n";
}

}  // namespace lanewise::ops
