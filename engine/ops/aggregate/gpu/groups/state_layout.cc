#include "ops/aggregate/gpu/groups/state_layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanewise::ops {

namespace {

using Kind = GroupCell::Kind;

Type argument_type(const GroupPlan& plan, const GroupCell& cell) {
  return is_count(cell.reduction) ? Type(TypeId::kInt64) : plan.inputs()[cell.input].arg->type;
}

}  // namespace

bool StateLayout::fits(const GroupPlan& plan) {
  return plan.keys().empty() && std::ranges::all_of(plan.cells(), [&](const GroupCell& cell) {
           return (cell.kind == Kind::kFold || cell.kind == Kind::kSquares) &&
                  block_state(cell.reduction, argument_type(plan, cell));
         });
}

StateLayout::StateLayout(const GroupPlan& plan)
    : plan_(plan), rows_(add(Reduction::kCountRows, TypeId::kInt64)) {
  for (size_t i = 0; i < plan.cells().size(); ++i) {
    const GroupCell& cell = plan.cells()[i];
    fields_.emplace_back();
    if (cell.input != kNoInput && holder(i) == i) fields_[i] = add(cell.reduction, argument_type(plan, cell));
  }
}

StateLayout::Field StateLayout::add(Reduction reduction, Type arg) {
  Field field{*block_state(reduction, arg), bytes_};
  bytes_ += field.state.bytes;
  return field;
}

/// The cell whose state has this one's value: states of values count them, too.
size_t StateLayout::holder(size_t cell) const {
  const GroupCell& wanted = plan_.cells()[cell];
  if (wanted.of) return *wanted.of;
  if (wanted.reduction != Reduction::kCount) return cell;
  const auto counts = [&](const GroupCell& one) {
    return one.input == wanted.input && !is_count(one.reduction);
  };
  const auto found = std::ranges::find_if(plan_.cells(), counts);
  return found == plan_.cells().end() ? cell : static_cast<size_t>(found - plan_.cells().begin());
}

std::string StateLayout::text() const {
  std::string fields = "  Count rows;\n", merge = "    rows.merge(other.rows);\n";
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (!stores(i)) continue;
    fields += fmt::format("  {} c{};\n", fields_[i]->state.type, i);
    merge += fmt::format("    c{0}.merge(other.c{0});\n", i);
  }
  return fmt::format(
      "struct State {{\n{}  LANES_FN void merge(const State& other) {{\n{}  }}\n}};\n"
      "static_assert(sizeof(State) == {});\n",
      fields, merge, bytes_);
}

MergedState StateLayout::merge(const Field& field, Type type, std::span<const uint8_t> states) const {
  return field.state.merge(type, {states.data() + field.at, states.size() / bytes_, bytes_});
}

uint64_t StateLayout::rows(std::span<const uint8_t> states) const {
  return static_cast<uint64_t>(merge(rows_, TypeId::kInt64, states).count);
}

Table StateLayout::merged(std::span<const uint8_t> states) const {
  const MergedState rows = merge(rows_, TypeId::kInt64, states);
  std::vector<MergedState> all;  // by cell
  for (size_t i = 0; i < fields_.size(); ++i)
    all.push_back(stores(i) ? merge(*fields_[i], plan_.cells()[i].type, states) : rows);
  Batch group{1, {}};
  for (size_t i = 0; i < fields_.size(); ++i) {
    const GroupCell& cell = plan_.cells()[i];
    const MergedState& from = all[holder(i)];
    if (!cell.is_column) continue;
    const Value value = is_count(cell.reduction)                         ? Value(cell.type, from.count)
                        : cell.kind == Kind::kSquares && from.count != 0 ? Value(cell.type, from.squares)
                                                                         : from.value;
    group.columns.push_back(make_column(cell.type, {value}));
  }
  return {plan_.partial(), {std::move(group)}};
}

}  // namespace lanewise::ops
