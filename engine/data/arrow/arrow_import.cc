#include <algorithm>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "data/arrow/arrow.h"
#include "data/arrow/arrow_form.h"
#include "data/arrow/arrow_stream.h"
#include "data/packed.h"

namespace lanewise::arrow {

namespace {

/// The array, released when its buffers are no longer read.
using Owner = std::shared_ptr<ArrowArray>;

Owner own(ArrowArray* array) {
  auto* moved = new ArrowArray(*array);
  array->release = nullptr;
  return {moved, [](ArrowArray* held) {
            if (held->release != nullptr) held->release(held);
            delete held;
          }};
}

/// Imports one foreign column.
class Importer {
 public:
  Importer(const ArrowSchema& field, const ArrowArray& array, Owner owner, MemoryBudget* budget)
      : field_(field), array_(array), owner_(std::move(owner)), budget_(budget) {}

  /// Rows [first, first + rows) of the array. `copy`: into our own memory.
  ColumnPtr take(int64_t first, int64_t rows, bool copy) {
    auto column = std::make_shared<Column>();
    column->rows = rows;
    first += array_.offset;
    if (field_.dictionary != nullptr) {
      take_codes(first, rows, *column);
    } else {
      const Form form = form_of(field_);
      column->type = form.type;
      take_validity(first, rows, form.layout, *column);
      take_values(form, first, rows, copy, *column);
    }
    return column;
  }

  /// Rows whose bytes are at least kPadding before the end of their buffers.
  int64_t rows_within_padding() const {
    const int64_t rows = array_.length;
    if (rows == 0 || field_.dictionary != nullptr) return rows;  // no buffers needed; codes are copied
    const Form form = form_of(field_);
    int64_t inside = rows;
    if (form.layout == Layout::kSame) {
      inside = rows - static_cast<int64_t>(kPadding / width(form.type.physical()));
    } else if (form.layout == Layout::kText32 || form.layout == Layout::kText64) {
      const uint64_t end = text_offset(form.layout, array_.offset + rows);
      while (inside > 0 && end - text_offset(form.layout, array_.offset + inside) < kPadding) --inside;
    }
    return std::max<int64_t>(inside, 0);
  }

 private:
  template <class T>
  const T* buffer(int64_t index) const {
    if (index >= array_.n_buffers) refuse(field_, "a buffer is missing");
    if (array_.buffers[index] == nullptr && array_.length != 0) refuse(field_, "a buffer is null");
    return static_cast<const T*>(array_.buffers[index]);
  }

  uint64_t text_offset(Layout layout, int64_t row) const {
    return layout == Layout::kText32 ? buffer<uint32_t>(1)[row] : buffer<uint64_t>(1)[row];
  }

  Buffer allocate(size_t bytes) const { return Buffer::allocate(bytes, budget_, "Arrow import"); }

  void take_validity(int64_t first, int64_t rows, Layout layout, Column& column) const {
    const auto count = static_cast<size_t>(rows);
    if (layout == Layout::kUnion) return;  // its members have their own
    if (layout != Layout::kNull &&
        (array_.null_count == 0 || array_.n_buffers == 0 || array_.buffers[0] == nullptr)) {
      return;
    }
    column.validity = allocate(bits::words(count) * 8);
    auto* to = column.validity.mutable_as<uint64_t>();
    std::fill_n(to, bits::words(count), 0);
    if (layout != Layout::kNull) {
      // Bit by byte: a foreign bitmap ends anywhere, so it must not be read in words.
      const auto* from = static_cast<const uint8_t*>(array_.buffers[0]);
      for (size_t row = 0; row < count; ++row) {
        const auto at = static_cast<size_t>(first) + row;
        if ((from[at / 8] >> (at % 8) & 1) != 0) bits::set(to, row);
      }
    }
    column.nulls = rows - static_cast<int64_t>(bits::count(to, count));
    if (column.nulls == 0) column.validity = Buffer();
  }

