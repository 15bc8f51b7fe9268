#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "expr/nested/functions.h"
#include "expr/nested/slots.h"

namespace lanewise::expr {

namespace order {

namespace {

using Args = std::span<const Vector>;
using Types = std::span<const Type>;
using Given = std::span<const Value>;

struct Order {
  bool descending = false;
  bool nulls_first = false;
};

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// "ASC", "DESC" and "NULLS FIRST", "NULLS LAST", as arguments.
Order order_of(Given words, Order order) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].is_null()) throw UserError("Sorting order must be a constant that is not NULL");
    std::string word = upper(words[i].text());
    std::ranges::replace(word, '_', ' ');
    if (i == 0 && word.ends_with("ENDING")) word.resize(word.size() - 6);  // ASCENDING
    if (word == "DEFAULT" || word == "ORDER DEFAULT") continue;
    const std::string_view first = i == 0 ? "ASC" : "NULLS FIRST", second = i == 0 ? "DESC" : "NULLS LAST";
    if (word != first && word != second)
      throw UserError(std::string(i == 0 ? "Sorting order" : "Null sorting order") + " must be either " +
                      std::string(first) + " or " + std::string(second));
    if (i == 0) order.descending = word == second;
    if (i == 1) order.nulls_first = word == first;
  }
  return order;
}

std::vector<size_t> sorted(const ValueList& elements, Order order) {
  std::vector<size_t> places(elements.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, [&](size_t a, size_t b) {
    const bool null_a = elements[a].is_null(), null_b = elements[b].is_null();
    if (null_a || null_b) return null_a != null_b && null_a == order.nulls_first;
    const int difference = compare(elements[a], elements[b]);
    return order.descending ? difference > 0 : difference < 0;
  });
  return places;
}

bool takes_order(Types args) {
  if (args.empty() || args.size() > 3 || !is_list(args[0])) return false;
  return std::ranges::all_of(args.subspan(1), [](Type type) { return type == TypeId::kVarchar; });
}
std::optional<Type> resolve_sort(Types args) {
  return takes_order(args) ? std::optional(args[0]) : std::nullopt;
}
std::optional<Type> resolve_reverse_sort(Types args) {
  return args.size() <= 2 ? resolve_sort(args) : std::nullopt;
}
std::optional<Type> resolve_grade(Types args) {
  return takes_order(args) ? std::optional(Type::list(TypeId::kInt64)) : std::nullopt;
}

Value sorted_list(const Expr& expr, const Value& list, Order order) {
  const ValueList elements = packed::unpack(list);
  ValueList result;
  for (const size_t place : sorted(elements, order)) result.push_back(elements[place]);
  return packed::pack(expr.type, result);
}

Value sort_reference(const Expr& expr, Given args) {
  return sorted_list(expr, args[0], order_of(args.subspan(1), {}));
}

/// The word is of the NULLs.
Order reverse_order_of(Given words) {
  const Order order{.descending = true};
  if (words.empty()) return order;
  const Value both[] = {Value::varchar("DESC"), words[0]};
  return order_of(both, order);
}

Value reverse_sort_reference(const Expr& expr, Given args) {
  return sorted_list(expr, args[0], reverse_order_of(args.subspan(1)));
}

Value grade_reference(const Expr& expr, Given args) {
  ValueList result;
  for (const size_t place : sorted(packed::unpack(args[0]), order_of(args.subspan(1), {})))
    result.push_back(Value::int64(static_cast<int64_t>(place) + 1));
  return packed::pack(expr.type, result);
}

struct Place {
  std::string_view slot, key;
  bool is_null;
  int64_t number;  // from 1 on
};

/// The slots of a row's list in order; equal ones stay as they are.
void sort_slots(Slots slots, Order order, std::vector<Place>& places) {
  places.clear();
  while (slots.next())
    places.push_back({slots.slot(), slots.key(), slots.is_null(), static_cast<int64_t>(places.size()) + 1});
  std::ranges::stable_sort(places, [&](const Place& a, const Place& b) {
    if (a.is_null || b.is_null) return a.is_null != b.is_null && a.is_null == order.nulls_first;
    return order.descending ? a.key > b.key : a.key < b.key;
  });
}

/// Sorts each row's list and writes it; `order_of_words` reads the words that say the order, row by row if
/// they vary.
template <class Words, class Write>
Vector sort_lists(const Expr& expr, Args args, const ActiveSet& rows, Words order_of_words, Write write) {
  const SlotLists lists(args[0], rows);
  std::vector<Place> places;
  const auto order_at = [&](uint32_t row) {
    ValueList words;
    for (const Vector& word : args.subspan(1)) words.push_back(value_at(word, row));
    return order_of_words(words);
  };
  const bool constant = std::ranges::all_of(args.subspan(1), [](const Vector& arg) { return arg.constant; });
  Order order = constant ? order_at(0) : Order();
  return packed_rows(expr.type, rows, [&](uint32_t row, packed::Writer& to) {
    if (!constant) order = order_at(row);
    sort_slots(lists[row], order, places);
    for (const Place& place : places) write(place, to);
    to.end();
  });
}

