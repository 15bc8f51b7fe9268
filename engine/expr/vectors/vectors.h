#pragma once

#include <cstdint>
#include <span>

#include "active/active_set.h"
#include "data/vector.h"

/// Creates, flattens and merges vectors, and converts between boolean vectors and bitmaps.
namespace lanewise::expr {

/// NULL of `type` for all rows.
Vector null_vector(Type type, Arena& arena);

/// A vector of `type` with room for `rows` values (strings: string_views), unspecified and without NULLs.
template <class T>
Vector new_vector(Type type, uint32_t rows, Arena& arena, T*& values) {
  Vector result;
  result.type = type;
  values = arena.allocate<T>(rows);
  result.values = values;
  return result;
}

/// A bitmap of `rows` bits that are all 1.
uint64_t* all_ones(uint32_t rows, Arena& arena);
/// a & b, where null means all ones.
const uint64_t* both(const uint64_t* a, const uint64_t* b, uint32_t rows, Arena& arena);

/// The same values, one per row and without a dictionary: a constant is repeated, a dictionary of numbers
/// looked up. Other vectors are returned as they are; strings keep their form unless they are constant.
Vector flatten(const Vector& vector, const ActiveSet& rows);

/// entries[codes[row]] for the active rows; `entries` may hold NULLs.
Vector gather(const Vector& entries, const uint32_t* codes, const ActiveSet& rows);

/// Builds one vector from parts that were computed for disjoint sets of rows; rows in no part are NULL.
class Merger {
 public:
  Merger(Type type, const ActiveSet& rows) : type_(type), rows_(rows) {}
  /// Adds the values of `part`'s rows.
  void put(const Vector& part, const ActiveSet& rows);
  Vector finish();

 private:
  void copy_values(const Vector& part, const ActiveSet& rows);

  Type type_;
  const ActiveSet& rows_;
  uint32_t covered_ = 0;
  Vector only_;                   // if one part covers all rows
  void* values_ = nullptr;        // else the merged values
  uint64_t* validity_ = nullptr;  // and the rows that have one
};

/// Bit i is the lowest bit of byte i; bits past `rows` are 0. May read up to 63 bytes past the end.
void pack(const uint8_t* bytes, uint32_t rows, uint64_t* bitmap);
/// Byte i is bit i.
void unpack(const uint64_t* bitmap, uint32_t rows, uint8_t* bytes);

/// A three-valued condition: bits of the active rows where it is true, and where it is NULL (null: nowhere).
/// All other bits are 0.
struct Truth {
  const uint64_t* yes = nullptr;
  const uint64_t* unknown = nullptr;
};
Truth truth_of(const Vector& condition, const ActiveSet& rows);
Vector vector_of(const Truth& truth, const ActiveSet& rows);

}  // namespace lanewise::expr