  template <class Out, class In, class F>
  Buffer converted(const In* from, int64_t first, int64_t rows, const Column& column, F f) const {
    Buffer buffer = allocate(static_cast<size_t>(rows) * sizeof(Out));
    for (int64_t row = 0; row < rows; ++row) {
      In value;
      std::memcpy(&value, from + first + row, sizeof(In));
      buffer.template mutable_as<Out>()[row] = column.is_null(row) ? Out{} : f(value);
    }
    return buffer;
  }

  void take_intervals(const Form& form, int64_t first, int64_t rows, Column& column) const {
    if (form.layout == Layout::kMonths) {
      column.values = converted<Interval>(buffer<int32_t>(1), first, rows, column,
                                          [](int32_t months) { return Interval{months, 0, 0}; });
    } else if (form.layout == Layout::kDayMillis) {
      struct DayMillis {
        int32_t days;
        int32_t millis;
      };
      column.values = converted<Interval>(buffer<DayMillis>(1), first, rows, column, [](DayMillis value) {
        return Interval{0, value.days, int64_t{value.millis} * 1000};
      });
    } else {
      column.values = converted<Interval>(
          buffer<MonthDayNano>(1), first, rows, column,
          [](MonthDayNano value) { return Interval{value.months, value.days, value.nanos / 1000}; });
    }
  }

  void take_values(const Form& form, int64_t first, int64_t rows, bool copy, Column& column) const {
    switch (form.layout) {
      case Layout::kNull:
        column.values = allocate(static_cast<size_t>(rows));
        std::memset(column.values.mutable_data(), 0, static_cast<size_t>(rows));
        return;
      case Layout::kBits: {
        const auto* from = buffer<uint8_t>(1);
        column.values = allocate(static_cast<size_t>(rows));
        for (int64_t row = 0; row < rows; ++row) {
          column.values.mutable_data()[row] = from[(first + row) / 8] >> ((first + row) % 8) & 1;
        }
        return;
      }
      case Layout::kSame: {
        const size_t size = width(form.type.physical());
        const uint8_t* from = buffer<uint8_t>(1) + static_cast<size_t>(first) * size;
        const size_t bytes = static_cast<size_t>(rows) * size;
        const bool aligned = reinterpret_cast<uintptr_t>(from) % size == 0;
        column.values = copy || !aligned ? copied(from, bytes) : Buffer::wrap(from, bytes, owner_);
        return;
      }
      case Layout::kText32:
      case Layout::kText64:
        return take_text(form.layout, first, rows, copy, column);
      case Layout::kViews:
        return take_views(first, rows, column);
      case Layout::kFixedBytes: {
        ColumnBuilder builder(form.type, budget_, "Arrow import");
        for (int64_t row = 0; row < rows; ++row) {
          const auto size = static_cast<size_t>(form.size);
          builder.append_text({buffer<char>(1) + static_cast<size_t>(first + row) * size, size});
        }
        return adopt_text(builder, column);
      }
      case Layout::kDecimal:
        return take_decimals(form, first, rows, column);
      case Layout::kScaled:
        column.values = form.size == 4 ? scaled(buffer<int32_t>(1), form, first, rows, column)
                                       : scaled(buffer<int64_t>(1), form, first, rows, column);
        return;
      case Layout::kUuid:
        column.values = converted<uint128_t>(buffer<uint128_t>(1), first, rows, column, uuid_value);
        return;
      case Layout::kMonths:
      case Layout::kDayMillis:
      case Layout::kMonthDayNano:
        return take_intervals(form, first, rows, column);
      case Layout::kNested:
        return take_nested(form, first, rows, column);
      case Layout::kUnion:
        return take_union(form, first, rows, column);
    }
  }

  std::vector<ColumnPtr> children() const {
    if (array_.n_children != field_.n_children) refuse(field_, "the array has another number of children");
    std::vector<ColumnPtr> columns;
    for (int64_t i = 0; i < array_.n_children; ++i) {
      const ArrowArray& child = *array_.children[i];
      columns.push_back(Importer(*field_.children[i], child, owner_, budget_).take(0, child.length, true));
    }
    return columns;
  }

