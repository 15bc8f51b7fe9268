#include <algorithm>

#include "base/error.h"
#include "expr/nested/functions.h"
#include "expr/nested/slots.h"
#include "expr/vectors/elements.h"
#include "expr/vectors/vectors.h"

namespace lanewise::expr {

namespace maps {

namespace {

using Args = std::span<const Vector>;
using Types = std::span<const Type>;
using Given = std::span<const Value>;

bool is_map(Type type) { return type.id == TypeId::kMap; }
Type key_of(Type map) { return map.members()[0].type; }
Type value_of(Type map) { return map.members()[1].type; }

/// Throws where a key is NULL or there twice.
Value map_of(Type type, const ValueList& keys, const ValueList& values) {
  ValueList entries;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].is_null()) throw UserError("Map keys can not be NULL.");
    if (std::ranges::count(keys, keys[i]) != 1) throw UserError("Map keys must be unique.");
    entries.push_back(packed::pack(type.element(), {keys[i], values[i]}));
  }
  return packed::pack(type, entries);
}

std::optional<Type> resolve_map(Types args) {
  if (args.empty()) return Type::map(TypeId::kNull, TypeId::kNull);
  if (args.size() != 2 || !is_list(args[0]) || !is_list(args[1])) return std::nullopt;
  return Type::map(args[0].element(), args[1].element());
}

/// Writes entries as a map holds them: a mark, the key's slot and the value's. Checks the keys.
class MapWriter {
 public:
  MapWriter(packed::Writer& to, SlotSet& seen) : to_(to), seen_(seen) { seen_.clear(); }
  void add(const Slots& key, std::string_view value) {
    if (key.is_null()) throw UserError("Map keys can not be NULL.");
    if (!seen_.insert(key.key())) throw UserError("Map keys must be unique.");
    to_.mark(packed::Mark::kValue);
    to_.slot(key.slot());
    to_.slot(value);
  }

 private:
  packed::Writer& to_;
  SlotSet& seen_;
};

Vector map(const Expr& expr, Args args, const ActiveSet& rows, EvalContext&) {
  if (args.empty()) return packed_rows(expr.type, rows, [](uint32_t, packed::Writer& to) { to.end(); });
  const SlotLists keys(args[0], rows), values(args[1], rows);
  const uint64_t* const valid = not_null(args, rows);
  SlotSet seen(rows.arena());
  Vector result = packed_rows(expr.type, rows, [&](uint32_t row, packed::Writer& to) {
    if (valid != nullptr && !bits::test(valid, row)) return;
    if (packed::size(args[0].type, keys.text(row)) != packed::size(args[1].type, values.text(row)))
      throw UserError("The map key list does not align with the map value list.");
    MapWriter entries(to, seen);
    Slots key = keys[row], value = values[row];
    while (key.next() && value.next()) entries.add(key, value.slot());
    to.end();
  });
  result.validity = valid;
  return result;
}

