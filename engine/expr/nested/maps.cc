#include <algorithm>
#include <set>

#include "base/error.h"
#include "expr/evaluation/vectors.h"
#include "expr/nested/elements.h"
#include "expr/nested/functions.h"

namespace lanewise::expr {

namespace maps {

namespace {

using Types = std::span<const Type>;
using Given = std::span<const Value>;

bool is_map(Type type) { return type.id == TypeId::kMap; }
Type key_of(Type map) { return map.members()[0].type; }
Type value_of(Type map) { return map.members()[1].type; }

/// Throws where a key is NULL or there twice.
Value map_of(Type type, const ValueList& keys, const ValueList& values) {
  std::set<std::string> seen;
  ValueList entries;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].is_null()) throw UserError("Map keys can not be NULL.");
    std::string slot;
    packed::Writer(slot).value(keys[i].type(), keys[i]);
    if (!seen.insert(std::move(slot)).second) throw UserError("Map keys must be unique.");
    entries.push_back(packed::pack(type.element(), {keys[i], values[i]}));
  }
  return packed::pack(type, entries);
}

std::optional<Type> resolve_map(Types args) {
  if (args.empty()) return Type::map(TypeId::kNull, TypeId::kNull);
  if (args.size() != 2 || !is_list(args[0]) || !is_list(args[1])) return std::nullopt;
  return Type::map(args[0].element(), args[1].element());
}

Value map(const Expr& expr, Given args) {
  if (args.empty()) return map_of(expr.type, {}, {});
  if (args[0].is_null() || args[1].is_null()) return Value(expr.type);
  const ValueList keys = packed::unpack(args[0]), values = packed::unpack(args[1]);
  if (keys.size() != values.size())
    throw UserError("The map key list does not align with the map value list.");
  return map_of(expr.type, keys, values);
}

std::optional<Type> resolve_from_entries(Types args) {
  if (args.size() != 1 || !is_list(args[0])) return std::nullopt;
  const Type entry = args[0].element();
  if (entry.id != TypeId::kStruct || entry.members().size() != 2) return std::nullopt;
  return Type::map(entry.members()[0].type, entry.members()[1].type);
}

Value from_entries(const Expr& expr, Given args) {
  ValueList keys, values;
  for (const Value& entry : packed::unpack(args[0])) {
    if (entry.is_null()) throw UserError("The list of structs contains a NULL.");
    ValueList pair = packed::unpack(entry);
    keys.push_back(std::move(pair[0]));
    values.push_back(std::move(pair[1]));
  }
  return map_of(expr.type, keys, values);
}

std::optional<Type> resolve_keys(Types args) {
  if (args.size() != 1 || !is_map(args[0])) return std::nullopt;
  return Type::list(key_of(args[0]));
}
std::optional<Type> resolve_values(Types args) {
  if (args.size() != 1 || !is_map(args[0])) return std::nullopt;
  return Type::list(value_of(args[0]));
}
std::optional<Type> resolve_entries(Types args) {
  if (args.size() != 1 || !is_map(args[0])) return std::nullopt;
  return Type::list(args[0].element());
}
std::optional<Type> resolve_cardinality(Types args) {
  return args.size() == 1 && is_map(args[0]) ? std::optional<Type>(TypeId::kUInt64) : std::nullopt;
}

/// Field `field` of all entries.
template <size_t field>
Value part(const Expr& expr, Given args) {
  ValueList result;
  for (const Value& entry : packed::unpack(args[0])) result.push_back(packed::unpack(entry)[field]);
  return packed::pack(expr.type, result);
}

/// A map's bytes are those of the list of its entries.
Value entries(const Expr& expr, Given args) { return {expr.type, args[0].text()}; }

Value cardinality(const Expr&, Given args) {
  return {TypeId::kUInt64, static_cast<uint128_t>(packed::size(args[0].type(), args[0].text()))};
}

bool takes_key(Types args) { return args.size() == 2 && is_map(args[0]) && key_of(args[0]) == args[1]; }
std::optional<Type> resolve_extract(Types args) {
  return takes_key(args) ? std::optional(Type::list(value_of(args[0]))) : std::nullopt;
}
std::optional<Type> resolve_extract_value(Types args) {
  return takes_key(args) ? std::optional(value_of(args[0])) : std::nullopt;
}
std::optional<Type> resolve_contains(Types args) {
  return takes_key(args) ? std::optional<Type>(TypeId::kBool) : std::nullopt;
}