  /// A NULL member makes the union NULL, as in DuckDB: Arrow's unions are never NULL themselves.
  void take_union(const Form& form, int64_t first, int64_t rows, Column& column) const {
    const std::vector<ColumnPtr> members = children();
    const auto child_of = union_children(field_);
    ColumnBuilder builder(form.type, budget_, "Arrow import");
    std::string bytes;
    packed::Writer writer(bytes);
    for (int64_t at = first; at < first + rows; ++at) {
      const int8_t id = buffer<int8_t>(0)[at];
      if (id < 0 || child_of[static_cast<size_t>(id)] < 0) refuse(field_, "a union has an unknown type id");
      const auto member = static_cast<size_t>(child_of[static_cast<size_t>(id)]);
      const int64_t row = form.size == 4 ? buffer<int32_t>(1)[at] : at;
      if (row < 0 || row >= members[member]->rows) refuse(field_, "a child has too few values");
      if (members[member]->is_null(row)) {
        builder.append_null();
        continue;
      }
      bytes.clear();
      writer.number(static_cast<uint8_t>(member));
      for (size_t i = 0; i < members.size(); ++i) {
        const Type type = members[i]->type;
        i == member ? writer.value(type, members[i]->value(row)) : writer.null(type);
      }
      builder.append_text(bytes);
    }
    auto built = builder.finish();
    column.validity = built->validity;
    column.nulls = built->nulls;
    column.values = built->values;
    column.offsets = built->offsets;
    column.wide_offsets = built->wide_offsets;
  }

  /// Packs the children's values of each row.
  void take_nested(const Form& form, int64_t first, int64_t rows, Column& column) const {
    const Type type = form.type;
    const std::vector<ColumnPtr> children = this->children();
    ColumnBuilder builder(type, budget_, "Arrow import");
    std::string bytes;
    packed::Writer writer(bytes);
    const auto put = [&](size_t child, int64_t at) {
      if (at >= children[child]->rows) refuse(field_, "a child has too few values");
      writer.value(children[child]->type, children[child]->value(at));
    };
    for (int64_t row = 0; row < rows; ++row) {
      bytes.clear();
      const int64_t at = first + row;
      if (column.is_null(row)) {  // its children may be anything
      } else if (type.id == TypeId::kStruct) {
        for (size_t i = 0; i < children.size(); ++i) put(i, at);
      } else if (type.id == TypeId::kArray) {
        for (uint32_t i = 0; i < type.nested->size; ++i) put(0, at * type.nested->size + i);
      } else {
        const auto offset = [&](int64_t i) {
          return form.size == 4 ? int64_t{buffer<int32_t>(1)[i]} : buffer<int64_t>(1)[i];
        };
        if (offset(at) < 0 || offset(at) > offset(at + 1)) refuse(field_, "offsets of lists must not fall");
        for (int64_t i = offset(at); i < offset(at + 1); ++i) put(0, i);
        writer.end();
      }
      builder.append_text(bytes);
    }
    adopt_text(builder, column);
  }

  template <class In>
  Buffer scaled(const In* from, const Form& form, int64_t first, int64_t rows, const Column& column) const {
    return converted<int64_t>(from, first, rows, column, [&](In value) {
      int64_t result = 0;
      if (__builtin_mul_overflow(int64_t{value}, form.factor, &result))
        refuse(field_, "a value does not fit");
      return result;
    });
  }

  Buffer copied(const void* from, size_t bytes) const {
    Buffer buffer = allocate(bytes);
    if (bytes != 0) std::memcpy(buffer.mutable_data(), from, bytes);
    return buffer;
  }

  /// No branch in the loop, so that it is vectorised: millions of rows are imported for each query.
  template <class T>
  void check_offsets(const T* offsets, int64_t rows) const {
    bool falls = false;
    for (int64_t row = 0; row < rows; ++row) falls |= offsets[row] > offsets[row + 1];
    if (falls) refuse(field_, "string offsets must not fall");
  }

