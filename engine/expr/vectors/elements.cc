#include "expr/vectors/elements.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "data/interval.h"
#include "expr/vectors/vectors.h"

namespace lanewise::expr {

namespace {

using packed::Mark;

/// Values that are read one after another, and which of them are NULL.
template <class T>
class Column {
 public:
  Column(Type type, uint32_t count, Arena& arena) : count_(count), arena_(arena) {
    vector_ = new_vector<T>(type, count, arena, values_);
  }
  void set(uint32_t row, const T& value) { values_[row] = value; }
  void set_null(uint32_t row) {
    if (validity_ == nullptr) validity_ = all_ones(count_, arena_);
    bits::clear(validity_, row);
    values_[row] = T{};
  }
  Vector finish() {
    vector_.validity = validity_;
    return vector_;
  }

 private:
  uint32_t count_;
  Arena& arena_;
  Vector vector_;
  T* values_;
  uint64_t* validity_ = nullptr;
};

/// Reads a slot's value, or that it is NULL, into `row` of the column.
template <class T>
void read(Type type, Mark mark, packed::Reader& reader, Column<T>& column, uint32_t row, Arena& arena) {
  if (mark == Mark::kNull) {
    reader.null(type);
    return column.set_null(row);
  }
  if constexpr (!std::is_same_v<T, std::string_view>) {
    column.set(row, reader.template number<T>());
  } else if (type.is_nested()) {
    column.set(row, reader.nested(type));
  } else {
    std::string scratch;
    const std::string_view text = reader.text(scratch);
    column.set(row, text.data() == scratch.data() ? arena.copy_packed(text) : text);
  }
}

/// Fixed-width elements of a list, whose places in its bytes follow from their numbers.
template <class T>
void read_all(std::string_view list, Column<T>& column, uint32_t first, uint32_t last) {
  const char* slot = list.data();
  for (uint32_t i = first; i < last; ++i, slot += sizeof(T) + 1) {
    if (static_cast<Mark>(*slot) == Mark::kNull) {
      column.set_null(i);
    } else {
      column.set(i, packed::unordered<T>(slot + 1));
    }
  }
}

/// The places of the lists' elements among all.
Elements places(const Vector& lists, const ActiveSet& rows) {
  Elements result;
  auto* starts = rows.arena().allocate<uint32_t>(rows.rows() + 1);
  // An array's number of elements is its type's.
  const size_t width = lists.type.id == TypeId::kArray ? 0 : packed::slot_width(lists.type.element());
  uint64_t count = 0;
  uint32_t next = 0;
  rows.for_each([&](uint32_t row) {
    for (; next <= row; ++next) starts[next] = static_cast<uint32_t>(count);
    if (!lists.is_null(row)) {
      const std::string_view list = lists.text(row);
      count += width != 0 ? list.size() / width : packed::size(lists.type, list);
    }
    if (count > UINT32_MAX)
      throw UserError("lists of more than 4294967295 elements at a time are not supported");
  });
  for (; next <= rows.rows(); ++next) starts[next] = static_cast<uint32_t>(count);
  result.count = static_cast<uint32_t>(count);
  result.starts = starts;
  return result;
}

/// A number of a vector of any form.
template <class T>
const T& number_at(const Vector& vector, uint32_t row) {
  if (vector.constant) row = 0;
  if (vector.form != Vector::Form::kDictionary) return vector.as<T>()[row];
  return vector.dictionary->values.as<T>()[vector.as<uint32_t>()[row]];
}

/// Bytes of fixed-width slots are written where they belong, with no look at what they are.
template <class T>
char* put(const Vector& values, uint32_t row, char* to) {
  const bool null = values.is_null(row);
  *to++ = static_cast<char>(null ? Mark::kNull : Mark::kValue);
  std::string bytes;
  if constexpr (std::is_same_v<T, Interval>) {
    packed::Writer(bytes).number(number_at<T>(values, row));
    std::memcpy(to, bytes.data() + 1, sizeof(T));
  } else {
    const auto bits = packed::ordering::swap(packed::ordered(number_at<T>(values, row)));
    std::memcpy(to, &bits, sizeof(T));
  }
  if (null) std::memset(to, 0, sizeof(T));
  return to + sizeof(T);
}

bool has_end(Type type) { return type.id == TypeId::kList || type.id == TypeId::kMap; }

}  // namespace

Elements elements_of(const Vector& lists, const ActiveSet& rows) {
  Arena& arena = rows.arena();
  Elements result = places(lists, rows);
  const Type type = lists.type.element();
  visit(type.physical(), [&](auto zero) {
    using T = decltype(zero);
    Column<T> column(type, result.count, arena);
    rows.for_each([&](uint32_t row) {
      const uint32_t first = result.starts[row], last = result.starts[row + 1];
      if (first == last) return;
      if constexpr (!std::is_same_v<T, std::string_view>) {
        read_all(lists.text(row), column, first, last);
      } else {
        packed::Reader reader(lists.text(row));
        for (uint32_t i = first; i < last; ++i) read(type, reader.next(), reader, column, i, arena);
      }
    });
    result.values = column.finish();
  });
  return result;
}

const uint64_t* not_null(std::span<const Vector> args, const ActiveSet& rows) {
  uint64_t* valid = nullptr;
  for (const Vector& arg : args) {
    if (arg.validity == nullptr) continue;
    if (valid == nullptr) valid = all_ones(rows.rows(), rows.arena());
    rows.for_each([&](uint32_t row) {
      if (arg.is_null(row)) bits::clear(valid, row);
    });
  }
  return valid;
}

Vector normalized(const Vector& values, const ActiveSet& rows) {
  if (!packed::has_equal_forms(values.type)) return values;
  if (values.constant && rows.rows() != 1) {
    Vector result = normalized(values, ActiveSet(1, rows.arena()));
    result.constant = true;
    return result;
  }
  Vector result = visit(values.type.physical(), [&](auto zero) {
    using T = decltype(zero);
    T* out;
    const Vector copy = new_vector<T>(values.type, rows.rows(), rows.arena(), out);
    std::fill_n(out, rows.rows(), T{});
    rows.for_each([&](uint32_t row) {
      if (values.is_null(row)) return;
      if constexpr (std::is_same_v<T, std::string_view>) {
        const std::string_view from = values.text(row);
        char* const to = rows.arena().allocate<char>(from.size());
        std::ranges::copy(from, to);
        packed::normalize(values.type, {to, from.size()});
        out[row] = {to, from.size()};
      } else if constexpr (std::is_same_v<T, Interval>) {
        out[row] = normal_form(number_at<T>(values, row));
      } else {
        const T number = number_at<T>(values, row);
        out[row] = number == 0 ? T{} : number;
      }
    });
    return copy;
  });
  result.validity = values.validity;
  result.constant = values.constant;
  return result;
}

Vector field_of(const Vector& structs, size_t field, const ActiveSet& rows) {
  const std::vector<Member>& members = structs.type.members();
  const Type type = members[field].type;
  return visit(type.physical(), [&](auto zero) {
    using T = decltype(zero);
    Column<T> column(type, rows.rows(), rows.arena());
    rows.for_each([&](uint32_t row) {
      if (structs.is_null(row)) return column.set_null(row);
      packed::Reader reader(structs.text(row));
      for (size_t i = 0; i < field; ++i) {
        if (reader.next() == Mark::kNull) {
          reader.null(members[i].type);
        } else {
          reader.payload(members[i].type);
        }
      }
      read(type, reader.next(), reader, column, row, rows.arena());
    });
    return column.finish();
  });
}

void SlotWriter::append(uint32_t row, packed::Writer& to) const {
  if (values_.is_null(row)) return to.null(values_.type);
  if (values_.type.is_nested()) return to.nested(values_.text(row));
  visit(physical_, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::string_view>) {
      to.text(values_.text(row));
    } else {
      to.number(number_at<T>(values_, row));
    }
  });
}