void write_slot(const Place& place, packed::Writer& to) { to.slot(place.slot); }
void write_number(const Place& place, packed::Writer& to) { to.number(place.number); }

Vector sort(const Expr& expr, Args args, const ActiveSet& rows, EvalContext&) {
  return sort_lists(expr, args, rows, [](Given words) { return order_of(words, {}); }, write_slot);
}
Vector reverse_sort(const Expr& expr, Args args, const ActiveSet& rows, EvalContext&) {
  return sort_lists(expr, args, rows, reverse_order_of, write_slot);
}
Vector grade(const Expr& expr, Args args, const ActiveSet& rows, EvalContext&) {
  return sort_lists(expr, args, rows, [](Given words) { return order_of(words, {}); }, write_number);
}

std::optional<Type> resolve_list(Types args) {
  return args.size() == 1 && is_list(args[0]) ? std::optional(args[0]) : std::nullopt;
}
std::optional<Type> resolve_unique(Types args) {
  return args.size() == 1 && is_list(args[0]) ? std::optional<Type>(TypeId::kUInt64) : std::nullopt;
}

/// Calls f on the first of equal slots of a row's list; NULLs are left out.
template <class F>
void for_each_distinct(Slots slots, SlotSet& seen, F f) {
  seen.clear();
  while (slots.next())
    if (!slots.is_null() && seen.insert(slots.key())) f(slots.slot());
}

Vector distinct(const Expr& expr, Args args, const ActiveSet& rows, EvalContext&) {
  const SlotLists lists(args[0], rows);
  SlotSet seen(rows.arena());
  return packed_rows(expr.type, rows, [&](uint32_t row, packed::Writer& to) {
    for_each_distinct(lists[row], seen, [&](std::string_view slot) { to.slot(slot); });
    to.end();
  });
}

Vector unique(const Expr&, Args args, const ActiveSet& rows, EvalContext&) {
  const SlotLists lists(args[0], rows);
  SlotSet seen(rows.arena());
  return map_rows(TypeId::kUInt64, rows, [&](uint32_t row) {
    uint64_t count = 0;
    for_each_distinct(lists[row], seen, [&](std::string_view) { ++count; });
    return count;
  });
}

ValueList distinct_of(const Value& list) {
  ValueList result;
  for (Value& element : packed::unpack(list))
    if (!element.is_null() && std::ranges::count(result, element) == 0) result.push_back(std::move(element));
  return result;
}

Value distinct_reference(const Expr& expr, Given args) {
  return packed::pack(expr.type, distinct_of(args[0]));
}

Value unique_reference(const Expr&, Given args) {
  return {TypeId::kUInt64, static_cast<uint128_t>(distinct_of(args[0]).size())};
}

constexpr Function kOrderFunctions[] = {
    {.name = "list_sort",
     .raises = true,
     .resolve = resolve_sort,
     .evaluate = sort,
     .reference = sort_reference,
     .documentation = "The elements in order; 'DESC' and 'NULLS FIRST' may follow.",
     .example = "list_sort([3, NULL, 1])"},
    {.name = "list_reverse_sort",
     .raises = true,
     .resolve = resolve_reverse_sort,
     .evaluate = reverse_sort,
     .reference = reverse_sort_reference,
     .documentation = "The elements in descending order.",
     .example = "list_reverse_sort([3, 1, 2])"},
    {.name = "list_grade_up",
     .raises = true,
     .resolve = resolve_grade,
     .evaluate = grade,
     .reference = grade_reference,
     .documentation = "The numbers of the elements in their order.",
     .example = "list_grade_up([30, 10, 20])"},
    {.name = "list_distinct",
     .resolve = resolve_list,
     .evaluate = distinct,
     .reference = distinct_reference,
     .documentation = "The elements that are not NULL, each once.",
     .example = "list_sort(list_distinct([1, 2, 1, NULL]))"},
    {.name = "list_unique",
     .resolve = resolve_unique,
     .evaluate = unique,
     .reference = unique_reference,
     .documentation = "The number of distinct elements that are not NULL.",
     .example = "list_unique([1, 2, 1, NULL])"},
};

}  // namespace

}  // namespace order

std::span<const Function> order_functions() { return order::kOrderFunctions; }

}  // namespace lanewise::expr