  void take_text(Layout layout, int64_t first, int64_t rows, bool copy, Column& column) const {
    column.wide_offsets = layout == Layout::kText64;
    if (array_.length == 0) {  // an empty array may lack even its first offset
      column.offsets = allocate(8);
      std::memset(column.offsets.mutable_data(), 0, 8);
      column.values = allocate(0);
      return;
    }
    column.wide_offsets ? check_offsets(buffer<uint64_t>(1) + first, rows)
                        : check_offsets(buffer<uint32_t>(1) + first, rows);
    const size_t size = column.wide_offsets ? 8 : 4;
    const auto* offsets = buffer<uint8_t>(1) + static_cast<size_t>(first) * size;
    const uint64_t end = text_offset(layout, first + rows);
    if (array_.n_buffers < 3) refuse(field_, "a buffer is missing");
    const auto* bytes = static_cast<const uint8_t*>(array_.buffers[2]);
    if (bytes == nullptr && end != 0) refuse(field_, "a buffer is null");
    if (!copy && reinterpret_cast<uintptr_t>(offsets) % size == 0) {
      column.offsets = Buffer::wrap(offsets, (static_cast<size_t>(rows) + 1) * size, owner_);
      column.values = Buffer::wrap(bytes, end, owner_);
      return;
    }
    ColumnBuilder builder(column.type, budget_, "Arrow import");
    for (int64_t row = first; row < first + rows; ++row) {
      const uint64_t at = text_offset(layout, row);
      builder.append_text({reinterpret_cast<const char*>(bytes) + at, text_offset(layout, row + 1) - at});
    }
    adopt_text(builder, column);
  }

  /// Arrow's view: length, then up to 12 bytes, or 4 bytes of prefix, buffer number and offset.
  struct View {
    int32_t length;
    char inlined[4];
    int32_t buffer;
    int32_t offset;
  };

  void take_views(int64_t first, int64_t rows, Column& column) const {
    ColumnBuilder builder(column.type, budget_, "Arrow import");
    const auto* views = buffer<View>(1);
    for (int64_t row = 0; row < rows; ++row) {
      const View& view = views[first + row];
      if (column.is_null(row)) {
        builder.append_text({});
      } else if (view.length < 0) {
        refuse(field_, "a view has a negative length");
      } else if (view.length <= 12) {
        builder.append_text({view.inlined, static_cast<size_t>(view.length)});
      } else {
        // The last buffer holds the lengths of the data buffers.
        if (view.buffer < 0 || view.buffer + 3 >= array_.n_buffers || view.offset < 0 ||
            int64_t{view.offset} + view.length > buffer<int64_t>(array_.n_buffers - 1)[view.buffer]) {
          refuse(field_, "a view points outside its buffers");
        }
        builder.append_text({buffer<char>(2 + view.buffer) + view.offset, static_cast<size_t>(view.length)});
      }
    }
    adopt_text(builder, column);
  }

  static void adopt_text(ColumnBuilder& builder, Column& column) {
    const auto built = builder.finish();
    column.values = built->values;
    column.offsets = built->offsets;
    column.wide_offsets = built->wide_offsets;
  }

  template <class Out>
  Buffer decimals(int32_t size, int64_t first, int64_t rows, const Column& column) const {
    const auto narrow = [&](auto value) {
      const auto result = static_cast<Out>(value);
      if (result != value) refuse(field_, "a value has more digits than its type");
      return result;
    };
    if (size == 4) return converted<Out>(buffer<int32_t>(1), first, rows, column, narrow);
    if (size == 8) return converted<Out>(buffer<int64_t>(1), first, rows, column, narrow);
    return converted<Out>(buffer<int128_t>(1), first, rows, column, narrow);
  }

  void take_decimals(const Form& form, int64_t first, int64_t rows, Column& column) const {
    column.values = form.type.physical() == Physical::kInt64
                        ? decimals<int64_t>(form.size, first, rows, column)
                        : decimals<int128_t>(form.size, first, rows, column);
  }