Vector lists_of(Type type, const Vector& values, const uint32_t* starts, const ActiveSet& rows) {
  const size_t end = has_end(type) ? 1 : 0;
  return visit(values.type.physical(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::string_view>) {
      const SlotWriter slots(values);
      return packed_rows(type, rows, [&](uint32_t row, packed::Writer& to) {
        for (uint32_t i = starts[row]; i < starts[row + 1]; ++i) slots.append(i, to);
        if (end != 0) to.end();
      });
    } else {
      Arena& arena = rows.arena();
      std::string_view* out;
      const Vector result = new_vector<std::string_view>(type, rows.rows(), arena, out);
      if (!rows.all()) std::fill_n(out, rows.rows(), std::string_view());
      size_t bytes = 0;
      rows.for_each([&](uint32_t row) { bytes += (starts[row + 1] - starts[row]) * (1 + sizeof(T)) + end; });
      char* to = arena.allocate<char>(bytes);
      rows.for_each([&](uint32_t row) {
        const char* start = to;
        for (uint32_t i = starts[row]; i < starts[row + 1]; ++i) to = put<T>(values, i, to);
        if (end != 0) *to++ = static_cast<char>(Mark::kEnd);
        out[row] = {start, static_cast<size_t>(to - start)};
      });
      return result;
    }
  });
}

Vector structs_of(Type type, std::span<const Vector> fields, const ActiveSet& rows) {
  const std::vector<SlotWriter> slots(fields.begin(), fields.end());
  return packed_rows(type, rows, [&](uint32_t row, packed::Writer& to) {
    for (const SlotWriter& slot : slots) slot.append(row, to);
  });
}

Vector slots_of(const Vector& values, const ActiveSet& rows) {
  const SlotWriter slots(values);
  return packed_rows(TypeId::kBlob, rows, [&](uint32_t row, packed::Writer& to) { slots.append(row, to); });
}

const uint32_t* rows_of(const Elements& elements, const ActiveSet& rows) {
  auto* result = rows.arena().allocate<uint32_t>(elements.count);
  rows.for_each([&](uint32_t row) {
    for (uint32_t i = elements.starts[row]; i < elements.starts[row + 1]; ++i) result[i] = row;
  });
  return result;
}

Vector repeated(const Vector& values, const uint32_t* row_of, uint32_t count, Arena& arena) {
  if (values.constant) return values;
  const ActiveSet all(count, arena);
  if (values.form != Vector::Form::kDictionary) return gather(values, row_of, all);
  std::string_view* texts;
  if (!values.type.is_string()) throw InternalError("a dictionary of numbers is written out");
  Vector result = new_vector<std::string_view>(values.type, count, arena, texts);
  uint64_t* validity = values.validity == nullptr ? nullptr : all_ones(count, arena);
  for (uint32_t i = 0; i < count; ++i) {
    const bool null = values.is_null(row_of[i]);
    texts[i] = null ? std::string_view() : values.text(row_of[i]);
    if (null) bits::clear(validity, i);
  }
  result.validity = validity;
  return result;
}

}  // namespace lanewise::expr
