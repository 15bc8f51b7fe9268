#include <algorithm>

#include "base/error.h"
#include "data/interval.h"
#include "expr/nested/functions.h"
#include "expr/strings/functions.h"
#include "expr/strings/reference.h"
#include "expr/strings/texts.h"
#include "expr/vectors/elements.h"
#include "expr/vectors/vectors.h"

namespace lanewise::expr {

namespace lists {

namespace {

using Args = std::span<const Vector>;
using Types = std::span<const Type>;
using Given = std::span<const Value>;

bool all_alike(Types types) {
  return std::ranges::all_of(types, [&](Type type) { return type == types[0]; });
}

std::optional<Type> resolve_list_value(Types args) {
  if (args.empty()) return Type::list(TypeId::kNull);
  if (!all_alike(args)) return std::nullopt;
  return Type::list(args[0]);
}

std::optional<Type> resolve_array_value(Types args) {
  if (args.empty() || !all_alike(args)) return std::nullopt;
  return Type::array(args[0], static_cast<uint32_t>(args.size()));
}

Vector list_value(const Expr& expr, Args args, const ActiveSet& rows, EvalContext&) {
  const std::vector<SlotWriter> slots(args.begin(), args.end());
  return packed_rows(expr.type, rows, [&](uint32_t row, packed::Writer& to) {
    for (const SlotWriter& slot : slots) slot.append(row, to);
    if (is_list(expr.type)) to.end();
  });
}

Value list_value_reference(const Expr& expr, Given args) {
  return packed::pack(expr.type, ValueList(args.begin(), args.end()));
}

std::optional<Type> resolve_length(Types args) {
  if (args.size() != 1 || !has_elements(args[0])) return std::nullopt;
  return TypeId::kInt64;
}

Vector length(const Expr&, Args args, const ActiveSet& rows, EvalContext&) {
  const Texts lists(args[0], rows);
  return map_rows(TypeId::kInt64, rows,
                  [&](uint32_t row) { return static_cast<int64_t>(packed::size(args[0].type, lists[row])); });
}

Value length_reference(const Expr&, Given args) {
  return Value::int64(static_cast<int64_t>(packed::unpack(args[0]).size()));
}

std::optional<Type> resolve_extract(Types args) {
  if (args.size() != 2 || (!is_list(args[0]) && args[0].id != TypeId::kArray) || args[1] != TypeId::kInt64)
    return std::nullopt;
  return args[0].element();
}

/// The place of element `number`, which counts from 1, or from -1 back; `count`: there is none.
uint32_t place(int64_t number, uint32_t count) {
  if (number > 0 && number <= count) return static_cast<uint32_t>(number - 1);
  if (number < 0 && number >= -int64_t{count}) return count - static_cast<uint32_t>(-number);
  return count;
}

Vector extract(const Expr&, Args args, const ActiveSet& rows, EvalContext&) {
  const Elements elements = elements_of(args[0], rows);
  const Integers numbers(args[1], rows);
  auto* at = rows.arena().allocate<uint32_t>(rows.rows());
  uint64_t* found = all_ones(rows.rows(), rows.arena());
  bool all = true;
  rows.for_each([&](uint32_t row) {
    const uint32_t count = elements.starts[row + 1] - elements.starts[row];
    const uint32_t number = place(numbers[row], count);
    at[row] = elements.starts[row] + number;
    if (number != count) return;
    bits::clear(found, row);
    at[row] = 0;
    all = false;
  });
  if (elements.count == 0) return null_vector(elements.values.type, rows.arena());
  Vector result = gather(elements.values, at, rows);
  if (!all) result.validity = both(result.validity, found, rows.rows(), rows.arena());
  return result;
}

Value extract_reference(const Expr& expr, Given args) {
  const ValueList elements = packed::unpack(args[0]);
  const uint32_t number =
      place(static_cast<int64_t>(args[1].integer()), static_cast<uint32_t>(elements.size()));
  return number < elements.size() ? elements[number] : Value(expr.type);
}

std::optional<Type> resolve_concat(Types args) {
  if (args.empty() || !all_alike(args) || !is_list(args[0])) return std::nullopt;
  return args[0];
}

std::optional<Type> resolve_operator(Types args) {
  return args.size() == 2 ? resolve_concat(args) : std::nullopt;
}

/// A list without its end.
std::string_view slots_of(std::string_view list) { return list.substr(0, list.size() - 1); }

/// NULL lists are left out.
Vector concat(const Expr& expr, Args args, const ActiveSet& rows, EvalContext&) {
  std::vector<Texts> lists;
  for (const Vector& arg : args) lists.emplace_back(arg, rows);
  return packed_rows(expr.type, rows, [&](uint32_t row, packed::Writer& to) {
    for (size_t i = 0; i < args.size(); ++i) {
      if (!args[i].is_null(row)) to.slot(slots_of(lists[i][row]));
    }
    to.end();
  });
}

Value concat_reference(const Expr& expr, Given args) {
  ValueList all;
  for (const Value& arg : args) {
    if (arg.is_null()) continue;
    const ValueList elements = packed::unpack(arg);
    all.insert(all.end(), elements.begin(), elements.end());
  }
  return packed::pack(expr.type, all);
}

std::optional<Type> resolve_slice(Types args) {
  if (args.size() != 3 && args.size() != 4) return std::nullopt;
  if (!is_list(args[0]) && args[0] != TypeId::kVarchar) return std::nullopt;
  for (size_t i = 1; i < args.size(); ++i) {
    if (args[i] != TypeId::kInt64 && !(i < 3 && is_list(args[i]))) return std::nullopt;
  }
  return args[0];
}

/// The places that Python's slices have, but that elements count from 1 and the end belongs to them; from the
/// last one on where the step is negative. Bounds that are not given are lists, as DuckDB has them. Nothing
/// where a bound is NULL.
std::optional<std::vector<size_t>> slice_of(int64_t count, Given bounds) {
  for (const Value& bound : bounds) {
    if (bound.is_null()) return std::nullopt;
  }
  const int64_t step = bounds.size() == 3 ? static_cast<int64_t>(bounds[2].integer()) : 1;
  if (step == 0) throw UserError("Slice step cannot be zero");
  const auto number = [&](const Value& bound, int64_t otherwise) {
    return is_list(bound.type()) ? otherwise : static_cast<int64_t>(bound.integer());
  };
  int64_t begin = number(bounds[step < 0 ? 1 : 0], 0), end = number(bounds[step < 0 ? 0 : 1], count);
  begin = begin > 0 ? begin - 1 : begin < -count ? 0 : begin < 0 ? count + begin : 0;
  end = end >= 0 ? end : end < -count - 1 ? 0 : count + end + 1;
  begin = std::min(begin, count);
  end = std::min(end, count);
  std::vector<size_t> places;
  if (step > 0) {
    for (int64_t i = begin; i < end; i += std::min(step, count)) places.push_back(static_cast<size_t>(i));
  } else {
    for (int64_t i = end - 1; i >= begin; i += std::max(step, -count))
      places.push_back(static_cast<size_t>(i));
  }
  return places;
}

Value slice(const Expr& expr, Given args) {
  if (args[0].is_null()) return Value(expr.type);
  if (expr.type == TypeId::kVarchar) {
    if (args.size() == 4) throw UserError("Slice with steps has not been implemented for string types");
    const std::vector<std::string> characters = characters_of(args[0].text());
    const auto places = slice_of(static_cast<int64_t>(characters.size()), args.subspan(1));
    std::string text;
    for (const size_t place : places.value_or(std::vector<size_t>())) text += characters[place];
    return places ? Value::varchar(text) : Value(expr.type);
  }
  const ValueList elements = packed::unpack(args[0]);
  const auto places = slice_of(static_cast<int64_t>(elements.size()), args.subspan(1));
  if (!places) return Value(expr.type);
  ValueList kept;
  for (const size_t place : *places) kept.push_back(elements[place]);
  return packed::pack(expr.type, kept);
}

/// Equal values with equal bytes: 0.0 for -0.0, whole months and days for an interval's smaller units.
Value normalized_value(const Value& value) {
  if (value.is_null()) return value;
  if (value.type().is_float()) return value.real() == 0 ? Value(value.type(), 0.0) : value;
  if (value.type().id == TypeId::kInterval) return {value.type(), normal_form(value.interval())};
  if (!value.type().is_nested()) return value;
  ValueList members;
  for (const Value& member : packed::unpack(value)) members.push_back(normalized_value(member));
  return packed::pack(value.type(), members);
}

std::optional<Type> resolve_normalized(Types args) {
  const bool takes =
      args.size() == 1 && (args[0].is_nested() || args[0].is_float() || args[0].id == TypeId::kInterval);
  return takes ? std::optional(args[0]) : std::nullopt;
}

Vector normalized(const Expr&, Args args, const ActiveSet& rows, EvalContext&) {
  return expr::normalized(args[0], rows);
}

Value normalized_reference(const Expr&, Given args) { return normalized_value(args[0]); }

std::optional<Type> resolve_flatten(Types args) {
  if (args.size() != 1 || !is_list(args[0]) || !is_list(args[0].element())) return std::nullopt;
  return args[0].element();
}

Value flatten_reference(const Expr& expr, Given args) {
  ValueList all;
  for (const Value& list : packed::unpack(args[0])) {
    if (list.is_null()) continue;
    const ValueList elements = packed::unpack(list);
    all.insert(all.end(), elements.begin(), elements.end());
  }
  return packed::pack(expr.type, all);
}

std::optional<Type> resolve_resize(Types args) {
  if (args.size() != 2 && args.size() != 3) return std::nullopt;
  if (!is_list(args[0]) || args[1].id != TypeId::kUInt64) return std::nullopt;
  if (args.size() == 3 && args[2] != args[0].element()) return std::nullopt;
  return args[0];
}

Value resize(const Expr& expr, Given args) {
  if (args[0].is_null()) return Value(expr.type);
  ValueList elements = packed::unpack(args[0]);
  const uint128_t size = args[1].is_null() ? 0 : args[1].natural();
  if (size > UINT32_MAX) throw UserError("list_resize: a list cannot have more than 4294967295 elements");
  elements.resize(static_cast<size_t>(size), args.size() == 3 ? args[2] : Value(expr.type.element()));
  return packed::pack(expr.type, elements);
}

std::optional<Type> resolve_zip(Types args) {
  const bool shortens = !args.empty() && args.back() == TypeId::kBool;
  if (args.size() < (shortens ? 2 : 1)) return std::nullopt;
  std::vector<Member> fields;
  for (const Type type : args.first(args.size() - (shortens ? 1 : 0))) {
    if (!is_list(type)) return std::nullopt;
    fields.push_back({"", type.element()});
  }
  return Type::list(Type::structure(std::move(fields)));
}

Value zip(const Expr& expr, Given args) {
  const Type row = expr.type.element();
  const size_t lists = row.members().size();
  const bool shortest = args.size() > lists && args[lists].is_true();
  std::vector<ValueList> all;
  size_t count = shortest ? SIZE_MAX : 0;
  for (size_t i = 0; i < lists; ++i) {
    all.push_back(args[i].is_null() ? ValueList() : packed::unpack(args[i]));
    count = shortest ? std::min(count, all[i].size()) : std::max(count, all[i].size());
  }
  ValueList rows;
  for (size_t i = 0; i < count; ++i) {
    ValueList fields;
    for (size_t list = 0; list < lists; ++list)
      fields.push_back(i < all[list].size() ? all[list][i] : Value(row.members()[list].type));
    rows.push_back(packed::pack(row, fields));
  }
  return packed::pack(expr.type, rows);
}

std::optional<Type> resolve_repeat(Types args) {
  if (args.size() != 2 || !is_list(args[0]) || args[1] != TypeId::kInt64) return std::nullopt;
  return args[0];
}

Value repeat(const Expr& expr, Given args) {
  ValueList all;
  const ValueList elements = packed::unpack(args[0]);
  for (int128_t i = 0; i < args[1].integer() && !elements.empty(); ++i)
    all.insert(all.end(), elements.begin(), elements.end());
  return packed::pack(expr.type, all);
}

constexpr Function::Nulls kOwn = Function::Nulls::kOwn;

constexpr Function kLength{.name = "length",
                           .resolve = resolve_length,
                           .evaluate = length,
                           .reference = length_reference,
                           .documentation = "The number of elements.",
                           .example = "len([1, 2, NULL])"};

constexpr Function kListFunctions[] = {
    kLength,
    alias("len", kLength),
    {.name = "list_value",
     .nulls = kOwn,
     .resolve = resolve_list_value,
     .evaluate = list_value,
     .reference = list_value_reference,
     .documentation = "A list of the arguments.",
     .example = "[1, 2, NULL]"},
    {.name = "array_value",
     .nulls = kOwn,
     .resolve = resolve_array_value,
     .evaluate = list_value,
     .reference = list_value_reference,
     .documentation = "An array of the arguments, as long as there are some.",
     .example = "array_value(1, 2, 3)"},
    {.name = "list_extract",
     .resolve = resolve_extract,
     .evaluate = extract,
     .reference = extract_reference,
     .documentation = "An element: 1 is the first, -1 the last; NULL if there is none.",
     .example = "['a', 'b'][2]"},
    {.name = "list_concat",
     .nulls = kOwn,
     .resolve = resolve_concat,
     .evaluate = concat,
     .reference = concat_reference,
     .documentation = "The elements of all lists; a NULL list counts as empty.",
     .example = "list_concat([1], [2, 3])"},
    {.name = "||",
     .resolve = resolve_operator,
     .evaluate = concat,
     .reference = concat_reference,
     .documentation = "The elements of both lists.",
     .example = "[1] || [2, 3]"},
    {.name = "list_slice",
     .nulls = kOwn,
     .raises = true,
     .resolve = resolve_slice,
     .evaluate = evaluate_rows,
     .reference = slice,
     .documentation =
         "The elements from one position to another, both included; with a step, every n-th of them.",
     .example = "[1, 2, 3, 4][2:3]"},
    {.name = "normalized",
     .resolve = resolve_normalized,
     .evaluate = normalized,
     .reference = normalized_reference,
     .documentation =
         "The same value as all that equal it: zeros without a sign, intervals in whole months and days. "
         "Around keys and comparisons, where a nested type has such.",
     .example = "[0.0::DOUBLE] = [-0.0::DOUBLE]"},
    {.name = "flatten",
     .resolve = resolve_flatten,
     .evaluate = evaluate_rows,
     .reference = flatten_reference,
     .documentation = "The elements of a list's lists.",
     .example = "flatten([[1], [2, 3]])"},
    {.name = "list_resize",
     .nulls = kOwn,
     .raises = true,
     .resolve = resolve_resize,
     .evaluate = evaluate_rows,
     .reference = resize,
     .documentation = "The list resized to n elements; new ones are NULL or the third argument.",
     .example = "list_resize([1, 2], 3, 0)"},
    {.name = "list_zip",
     .nulls = kOwn,
     .resolve = resolve_zip,
     .evaluate = evaluate_rows,
     .reference = zip,
     .documentation = "Structs of the lists' first elements, second elements, ...; as many as the longest "
                      "list has or, with true, the shortest.",
     .example = "list_zip([1, 2], ['a', 'b'])"},
    {.name = "repeat",
     .resolve = resolve_repeat,
     .evaluate = evaluate_rows,
     .reference = repeat,
     .documentation = "The list repeated n times.",
     .example = "repeat([1, 2], 2)"},
};

}  // namespace

}  // namespace lists

std::span<const Function> list_functions() { return lists::kListFunctions; }

}  // namespace lanewise::expr