  /// Dictionary columns: codes become uint32_t; entries are imported once and must not be NULL.
  void take_codes(int64_t first, int64_t rows, Column& column) {
    if (array_.dictionary == nullptr) refuse(field_, "the dictionary is missing");
    if (!dictionary_) {
      Importer entries(*field_.dictionary, *array_.dictionary, owner_, budget_);
      dictionary_ = entries.take(0, array_.dictionary->length, true);
      if (dictionary_->nulls != 0) refuse(field_, "a dictionary with NULL entries is not supported");
    }
    column.type = dictionary_->type;
    column.dictionary = dictionary_;
    take_validity(first, rows, Layout::kSame, column);
    const Form form = form_of(field_);
    if (!form.type.is_integer()) refuse(field_, "dictionary codes must be integers");
    visit(form.type.physical(), [&](auto zero) {
      using Code = decltype(zero);
      if constexpr (std::is_integral_v<Code> && sizeof(Code) <= 8) {
        column.values = converted<uint32_t>(buffer<Code>(1), first, rows, column, [&](Code code) {
          if (code < Code{0} || static_cast<uint64_t>(code) >= static_cast<uint64_t>(dictionary_->rows)) {
            refuse(field_, "a dictionary code is out of range");
          }
          return static_cast<uint32_t>(code);
        });
      }
    });
  }

  const ArrowSchema& field_;
  const ArrowArray& array_;
  Owner owner_;
  MemoryBudget* budget_;
  ColumnPtr dictionary_;
};

void check_struct(const ArrowSchema& schema) {
  if (schema.format == nullptr || std::string_view(schema.format) != "+s") {
    refuse(schema, "a table is a struct of its columns");
  }
}

}  // namespace

Schema import_schema(const ArrowSchema& schema) {
  check_struct(schema);
  Schema result;
  for (int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema& field = *schema.children[i];
    const ArrowSchema& values = field.dictionary == nullptr ? field : *field.dictionary;
    result.push_back({field.name == nullptr ? "" : field.name, form_of(values).type});
  }
  return result;
}

std::vector<Batch> import_array(const ArrowSchema& schema, ArrowArray* array, MemoryBudget* budget) {
  const Owner owner = own(array);
  check_struct(schema);
  if (owner->n_children != schema.n_children) refuse(schema, "the array has another number of columns");
  if (owner->null_count != 0 && owner->n_buffers > 0 && owner->buffers[0] != nullptr) {
    refuse(schema, "rows that are NULL as a whole are not supported");
  }
  std::vector<Importer> columns;
  int64_t inside = owner->length;
  for (int64_t i = 0; i < owner->n_children; ++i) {
    const ArrowArray& child = *owner->children[i];
    if (child.length < owner->offset + owner->length) refuse(*schema.children[i], "the column is too short");
    columns.emplace_back(*schema.children[i], child, owner, budget);
    inside = std::min(inside, columns.back().rows_within_padding() - owner->offset);
  }
  inside = std::max<int64_t>(inside / 64 * 64, 0);
  std::vector<Batch> batches;
  const auto take = [&](int64_t first, int64_t rows, bool copy) {
    if (rows == 0) return;
    Batch batch{rows, {}};
    for (Importer& column : columns) batch.columns.push_back(column.take(owner->offset + first, rows, copy));
    batches.push_back(std::move(batch));
  };
  take(0, inside, false);
  take(inside, owner->length - inside, true);
  return batches;
}

Table import_stream(ArrowArrayStream* stream, MemoryBudget* budget) {
  const std::unique_ptr<ArrowArrayStream, void (*)(ArrowArrayStream*)> released(
      stream, [](ArrowArrayStream* held) {
        if (held->release != nullptr) held->release(held);
      });
  const auto check = [&](int code) { check_stream(*stream, code, "Arrow stream: "); };
  ArrowSchema schema{};
  check(stream->get_schema(stream, &schema));
  const std::unique_ptr<ArrowSchema, void (*)(ArrowSchema*)> held_schema(&schema, [](ArrowSchema* held) {
    if (held->release != nullptr) held->release(held);
  });
  Table table;
  table.schema = import_schema(schema);
  for (;;) {
    ArrowArray array{};
    check(stream->get_next(stream, &array));
    if (array.release == nullptr) return table;
    for (Batch& batch : import_array(schema, &array, budget)) table.batches.push_back(std::move(batch));
  }
}

}  // namespace lanewise::arrow
