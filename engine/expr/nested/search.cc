#include <algorithm>
#include <set>

#include "base/error.h"
#include "expr/evaluation/vectors.h"
#include "expr/nested/elements.h"
#include "expr/nested/functions.h"
#include "expr/strings/texts.h"

namespace lanewise::expr {

namespace search {

namespace {

using Args = std::span<const Vector>;
using Types = std::span<const Type>;
using Given = std::span<const Value>;

/// The slots of lists, one after another, and the slot of a value: equal where their bytes are.
template <class F>
void for_each_slot(Type element, std::string_view list, F f) {
  packed::Reader reader(list);
  const char* start = list.data();
  for (auto mark = reader.next(); mark != packed::Mark::kEnd; mark = reader.next()) {
    size_t size = 1;
    if (mark == packed::Mark::kNull) {
      reader.null(element);
      size += width(element.physical());
    } else {
      size += reader.payload(element).size();
    }
    if (!f(std::string_view(start, size))) return;
    start += size;
  }
}

bool is_null_slot(std::string_view slot) { return static_cast<packed::Mark>(slot[0]) == packed::Mark::kNull; }

/// The number of the first element that equals the row's value, from 1 on; 0: none does.
class Finder {
 public:
  Finder(const Vector& lists, const Vector& values, const ActiveSet& rows)
      : lists_(lists, rows), values_(values), element_(values.type) {}
  int32_t find(uint32_t row) {
    wanted_.clear();
    packed::Writer writer(wanted_);
    SlotWriter(values_).append(row, writer);
    int32_t number = 0, found = 0;
    for_each_slot(element_, lists_[row], [&](std::string_view slot) {
      ++number;
      if (slot == wanted_) found = number;
      return found == 0;
    });
    return found;
  }

 private:
  Texts lists_;
  const Vector& values_;
  Type element_;
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

std::set<std::string> slots_of(const Value& list) {
  std::set<std::string> slots;
  for_each_slot(list.type().element(), list.text(), [&](std::string_view slot) {
    slots.emplace(slot);
    return true;
  });
  return slots;
}

Value has_any(const Expr&, Given args) {
  const std::set<std::string> wanted = slots_of(args[1]);
  bool found = false;
  for (const std::string& slot : slots_of(args[0])) found |= !is_null_slot(slot) && wanted.contains(slot);
  return Value::boolean(found);
}

/// A NULL that is wanted is left out.
Value has_all(const Expr&, Given args) {
  const std::set<std::string> there = slots_of(args[0]);
  bool all = true;
  for (const std::string& slot : slots_of(args[1])) all &= is_null_slot(slot) || there.contains(slot);
  return Value::boolean(all);
}

std::optional<Type> resolve_intersect(Types args) {
  if (args.size() != 2 || !is_list(args[0]) || args[0] != args[1]) return std::nullopt;
  return args[0];
}

Value intersect(const Expr& expr, Given args) {
  std::set<std::string> wanted = slots_of(args[1]);
  std::string bytes;
  packed::Writer writer(bytes);
  for_each_slot(expr.type.element(), args[0].text(), [&](std::string_view slot) {
    if (!is_null_slot(slot) && wanted.erase(std::string(slot)) != 0) writer.slot(slot);
    return true;
  });
  writer.end();
  return {expr.type, std::move(bytes)};
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
     .evaluate = evaluate_rows,
     .reference = has_any,
     .documentation = "Whether the lists have an element in common.",
     .example = "list_has_any([1, 2], [2, 3])"},
    {.name = "list_has_all",
     .resolve = resolve_two_lists,
     .evaluate = evaluate_rows,
     .reference = has_all,
     .documentation = "Whether the first list has all elements of the second.",
     .example = "list_has_all([1, 2], [2])"},
    {.name = "list_intersect",
     .resolve = resolve_intersect,
     .evaluate = evaluate_rows,
     .reference = intersect,
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