Value map_reference(const Expr& expr, Given args) {
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

/// An entry's key and value as slots.
struct Entry {
  Slots key;
  std::string_view value;
};

/// Reads the entries of maps and of lists of pairs.
class Entries {
 public:
  Entries(const Vector& maps, const ActiveSet& rows)
      : maps_(maps, rows), key_(maps.type.element().members()[0].type), width_(packed::slot_width(key_)) {}
  Slots operator[](uint32_t row) const { return maps_[row]; }
  Entry entry(const Slots& slots) const {
    const std::string_view pair = slots.slot().substr(1);
    Slots key(key_, width_, pair, slots.key().substr(1));
    key.next();
    return {key, pair.substr(key.slot().size())};
  }
  /// The value of the row's key; empty: it has none.
  std::string_view find(uint32_t row, std::string_view key) const {
    for (Slots slots = maps_[row]; slots.next();) {
      const Entry found = entry(slots);
      if (found.key.key() == key) return found.value;
    }
    return {};
  }

 private:
  SlotLists maps_;
  Type key_;
  size_t width_;
};

Vector from_entries(const Expr& expr, Args args, const ActiveSet& rows, EvalContext&) {
  const Entries entries(args[0], rows);
  SlotSet seen(rows.arena());
  return packed_rows(expr.type, rows, [&](uint32_t row, packed::Writer& to) {
    Slots pairs = entries[row];
    while (pairs.next())
      if (pairs.is_null()) throw UserError("The list of structs contains a NULL.");
    pairs = entries[row];
    MapWriter map(to, seen);
    while (pairs.next()) {
      const Entry entry = entries.entry(pairs);
      map.add(entry.key, entry.value);
    }
    to.end();
  });
}

Value from_entries_reference(const Expr& expr, Given args) {
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

/// The keys (field 0) or values (1) of all entries.
template <size_t field>
Vector part(const Expr& expr, Args args, const ActiveSet& rows, EvalContext&) {
  const Entries maps(args[0], rows);
  return packed_rows(expr.type, rows, [&](uint32_t row, packed::Writer& to) {
    for (Slots slots = maps[row]; slots.next();) {
      const Entry entry = maps.entry(slots);
      to.slot(field == 0 ? entry.key.slot() : entry.value);
    }
    to.end();
  });
}

template <size_t field>
Value part_reference(const Expr& expr, Given args) {
  ValueList result;
  for (const Value& entry : packed::unpack(args[0])) result.push_back(packed::unpack(entry)[field]);
  return packed::pack(expr.type, result);
}

/// A map's bytes are those of the list of its entries.
Vector entries(const Expr& expr, Args args, const ActiveSet& rows, EvalContext&) {
  const Texts maps(args[0], rows);
  return map_rows(expr.type, rows, [&](uint32_t row) { return maps[row]; });
}

Value entries_reference(const Expr& expr, Given args) { return {expr.type, args[0].text()}; }

Vector cardinality(const Expr&, Args args, const ActiveSet& rows, EvalContext&) {
  const Texts maps(args[0], rows);
  return map_rows(TypeId::kUInt64, rows,
                  [&](uint32_t row) { return static_cast<uint64_t>(packed::size(args[0].type, maps[row])); });
}

Value cardinality_reference(const Expr&, Given args) {
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

/// Finds the values of the rows' keys.
class Finder {
 public:
  Finder(Args args, const ActiveSet& rows)
      : maps_(args[0], rows), keys_(normalized(args[1], rows)), slot_(keys_) {}
  std::string_view operator()(uint32_t row) {
    key_.clear();
    packed::Writer writer(key_);
    slot_.append(row, writer);
    return maps_.find(row, key_);
  }

 private:
  Entries maps_;
  Vector keys_;
  SlotWriter slot_;
  std::string key_;
};

Vector extract(const Expr& expr, Args args, const ActiveSet& rows, EvalContext&) {
  Finder find(args, rows);
  const uint64_t* const valid = not_null(args.first(1), rows);
  Vector result = packed_rows(expr.type, rows, [&](uint32_t row, packed::Writer& to) {
    if (valid != nullptr && !bits::test(valid, row)) return;
    to.slot(find(row));
    to.end();
  });
  result.validity = valid;
  return result;
}

Vector extract_value(const Expr& expr, Args args, const ActiveSet& rows, EvalContext&) {
  Finder find(args, rows);
  const Type one = Type::structure({{"", expr.type}});
  const Vector found = packed_rows(one, rows, [&](uint32_t row, packed::Writer& to) {
    const std::string_view value = find(row);
    if (value.empty()) {
      to.null(expr.type);
    } else {
      to.slot(value);
    }
  });
  return field_of(found, 0, rows);
}

Vector contains(const Expr&, Args args, const ActiveSet& rows, EvalContext&) {
  Finder find(args, rows);
  return map_rows(TypeId::kBool, rows,
                  [&](uint32_t row) { return static_cast<uint8_t>(!find(row).empty()); });
}

Value extract_reference(const Expr& expr, Given args) {
  if (args[0].is_null()) return Value(expr.type);
  const std::optional<Value> found = find(args[0], args[1]);
  return packed::pack(expr.type, found ? ValueList{*found} : ValueList());
}

Value extract_value_reference(const Expr& expr, Given args) {
  return find(args[0], args[1]).value_or(Value(expr.type));
}

Value contains_reference(const Expr&, Given args) {
  return Value::boolean(find(args[0], args[1]).has_value());
}

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
     .evaluate = map,
     .reference = map_reference,
     .documentation = "A map from a list of keys and a list of values.",
     .example = "map(['a', 'b'], [1, 2])"},
    {.name = "map_from_entries",
     .raises = true,
     .resolve = resolve_from_entries,
     .evaluate = from_entries,
     .reference = from_entries_reference,
     .documentation = "A map of pairs of a key and a value.",
     .example = "map_from_entries([(1, 'a'), (2, 'b')])"},
    {.name = "map_keys",
     .resolve = resolve_keys,
     .evaluate = part<0>,
     .reference = part_reference<0>,
     .documentation = "The keys.",
     .example = "map_keys(map {'a': 1, 'b': 2})"},
    {.name = "map_values",
     .resolve = resolve_values,
     .evaluate = part<1>,
     .reference = part_reference<1>,
     .documentation = "The values.",
     .example = "map_values(map {'a': 1, 'b': 2})"},
    {.name = "map_entries",
     .resolve = resolve_entries,
     .evaluate = entries,
     .reference = entries_reference,
     .documentation = "Structs of a key and its value.",
     .example = "map_entries(map {'a': 1})"},
    {.name = "cardinality",
     .resolve = resolve_cardinality,
     .evaluate = cardinality,
     .reference = cardinality_reference,
     .documentation = "The number of keys.",
     .example = "cardinality(map {'a': 1})"},
    {.name = "map_extract",
     .nulls = kOwn,
     .resolve = resolve_extract,
     .evaluate = extract,
     .reference = extract_reference,
     .documentation = "A list of the key's value; empty if there is none.",
     .example = "map_extract(map {'a': 1}, 'a')"},
    {.name = "map_extract_value",
     .resolve = resolve_extract_value,
     .evaluate = extract_value,
     .reference = extract_value_reference,
     .documentation = "The key's value; NULL if there is none.",
     .example = "(map {'a': 1})['a']"},
    {.name = "map_contains",
     .resolve = resolve_contains,
     .evaluate = contains,
     .reference = contains_reference,
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
