#include "expr/casts/cast.h"

#include "expr/casts/convert.h"

namespace lanewise::expr {

namespace {

enum class Group : uint8_t {
  kNull,
  kNumber,
  kDecimal,
  kText,
  kBlob,
  kUuid,
  kDate,
  kTime,
  kTimeNs,
  kTimestamp,
  kInterval,
  kNested,
};

Group group(Type type) {
  switch (type.id) {
    case TypeId::kNull:
      return Group::kNull;
    case TypeId::kDecimal:
      return Group::kDecimal;
    case TypeId::kVarchar:
      return Group::kText;
    case TypeId::kBlob:
      return Group::kBlob;
    case TypeId::kUuid:
      return Group::kUuid;
    case TypeId::kDate:
      return Group::kDate;
    case TypeId::kTime:
      return Group::kTime;
    case TypeId::kTimeNs:
      return Group::kTimeNs;
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return Group::kTimestamp;
    case TypeId::kInterval:
      return Group::kInterval;
    case TypeId::kList:
    case TypeId::kArray:
    case TypeId::kStruct:
    case TypeId::kMap:
      return Group::kNested;
    default:
      return Group::kNumber;
  }
}

/// SQL has no casts from a timestamp unit to a coarser one, except to and from microseconds.
bool loses_digits(Type from, Type to) {
  return from.id == TypeId::kTimestamp && to.id == TypeId::kTimestamp && from.unit != TimeUnit::kMicro &&
         to.unit != TimeUnit::kMicro && from.unit > to.unit;
}

using Cast = Vector (*)(const CastJob&);

/// The function for a pair of types, null if SQL has no such cast.
Cast find(Type from, Type to) {
  const Group a = group(from);
  const Group b = group(to);
  if (b == Group::kText) return any_to_text;
  if (a == Group::kNested && b == Group::kNested)
    return can_cast_members(from, to) ? nested_to_nested : nullptr;
  if (a == Group::kNested || b == Group::kNested) return nullptr;
  if (a == Group::kText) return b == Group::kNull ? nullptr : text_to_any;
  if (a == Group::kNumber && b == Group::kNumber) return number_to_number;
  if (a == Group::kNumber && b == Group::kDecimal) return number_to_decimal;
  if (a == Group::kDecimal && b == Group::kNumber) return decimal_to_number;
  if (a == Group::kDecimal && b == Group::kDecimal) return decimal_to_decimal;
  if (a == Group::kUuid && b == Group::kBlob) return uuid_to_blob;
  if (a == Group::kBlob && b == Group::kUuid) return blob_to_uuid;
  if (a == Group::kTime && b == Group::kTimeNs) return time_to_time_ns;
  if (a == Group::kTimeNs && b == Group::kTime) return time_ns_to_time;
  if (a == Group::kTimestamp && b == Group::kTimeNs)
    return from == Type::timestamp(TimeUnit::kNano) ? timestamp_to_time_ns : nullptr;
  if (a == Group::kDate && b == Group::kTimestamp) return time_to_time;
  if (a == Group::kTimestamp && (b == Group::kDate || b == Group::kTime || b == Group::kTimestamp))
    return loses_digits(from, to) || (from.id == TypeId::kTimestampTz && b == Group::kTime) ? nullptr
                                                                                            : time_to_time;
  return nullptr;
}

/// A dictionary is converted by entry; an entry that cannot be converted raises only if a row uses it.
Vector cast_entries(Cast cast, const CastJob& job) {
  const auto count = static_cast<uint32_t>(job.from.dictionary->rows);
  const Vector entries = slice(*job.from.dictionary, 0, count, job.arena);
  const ActiveSet all(count, job.arena);
  const Vector converted = cast({entries, job.to, true, all, job.arena});
  const Vector result = gather(converted, job.from.as<uint32_t>(), job.rows);
  if (!job.try_cast && result.validity != nullptr) {
    job.rows.for_each([&](uint32_t row) {
      if (result.is_null(row)) throw ConversionError(cast_error(value_at(job.from, row), job.to), row);
    });
  }
  return result;
}

}  // namespace

bool can_cast(Type from, Type to) {
  return from == to || from.id == TypeId::kNull || find(from, to) != nullptr;
}

bool holds_all(Type from, Type to) {
  const Group a = group(from), b = group(to);
  if (b == Group::kText) return a != Group::kNested && from.id != TypeId::kTimestamp;  // some have no text
  if (a != Group::kNumber && a != Group::kDecimal) return false;
  if (to.id == TypeId::kBool || to.id == TypeId::kFloat64) return true;
  if (from.id == TypeId::kBool) return b == Group::kNumber;
  const size_t bytes = width(from.physical()), room = width(to.physical());
  if (from.is_integer() && to.id == TypeId::kFloat32) return bytes <= sizeof(int64_t);
  if (!from.is_integer() || !to.is_integer()) return false;
  if (from.is_signed_integer() == to.is_signed_integer()) return bytes <= room;
  return from.is_unsigned_integer() && bytes < room;
}

Vector cast(const Vector& from, Type to, bool try_cast, const ActiveSet& rows, EvalContext&) {
  Arena& arena = rows.arena();
  if (from.type == to) return from;
  if (rows.none() || from.type.id == TypeId::kNull || (from.constant && from.is_null(0)))
    return null_vector(to, arena);
  const Cast cast = find(from.type, to);
  const ActiveSet valid = from.validity == nullptr || from.constant ? rows : rows.narrowed(from.validity);
  if (valid.none() || (cast == nullptr && try_cast)) return null_vector(to, arena);
  if (cast == nullptr)
    throw UserError("Unimplemented type for cast (" + from.type.name() + " -> " + to.name() + ")");
  if (from.constant) {
    Vector one = from;
    one.constant = false;
    one.validity = nullptr;
    try {
      Vector result = cast({one, to, try_cast, ActiveSet(1, arena), arena});
      result.constant = true;
      return result;
    } catch (const ConversionError& error) {
      throw ConversionError(error.what());  // not caused by a row's value
    }
  }
  Vector result;
  if (from.form == Vector::Form::kDictionary && from.dictionary->rows <= valid.count()) {
    result = cast_entries(cast, {from, to, try_cast, valid, arena});
  } else {
    result = cast({flatten(from, valid), to, try_cast, valid, arena});
  }
  result.validity = both(result.validity, from.validity, rows.rows(), arena);
  return result;
}

Value cast(const Value& from, Type to, bool try_cast) {
  if (from.is_null()) return Value(to);
  Arena arena;
  EvalContext context{.arena = &arena};
  const ActiveSet one(1, arena);
  return value_at(cast(constant(from, arena), to, try_cast, one, context), 0);
}

}  // namespace lanewise::expr