std::optional<Value> find(const Value& map, const Value& key) {
  for (const Value& entry : packed::unpack(map)) {
    ValueList pair = packed::unpack(entry);
    if (pair[0] == key) return std::move(pair[1]);
  }
  return std::nullopt;
}

Value extract(const Expr& expr, Given args) {
  if (args[0].is_null()) return Value(expr.type);
  const std::optional<Value> found = find(args[0], args[1]);
  return packed::pack(expr.type, found ? ValueList{*found} : ValueList());
}

Value extract_value(const Expr& expr, Given args) {
  return find(args[0], args[1]).value_or(Value(expr.type));
}

Value contains(const Expr&, Given args) { return Value::boolean(find(args[0], args[1]).has_value()); }

std::optional<Type> resolve_concat(Types args) {
  if (args.empty() || !is_map(args[0])) return std::nullopt;
  return std::ranges::all_of(args, [&](Type type) { return type == args[0]; }) ? std::optional(args[0])
                                                                               : std::nullopt;
}

/// A later value of a key takes the place of an earlier one.
Value concat(const Expr& expr, Given args) {
  ValueList keys, values;
  bool any = false;
  for (const Value& map : args) {
    if (map.is_null()) continue;
    any = true;
    for (const Value& entry : packed::unpack(map)) {
      ValueList pair = packed::unpack(entry);
      const auto known = std::ranges::find(keys, pair[0]);
      if (known != keys.end()) {
        values[static_cast<size_t>(known - keys.begin())] = std::move(pair[1]);
      } else {
        keys.push_back(std::move(pair[0]));
        values.push_back(std::move(pair[1]));
      }
    }
  }
  return any ? map_of(expr.type, keys, values) : Value(expr.type);
}

constexpr Function::Nulls kOwn = Function::Nulls::kOwn;
constexpr Function kMapFunctions[] = {
    {.name = "map",
     .nulls = kOwn,
     .raises = true,
     .resolve = resolve_map,
     .evaluate = evaluate_rows,
     .reference = map,
     .documentation = "A map from a list of keys and a list of values.",
     .example = "map(['a', 'b'], [1, 2])"},
    {.name = "map_from_entries",
     .raises = true,
     .resolve = resolve_from_entries,
     .evaluate = evaluate_rows,
     .reference = from_entries,
     .documentation = "A map of pairs of a key and a value.",
     .example = "map_from_entries([(1, 'a'), (2, 'b')])"},
    {.name = "map_keys",
     .resolve = resolve_keys,
     .evaluate = evaluate_rows,
     .reference = part<0>,
     .documentation = "The keys.",
     .example = "map_keys(map {'a': 1, 'b': 2})"},
    {.name = "map_values",
     .resolve = resolve_values,
     .evaluate = evaluate_rows,
     .reference = part<1>,
     .documentation = "The values.",
     .example = "map_values(map {'a': 1, 'b': 2})"},
    {.name = "map_entries",
     .resolve = resolve_entries,
     .evaluate = evaluate_rows,
     .reference = entries,
     .documentation = "Structs of a key and its value.",
     .example = "map_entries(map {'a': 1})"},
    {.name = "cardinality",
     .resolve = resolve_cardinality,
     .evaluate = evaluate_rows,
     .reference = cardinality,
     .documentation = "The number of keys.",
     .example = "cardinality(map {'a': 1})"},
    {.name = "map_extract",
     .nulls = kOwn,
     .resolve = resolve_extract,
     .evaluate = evaluate_rows,
     .reference = extract,
     .documentation = "A list of the key's value; empty if there is none.",
     .example = "map_extract(map {'a': 1}, 'a')"},
    {.name = "map_extract_value",
     .resolve = resolve_extract_value,
     .evaluate = evaluate_rows,
     .reference = extract_value,
     .documentation = "The key's value; NULL if there is none.",
     .example = "(map {'a': 1})['a']"},
    {.name = "map_contains",
     .resolve = resolve_contains,
     .evaluate = evaluate_rows,
     .reference = contains,
     .documentation = "Whether the map has the key.",
     .example = "map_contains(map {'a': 1}, 'b')"},
    {.name = "map_concat",
     .nulls = kOwn,
     .raises = true,
     .resolve = resolve_concat,
     .evaluate = evaluate_rows,
     .reference = concat,
     .documentation = "The entries of all maps; of a key that several have the last one's.",
     .example = "map_concat(map {'a': 1}, map {'a': 2, 'b': 3})"},
};

}  // namespace

}  // namespace maps

std::span<const Function> map_functions() { return maps::kMapFunctions; }

}  // namespace lanewise::expr
