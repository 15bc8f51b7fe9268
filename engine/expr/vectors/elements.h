#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "active/active_set.h"
#include "data/packed.h"
#include "data/vector.h"
#include "expr/vectors/vectors.h"

/// Nested values column by column: all elements of a chunk's lists, or all values of a field, as one vector.
namespace lanewise::expr {

/// The elements of the lists (arrays, maps) of some rows, one list after the other.
struct Elements {
  Vector values;  ///< one per element, without a dictionary
  uint32_t count = 0;
  const uint32_t* starts = nullptr;  ///< row has [starts[row], starts[row + 1]); inactive rows are empty
};

/// NULL lists have no elements.
Elements elements_of(const Vector& lists, const ActiveSet& rows);

/// The rows where no argument is NULL; null: all.
const uint64_t* not_null(std::span<const Vector> args, const ActiveSet& rows);

/// The values with equal bytes where they are equal: 0.0 for -0.0, whole months and days for an interval's
/// smaller units.
Vector normalized(const Vector& values, const ActiveSet& rows);

/// The field of the rows' structs; NULL if the struct is.
Vector field_of(const Vector& structs, size_t field, const ActiveSet& rows);

/// Values [starts[row], starts[row + 1]) of each active row as one value of `type`, a list, array or map. An
/// array's row has as many values as its type says.
Vector lists_of(Type type, const Vector& values, const uint32_t* starts, const ActiveSet& rows);

/// Combines a value of each field into one struct.
Vector structs_of(Type type, std::span<const Vector> fields, const ActiveSet& rows);

/// The slot of each active row's value, NULL or not, as a BLOB.
Vector slots_of(const Vector& values, const ActiveSet& rows);

/// values[row_of[i]] for i in [0, count): a row's value next to each of its elements.
Vector repeated(const Vector& values, const uint32_t* row_of, uint32_t count, Arena& arena);

/// The row of each element.
const uint32_t* rows_of(const Elements& elements, const ActiveSet& rows);

/// Appends values of a vector to packed values.
class SlotWriter {
 public:
  explicit SlotWriter(const Vector& values) : values_(values), physical_(values.type.physical()) {}
  void append(uint32_t row, packed::Writer& to) const;

 private:
  const Vector& values_;
  Physical physical_;
};

/// Strings of `type`, one for each active row: f(row, packed::Writer&) writes it, including the end marks of
/// lists.
template <class F>
Vector packed_rows(Type type, const ActiveSet& rows, F f) {
  std::string_view* out;
  const Vector result = new_vector<std::string_view>(type, rows.rows(), rows.arena(), out);
  if (!rows.all()) std::fill_n(out, rows.rows(), std::string_view());
  std::string bytes;
  packed::Writer writer(bytes);
  rows.for_each([&](uint32_t row) {
    bytes.clear();
    f(row, writer);
    out[row] = rows.arena().copy_packed(bytes);
  });
  return result;
}

}  // namespace lanewise::expr
