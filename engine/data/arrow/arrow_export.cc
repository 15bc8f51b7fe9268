#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/arrow/arrow.h"
#include "data/arrow/arrow_form.h"

namespace lanewise::arrow {

namespace {

/// How one column of a table is exported; the same for all its batches.
struct Shape {
  std::string name;
  Type type;
  bool wide = false;        // 64-bit string offsets
  bool dictionary = false;  // all batches have dictionaries
};

std::vector<Shape> shapes_of(const Table& table) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < table.schema.size(); ++i) {
    Shape shape{table.schema[i].name, table.schema[i].type, false, !table.batches.empty()};
    for (const Batch& batch : table.batches) {
      const Column& column = *batch.columns[i];
      shape.wide |= column.wide_offsets || (column.dictionary && column.dictionary->wide_offsets);
      shape.dictionary &= column.dictionary != nullptr;
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

std::string format_of(const Shape& shape) {
  switch (shape.type.id) {
    case TypeId::kNull:
      return "n";
    case TypeId::kBool:
      return "b";
    case TypeId::kInt8:
      return "c";
    case TypeId::kInt16:
      return "s";
    case TypeId::kInt32:
      return "i";
    case TypeId::kInt64:
      return "l";
    case TypeId::kUInt8:
      return "C";
    case TypeId::kUInt16:
      return "S";
    case TypeId::kUInt32:
      return "I";
    case TypeId::kUInt64:
      return "L";
    case TypeId::kInt128:
    case TypeId::kUInt128:
      return "d:38,0";
    case TypeId::kFloat32:
      return "f";
    case TypeId::kFloat64:
      return "g";
    case TypeId::kDecimal:
      return fmt::format("d:{},{}", shape.type.precision, shape.type.scale);
    case TypeId::kDate:
      return "tdD";
    case TypeId::kTime:
      return "ttu";
    case TypeId::kTimestamp:
      return std::string("ts") + "smun"[static_cast<int>(shape.type.unit)] + ":";
    case TypeId::kTimestampTz:
      return "tsu:UTC";
    case TypeId::kInterval:
      return "tin";
    case TypeId::kVarchar:
      return shape.wide ? "U" : "u";
    case TypeId::kBlob:
      return shape.wide ? "Z" : "z";
    case TypeId::kUuid:
      return "w:16";
    case TypeId::kTimeNs:
      return "ttn";
    case TypeId::kList:
    case TypeId::kArray:
    case TypeId::kStruct:
    case TypeId::kMap:
      break;  // columns of nested types are made elsewhere, see NestedColumns
  }
  throw InternalError("no Arrow format for " + shape.type.name());
}

/// The memory owned by an exported schema.
struct HeldSchema {
  std::string format;
  std::string name;
  std::string metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

template <class Node>
void release_below(Node* node) {
  for (int64_t i = 0; i < node->n_children; ++i) {
    if (node->children[i]->release != nullptr) node->children[i]->release(node->children[i]);
  }
  if (node->dictionary != nullptr && node->dictionary->release != nullptr) {
    node->dictionary->release(node->dictionary);
  }
}

/// `children`: their number, to be filled in; the last one is the dictionary, if any.
void make_schema(std::string format, std::string name, size_t children, bool dictionary, ArrowSchema* out) {
  auto* held = new HeldSchema{std::move(format), std::move(name), {}, std::vector<ArrowSchema>(children), {}};
  for (ArrowSchema& child : held->children) held->pointers.push_back(&child);
  *out = {};
  out->format = held->format.c_str();
  out->name = held->name.c_str();
  out->flags = ARROW_FLAG_NULLABLE;
  out->n_children = static_cast<int64_t>(children - (dictionary ? 1 : 0));
  out->children = held->pointers.data();
  out->dictionary = dictionary ? held->pointers.back() : nullptr;
  out->private_data = held;
  out->release = [](ArrowSchema* schema) {
    release_below(schema);
    delete static_cast<HeldSchema*>(schema->private_data);
    schema->release = nullptr;
  };
}

void append_text(std::string_view text, std::string& to) {
  const auto size = static_cast<int32_t>(text.size());
  to.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(text);
}

/// A column or a dictionary's entries, of a type that may be an extension of Arrow's.
void make_field(const Shape& shape, std::string name, ArrowSchema* out) {
  make_schema(format_of(shape), std::move(name), 0, false, out);
  if (shape.type.id != TypeId::kUuid) return;
  constexpr int32_t kPairs = 1;
  auto& metadata = static_cast<HeldSchema*>(out->private_data)->metadata;
  metadata.assign(reinterpret_cast<const char*>(&kPairs), sizeof(kPairs));
  append_text(kExtensionKey, metadata);
  append_text(kUuidExtension, metadata);
  out->metadata = metadata.c_str();
}

/// Bytes of metadata: a number of pairs, then the length and the bytes of each text.
size_t size_of_metadata(const char* metadata) {
  if (metadata == nullptr) return 0;
  const char* at = metadata;
  const auto take = [&] {
    int32_t number;
    std::memcpy(&number, at, sizeof(number));
    at += sizeof(number);
    return number;
  };
  for (int32_t texts = 2 * take(); texts > 0; --texts) at += take();
  return static_cast<size_t>(at - metadata);
}

void copy_schema(const ArrowSchema& from, std::string name, ArrowSchema* out) {
  const auto children = static_cast<size_t>(from.n_children);
  const bool dictionary = from.dictionary != nullptr;
  make_schema(from.format, std::move(name), children + (dictionary ? 1 : 0), dictionary, out);
  out->flags = from.flags;
  if (const size_t bytes = size_of_metadata(from.metadata); bytes != 0) {
    auto& metadata = static_cast<HeldSchema*>(out->private_data)->metadata;
    metadata.assign(from.metadata, bytes);
    out->metadata = metadata.c_str();
  }
  for (size_t i = 0; i < children; ++i)
    copy_schema(*from.children[i], from.children[i]->name, out->children[i]);
  if (dictionary) copy_schema(*from.dictionary, "", out->dictionary);
}

/// The memory owned by an exported array.
struct HeldArray {
  std::vector<Buffer> buffers;
  std::vector<const void*> pointers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> child_pointers;
};

void make_array(int64_t rows, int64_t nulls, std::vector<Buffer> buffers, size_t children, bool dictionary,
                ArrowArray* out) {
  auto* held = new HeldArray{std::move(buffers), {}, std::vector<ArrowArray>(children), {}};
  for (const Buffer& buffer : held->buffers) held->pointers.push_back(buffer.data());
  for (ArrowArray& child : held->children) held->child_pointers.push_back(&child);
  *out = {};
  out->length = rows;
  out->null_count = nulls;
  out->n_buffers = static_cast<int64_t>(held->buffers.size());
  out->buffers = held->pointers.data();
  out->n_children = static_cast<int64_t>(children - (dictionary ? 1 : 0));
  out->children = held->child_pointers.data();
  out->dictionary = dictionary ? held->child_pointers.back() : nullptr;
  out->private_data = held;
  out->release = [](ArrowArray* array) {
    release_below(array);
    delete static_cast<HeldArray*>(array->private_data);
    array->release = nullptr;
  };
}

Buffer bits_of(const Column& column) {
  const auto rows = static_cast<size_t>(column.rows);
  Buffer buffer = Buffer::allocate(bits::words(rows) * 8, nullptr, "Arrow export");
  auto* words = buffer.mutable_as<uint64_t>();
  std::fill_n(words, bits::words(rows), 0);
  for (size_t row = 0; row < rows; ++row) {
    if (column.values.as<uint8_t>()[row] != 0) bits::set(words, row);
  }
  return buffer;
}

Buffer decimals_of(const Column& column) {
  constexpr uint128_t kLimit = uint128_t{10'000'000'000'000'000'000U} * 10'000'000'000'000'000'000U;  // 10^38
  const auto rows = static_cast<size_t>(column.rows);
  Buffer buffer = Buffer::allocate(rows * sizeof(int128_t), nullptr, "Arrow export");
  auto* to = buffer.mutable_as<int128_t>();
  for (size_t row = 0; row < rows; ++row) {
    if (column.is_null(static_cast<int64_t>(row))) {
      to[row] = 0;
      continue;
    }
    if (column.type.physical() == Physical::kInt64) {
      to[row] = column.values.as<int64_t>()[row];
      continue;
    }
    const auto value = column.values.as<int128_t>()[row];
    const bool negative = value < 0 && column.type.id != TypeId::kUInt128;
    const auto magnitude = negative ? -static_cast<uint128_t>(value) : static_cast<uint128_t>(value);
    if (magnitude >= kLimit) {
      throw UserError(fmt::format("Arrow's decimal128 has 38 digits; {} does not fit", to_string(magnitude)));
    }
    to[row] = value;
  }
  return buffer;
}

Buffer uuids_of(const Column& column) {
  const auto rows = static_cast<size_t>(column.rows);
  Buffer buffer = Buffer::allocate(rows * sizeof(uint128_t), nullptr, "Arrow export");
  for (size_t row = 0; row < rows; ++row)
    buffer.mutable_as<uint128_t>()[row] = uuid_bytes(column.values.as<uint128_t>()[row]);
  return buffer;
}

Buffer intervals_of(const Column& column) {
  const auto rows = static_cast<size_t>(column.rows);
  Buffer buffer = Buffer::allocate(rows * sizeof(MonthDayNano), nullptr, "Arrow export");
  for (size_t row = 0; row < rows; ++row) {
    Interval value;
    if (!column.is_null(static_cast<int64_t>(row))) value = column.values.as<Interval>()[row];
    int64_t nanos = 0;
    if (__builtin_mul_overflow(value.micros, int64_t{1000}, &nanos)) {
      throw UserError(
          fmt::format("Arrow's intervals count nanoseconds; {} microseconds do not fit", value.micros));
    }
    buffer.mutable_as<MonthDayNano>()[row] = {value.months, value.days, nanos};
  }
  return buffer;
}

void export_column(const Column& column, const Shape& shape, ArrowArray* out);

void export_text(const Column& column, bool wide, ArrowArray* out) {
  Buffer offsets = column.offsets;
  if (wide && !column.wide_offsets) {
    const auto count = static_cast<size_t>(column.rows) + 1;
    offsets = Buffer::allocate(count * 8, nullptr, "Arrow export");
    for (size_t i = 0; i < count; ++i) offsets.mutable_as<uint64_t>()[i] = column.offsets.as<uint32_t>()[i];
  }
  make_array(column.rows, column.nulls, {column.validity, offsets, column.values}, 0, false, out);
}

/// A dictionary column as a plain one.
ColumnPtr decode(const Column& column) {
  ColumnBuilder builder(column.type, nullptr, "Arrow export");
  for (int64_t row = 0; row < column.rows; ++row) {
    if (column.type.is_string() && !column.is_null(row)) {
      builder.append_text(column.text(row));
    } else {
      builder.append(column.value(row));
    }
  }
  return builder.finish();
}

void export_column(const Column& column, const Shape& shape, ArrowArray* out) {
  if (shape.dictionary) {
    make_array(column.rows, column.nulls, {column.validity, column.values}, 1, true, out);
    Shape entries = shape;
    entries.dictionary = false;
    export_column(*column.dictionary, entries, out->dictionary);
    return;
  }
  if (column.dictionary) return export_column(*decode(column), shape, out);
  switch (column.type.id) {
    case TypeId::kNull:
      return make_array(column.rows, column.rows, {}, 0, false, out);
    case TypeId::kBool:
      return make_array(column.rows, column.nulls, {column.validity, bits_of(column)}, 0, false, out);
    case TypeId::kDecimal:
    case TypeId::kInt128:
    case TypeId::kUInt128:
      return make_array(column.rows, column.nulls, {column.validity, decimals_of(column)}, 0, false, out);
    case TypeId::kUuid:
      return make_array(column.rows, column.nulls, {column.validity, uuids_of(column)}, 0, false, out);
    case TypeId::kInterval:
      return make_array(column.rows, column.nulls, {column.validity, intervals_of(column)}, 0, false, out);
    case TypeId::kVarchar:
    case TypeId::kBlob:
      return export_text(column, shape.wide, out);
    default:
      return make_array(column.rows, column.nulls, {column.validity, column.values}, 0, false, out);
  }
}

struct HeldStream {
  Table table;
  std::vector<Shape> shapes;
  NestedColumns nested;
  size_t next = 0;
  std::string error;

  const NestedColumn* nested_at(size_t column) const {
    return column < nested.size() ? nested[column].get() : nullptr;
  }
};

HeldStream& held(ArrowArrayStream* stream) { return *static_cast<HeldStream*>(stream->private_data); }

/// Runs f; an exception becomes the stream's last error.
template <class F>
int guarded(ArrowArrayStream* stream, F f) {
  try {
    f(held(stream));
    return 0;
  } catch (const std::exception& error) {
    held(stream).error = error.what();
    return EINVAL;
  }
}

void export_next(HeldStream& state, ArrowArray* out) {
  *out = {};
  if (state.next == state.table.batches.size()) return;  // a released array marks the end
  const size_t number = state.next++;
  const Batch batch = std::move(state.table.batches[number]);  // the consumer owns it alone
  make_array(batch.rows, 0, {Buffer()}, batch.columns.size(), false, out);
  try {
    for (size_t i = 0; i < batch.columns.size(); ++i) {
      if (state.nested_at(i) != nullptr) {
        *out->children[i] = std::exchange(state.nested[i]->arrays[number], {});
        continue;
      }
      export_column(*batch.columns[i], state.shapes[i], out->children[i]);
    }
  } catch (...) {
    out->release(out);
    throw;
  }
}

}  // namespace

NestedColumn::~NestedColumn() {
  for (ArrowArray& array : arrays) {
    if (array.release != nullptr) array.release(&array);
  }
  if (schema.release != nullptr) schema.release(&schema);
}

void export_stream(Table table, ArrowArrayStream* out, NestedColumns nested) {
  auto shapes = shapes_of(table);
  *out = {};
  out->private_data = new HeldStream{std::move(table), std::move(shapes), std::move(nested), 0, {}};
  out->get_schema = [](ArrowArrayStream* stream, ArrowSchema* schema) {
    return guarded(stream, [&](HeldStream& state) {
      make_schema("+s", "", state.shapes.size(), false, schema);
      for (size_t i = 0; i < state.shapes.size(); ++i) {
        const Shape& shape = state.shapes[i];
        if (const NestedColumn* nested = state.nested_at(i)) {
          copy_schema(*nested->schema.children[0], shape.name, schema->children[i]);
        } else if (shape.dictionary) {
          make_schema("I", shape.name, 1, true, schema->children[i]);
          make_field(shape, "", schema->children[i]->dictionary);
        } else {
          make_field(shape, shape.name, schema->children[i]);
        }
      }
    });
  };
  out->get_next = [](ArrowArrayStream* stream, ArrowArray* array) {
    return guarded(stream, [&](HeldStream& state) { export_next(state, array); });
  };
  out->get_last_error = [](ArrowArrayStream* stream) -> const char* {
    return held(stream).error.empty() ? nullptr : held(stream).error.c_str();
  };
  out->release = [](ArrowArrayStream* stream) {
    delete static_cast<HeldStream*>(stream->private_data);
    stream->release = nullptr;
  };
}

}  // namespace lanewise::arrow
