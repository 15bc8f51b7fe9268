#include <algorithm>

#include "base/error.h"
#include "expr/nested/functions.h"
#include "expr/nested/slots.h"
#include "expr/strings/texts.h"
#include "expr/vectors/elements.h"
#include "expr/vectors/vectors.h"

namespace lanewise::expr {

namespace search {

namespace {

using Args = std::span<const Vector>;
using Types = std::span<const Type>;
using Given = std::span<const Value>;

/// The number of the first element that equals the row's value, from 1 on; 0: none does.
class Finder {
 public:
  Finder(const Vector& lists, const Vector& values, const ActiveSet& rows)
      : lists_(lists, rows), values_(normalized(values, rows)), wanted_slot_(values_) {}
  int32_t find(uint32_t row) {
    wanted_.clear();
    packed::Writer writer(wanted_);
    wanted_slot_.append(row, writer);
    int32_t number = 1;
    for (Slots slots = lists_[row]; slots.next(); ++number)
      if (slots.key() == wanted_) return number;
    return 0;
  }

 private:
  SlotLists lists_;
  Vector values_;
  SlotWriter wanted_slot_;
  std::string wanted_;
};

bool takes_element(Types args) {
  return args.size() == 2 && args[0].is_nested() && (is_list(args[0]) || args[0].id == TypeId::kArray) &&
         args[0].element() == args[1];
}

std::optional<Type> resolve_contains(Types args) {
  return takes_element(args) ? std::optional<Type>(TypeId::kBool) : std::nullopt;
}
std::optional<Type> resolve_position(Types args) {
  return takes_element(args) ? std::optional<Type>(TypeId::kInt32) : std::nullopt;
}

Vector contains(const Expr&, Args args, const ActiveSet& rows, EvalContext&) {
  Finder finder(args[0], args[1], rows);
  return map_rows(TypeId::kBool, rows,
                  [&](uint32_t row) { return static_cast<uint8_t>(finder.find(row) != 0); });
}

Value contains_reference(const Expr&, Given args) {
  return Value::boolean(std::ranges::count(packed::unpack(args[0]), args[1]) != 0);
}

/// NULL where no element equals the value. NULL equals NULL.
Vector position(const Expr&, Args args, const ActiveSet& rows, EvalContext&) {
  Finder finder(args[0], args[1], rows);
  uint64_t* validity = all_ones(rows.rows(), rows.arena());
  Vector result = map_rows(TypeId::kInt32, rows, [&](uint32_t row) {
    const int32_t found = args[0].is_null(row) ? 0 : finder.find(row);
    if (found == 0) bits::clear(validity, row);
    return found;
  });
  result.validity = validity;
  return result;
}

Value position_reference(const Expr& expr, Given args) {
  if (args[0].is_null()) return Value(expr.type);
  const ValueList elements = packed::unpack(args[0]);
  const auto found = std::ranges::find(elements, args[1]);
  return found == elements.end() ? Value(expr.type)
                                 : Value::int32(static_cast<int32_t>(found - elements.begin()) + 1);
}

std::optional<Type> resolve_two_lists(Types args) {
  if (args.size() != 2 || !is_list(args[0]) || args[0] != args[1]) return std::nullopt;
  return TypeId::kBool;
}

/// The elements of a row's list, without NULLs.
void collect(Slots slots, SlotSet& set) {
  set.clear();
  while (slots.next())
    if (!slots.is_null()) set.insert(slots.key(), slots.slot());
}

/// Whether some element of each row's first list is in the second one (`any`), or all are. NULLs do not
/// count.
Vector are_in(const Vector& lists, const Vector& others, bool any, const ActiveSet& rows) {
  const SlotLists given(lists, rows), searched(others, rows);
  SlotSet known(rows.arena());
  return map_rows(TypeId::kBool, rows, [&](uint32_t row) -> uint8_t {
    collect(searched[row], known);
    for (Slots slots = given[row]; slots.next();)
      if (!slots.is_null() && known.contains(slots.key()) == any) return any;
    return !any;
  });
}

Vector has_any(const Expr&, Args args, const ActiveSet& rows, EvalContext&) {
  return are_in(args[0], args[1], true, rows);
}

Value has_any_reference(const Expr&, Given args) {
  const ValueList there = packed::unpack(args[0]), wanted = packed::unpack(args[1]);
  return Value::boolean(std::ranges::any_of(
      there, [&](const Value& value) { return !value.is_null() && std::ranges::count(wanted, value) != 0; }));
}

/// A NULL that is wanted is left out.
Vector has_all(const Expr&, Args args, const ActiveSet& rows, EvalContext&) {
  return are_in(args[1], args[0], false, rows);
}

Value has_all_reference(const Expr&, Given args) {
  const ValueList there = packed::unpack(args[0]), wanted = packed::unpack(args[1]);
  return Value::boolean(std::ranges::all_of(
      wanted, [&](const Value& value) { return value.is_null() || std::ranges::count(there, value) != 0; }));
}

std::optional<Type> resolve_intersect(Types args) {
  if (args.size() != 2 || !is_list(args[0]) || args[0] != args[1]) return std::nullopt;
  return args[0];
}

/// Elements of the first list, in the order of the longer one, or of the second one. Nothing is in a second
/// list that is NULL.
Vector intersect(const Expr& expr, Args args, const ActiveSet& rows, EvalContext&) {
  const SlotLists lists(args[0], rows), others(args[1], rows);
  SlotSet wanted(rows.arena()), seen(rows.arena());
  Vector result = packed_rows(expr.type, rows, [&](uint32_t row, packed::Writer& to) {
    if (args[0].is_null(row)) return;
    if (args[1].is_null(row)) return to.end();
    const bool by_first = lists.size(row) > others.size(row);
    collect(by_first ? others[row] : lists[row], wanted);
    seen.clear();
    for (Slots slots = by_first ? lists[row] : others[row]; slots.next();)
      if (wanted.contains(slots.key()) && seen.insert(slots.key()))
        to.slot(by_first ? slots.slot() : wanted.slot(slots.key()));
    to.end();
  });
  result.validity = not_null(args.first(1), rows);
  return result;
}

Value intersect_reference(const Expr& expr, Given args) {
  if (args[0].is_null()) return Value(expr.type);
  const ValueList others = args[1].is_null() ? ValueList() : packed::unpack(args[1]),
                  list = packed::unpack(args[0]);
  ValueList kept;
  const auto keep = [&](const Value& value) {
    if (!value.is_null() && std::ranges::count(kept, value) == 0) kept.push_back(value);
  };
  if (list.size() > others.size()) {
    for (const Value& value : list)
      if (std::ranges::count(others, value) != 0) keep(value);
  } else {
    for (const Value& wanted : others) {
      const auto last = std::find(list.rbegin(), list.rend(), wanted);
      if (last != list.rend()) keep(*last);
    }
  }
  return packed::pack(expr.type, kept);
}

std::optional<Type> resolve_select(Types args) {
  if (args.size() != 2 || !is_list(args[0]) || !is_list(args[1]) || args[1].element() != TypeId::kInt64)
    return std::nullopt;
  return args[0];
}
std::optional<Type> resolve_where(Types args) {
  if (args.size() != 2 || !is_list(args[0]) || !is_list(args[1]) || args[1].element() != TypeId::kBool)
    return std::nullopt;
  return args[0];
}

void require(const Value& value) {
  if (value.is_null())
    throw UserError("NULLs are not allowed as list elements in the second input parameter.");
}

Value select(const Expr& expr, Given args) {
  const ValueList elements = packed::unpack(args[0]);
  ValueList kept;
  for (const Value& number : packed::unpack(args[1])) {
    require(number);
    const int128_t place = number.integer() - 1;
    const bool inside = place >= 0 && place < static_cast<int128_t>(elements.size());
    kept.push_back(inside ? elements[static_cast<size_t>(place)] : Value(expr.type.element()));
  }
  return packed::pack(expr.type, kept);
}

Value where(const Expr& expr, Given args) {
  const ValueList elements = packed::unpack(args[0]), wanted = packed::unpack(args[1]);
  ValueList kept;
  for (size_t i = 0; i < wanted.size(); ++i) {
    require(wanted[i]);
    if (wanted[i].is_true()) kept.push_back(i < elements.size() ? elements[i] : Value(expr.type.element()));
  }
  return packed::pack(expr.type, kept);
}

constexpr Function kSearchFunctions[] = {
    {.name = "list_contains",
     .resolve = resolve_contains,
     .evaluate = contains,
     .reference = contains_reference,
     .documentation = "Whether an element equals the value.",
     .example = "list_contains([1, 2, NULL], 1)"},
    {.name = "list_position",
     .nulls = Function::Nulls::kOwn,
     .resolve = resolve_position,
     .evaluate = position,
     .reference = position_reference,
     .documentation = "The number of the first element that equals the value; NULL if none does.",
     .example = "list_position(['a', 'b'], 'b')"},
    {.name = "list_has_any",
     .resolve = resolve_two_lists,
     .evaluate = has_any,
     .reference = has_any_reference,
     .documentation = "Whether the lists have an element in common.",
     .example = "list_has_any([1, 2], [2, 3])"},
    {.name = "list_has_all",
     .resolve = resolve_two_lists,
     .evaluate = has_all,
     .reference = has_all_reference,
     .documentation = "Whether the first list has all elements of the second.",
     .example = "list_has_all([1, 2], [2])"},
    {.name = "list_intersect",
     .nulls = Function::Nulls::kOwn,
     .resolve = resolve_intersect,
     .evaluate = intersect,
     .reference = intersect_reference,
     .documentation = "The elements that both lists have, each once.",
     .example = "list_intersect([1, 2], [2, 3])"},
    {.name = "list_select",
     .raises = true,
     .resolve = resolve_select,
     .evaluate = evaluate_rows,
     .reference = select,
     .documentation = "The elements with these numbers.",
     .example = "list_select(['a', 'b', 'c'], [3, 1])"},
    {.name = "list_where",
     .raises = true,
     .resolve = resolve_where,
     .evaluate = evaluate_rows,
     .reference = where,
     .documentation = "The elements at whose place the second list is true.",
     .example = "list_where([1, 2], [false, true])"},
};

}  // namespace

}  // namespace search

std::span<const Function> search_functions() { return search::kSearchFunctions; }

}  // namespace lanewise::expr
