#include <algorithm>
#include <numeric>
#include <set>

#include "base/error.h"
#include "expr/nested/functions.h"

namespace lanewise::expr {

namespace order {

namespace {

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

Value sort_in(const Expr& expr, const Value& list, Order order) {
  const ValueList elements = packed::unpack(list);
  ValueList result;
  for (const size_t place : sorted(elements, order)) result.push_back(elements[place]);
  return packed::pack(expr.type, result);
}

Value sort(const Expr& expr, Given args) { return sort_in(expr, args[0], order_of(args.subspan(1), {})); }

/// The word is of the NULLs.
Value reverse_sort(const Expr& expr, Given args) {
  Order order{.descending = true};
  if (args.size() == 2) {
    const Value words[] = {Value::varchar("DESC"), args[1]};
    order = order_of(words, order);
  }
  return sort_in(expr, args[0], order);
}

Value grade(const Expr& expr, Given args) {
  ValueList result;
  for (const size_t place : sorted(packed::unpack(args[0]), order_of(args.subspan(1), {})))
    result.push_back(Value::int64(static_cast<int64_t>(place) + 1));
  return packed::pack(expr.type, result);
}

std::optional<Type> resolve_list(Types args) {
  return args.size() == 1 && is_list(args[0]) ? std::optional(args[0]) : std::nullopt;
}
std::optional<Type> resolve_unique(Types args) {
  return args.size() == 1 && is_list(args[0]) ? std::optional<Type>(TypeId::kUInt64) : std::nullopt;
}

/// NULLs are left out.
ValueList distinct_of(const Value& list) {
  ValueList result;
  std::set<std::string> seen;
  for (Value& element : packed::unpack(list)) {
    if (element.is_null()) continue;
    std::string slot;
    packed::Writer(slot).value(element.type(), element);
    if (seen.insert(std::move(slot)).second) result.push_back(std::move(element));
  }
  return result;
}

Value distinct(const Expr& expr, Given args) { return packed::pack(expr.type, distinct_of(args[0])); }

Value unique(const Expr&, Given args) {
  return {TypeId::kUInt64, static_cast<uint128_t>(distinct_of(args[0]).size())};
}

constexpr Function kOrderFunctions[] = {
    {.name = "list_sort",
     .raises = true,
     .resolve = resolve_sort,
     .evaluate = evaluate_rows,
     .reference = sort,
     .documentation = "The elements in order; 'DESC' and 'NULLS FIRST' may follow.",
     .example = "list_sort([3, NULL, 1])"},
    {.name = "list_reverse_sort",
     .raises = true,
     .resolve = resolve_reverse_sort,
     .evaluate = evaluate_rows,
     .reference = reverse_sort,
     .documentation = "The elements in descending order.",
     .example = "list_reverse_sort([3, 1, 2])"},
    {.name = "list_grade_up",
     .raises = true,
     .resolve = resolve_grade,
     .evaluate = evaluate_rows,
     .reference = grade,
     .documentation = "The numbers of the elements in their order.",
     .example = "list_grade_up([30, 10, 20])"},
    {.name = "list_distinct",
     .resolve = resolve_list,
     .evaluate = evaluate_rows,
     .reference = distinct,
     .documentation = "The elements that are not NULL, each once.",
     .example = "list_sort(list_distinct([1, 2, 1, NULL]))"},
    {.name = "list_unique",
     .resolve = resolve_unique,
     .evaluate = evaluate_rows,
     .reference = unique,
     .documentation = "The number of distinct elements that are not NULL.",
     .example = "list_unique([1, 2, 1, NULL])"},
};

}  // namespace

}  // namespace order

std::span<const Function> order_functions() { return order::kOrderFunctions; }

}  // namespace lanewise::expr
