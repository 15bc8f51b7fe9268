#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "data/arrow/arrow_buffers.h"
#include "data/arrow/arrow_device.h"
#include "data/column.h"
#include "gpu/memory.h"

/// For tests: tables of every type, and their Arrow arrays in a device's memory.
namespace lanewise::testing_arrow {

inline const Type kTypes[] = {
    TypeId::kBool,    TypeId::kInt8,    TypeId::kInt16,      TypeId::kInt32,       TypeId::kInt64,
    TypeId::kInt128,  TypeId::kUInt8,   TypeId::kUInt16,     TypeId::kUInt32,      TypeId::kUInt64,
    TypeId::kFloat32, TypeId::kFloat64, Type::decimal(9, 2), Type::decimal(30, 5), TypeId::kDate,
    TypeId::kTime,    TypeId::kVarchar, TypeId::kTimestamp,  TypeId::kTimestampTz, TypeId::kInterval,
    TypeId::kBlob};

/// What is stored in a row, even if the row is NULL.
inline Value stored_value_of(Type type, int64_t row) {
  switch (type.physical()) {
    case Physical::kString:
      return {type, row % 5 == 0 ? std::string() : "wört " + std::to_string(row * row % 1009)};
    case Physical::kFloat32:
    case Physical::kFloat64:
      return {type, static_cast<double>(row % 1000) / 2};
    case Physical::kInterval:
      return {type, Interval{static_cast<int32_t>(row % 100), -1, row % 1000}};
    case Physical::kBool:
      return {type, int128_t{row % 3 == 0}};
    default:
      if (type.is_unsigned_integer()) return {type, static_cast<uint128_t>(row % 100)};
      return {type, int128_t{row % 100 - 50}};
  }
}
inline Value value_of(Type type, int64_t row) {
  return row % 7 == 3 ? Value(type) : stored_value_of(type, row);
}

/// Rows [first, first + rows) of all types, columns c0, c1, ...; in batches of `batch_rows`.
inline Table table_of(int64_t first, int64_t rows, int64_t batch_rows) {
  Table table;
  for (const Type type : kTypes) table.schema.push_back({"c" + std::to_string(table.schema.size()), type});
  for (int64_t at = 0; at < rows; at += batch_rows) {
    Batch batch{std::min(batch_rows, rows - at), {}};
    for (const Type type : kTypes) {
      std::vector<Value> values, stored;
      for (int64_t row = 0; row < batch.rows; ++row) {
        values.push_back(value_of(type, first + at + row));
        stored.push_back(stored_value_of(type, first + at + row));
      }
      const ColumnPtr nullable = make_column(type, values);
      const auto column = std::make_shared<Column>(*make_column(type, stored));
      column->validity = nullable->validity;
      column->nulls = nullable->nulls;
      batch.columns.push_back(column);
    }
    table.batches.push_back(std::move(batch));
  }
  return table;
}

/// Arrays in a device's memory with their schema, and how many of them were released.
class DeviceArrays {
 public:
  DeviceArrays(const Table& table, gpu::Device& device) {
    ArrowDeviceArrayStream stream;
    arrow::export_device_stream(table, device, &stream);
    stream.get_schema(&stream, &schema);
    for (ArrowDeviceArray array; stream.get_next(&stream, &array), array.array.release != nullptr;) {
      count(array.array);
      arrays.push_back(array);
    }
    stream.release(&stream);
  }
  ~DeviceArrays() {
    for (ArrowDeviceArray& array : arrays) {
      if (array.array.release != nullptr) array.array.release(&array.array);
    }
    if (schema.release != nullptr) schema.release(&schema);
  }
  DeviceArrays(const DeviceArrays&) = delete;
  DeviceArrays& operator=(const DeviceArrays&) = delete;

  /// Slices the first array: leaves out rows at its beginning (some by the struct's offset, the others by the
  /// columns') and at its end.
  void slice(int64_t by_struct, int64_t by_columns, int64_t at_end) {
    ArrowArray& array = arrays.at(0).array;
    array.offset += by_struct;
    array.length -= by_struct + by_columns + at_end;
    for (int64_t i = 0; i < array.n_children; ++i) {
      array.children[i]->offset += by_columns;
      array.children[i]->length -= by_columns;
    }
  }
  /// Overwrites with `byte` all that is not a row's value: before and after the rows, and under NULLs.
  void spoil(unsigned char byte, gpu::Device& device) {
    gpu::Stream stream(device);
    for (const ArrowDeviceArray& each : arrays) {
      for (int64_t i = 0; i < each.array.n_children; ++i) {
        const ArrowArray& column = *each.array.children[i];
        spoil_column(*schema.children[i], column, static_cast<size_t>(each.array.offset + column.offset),
                     static_cast<size_t>(each.array.length), byte, stream);
      }
    }
  }
  int released() const { return *released_; }

  ArrowSchema schema{};
  std::vector<ArrowDeviceArray> arrays;

 private:
  struct Counted {
    ArrowArray inner;
    std::shared_ptr<int> released;
  };
  void count(ArrowArray& array) {
    array.private_data = new Counted{array, released_};
    array.release = [](ArrowArray* counted) {
      const std::unique_ptr<Counted> held(static_cast<Counted*>(counted->private_data));
      ++*held->released;
      held->inner.release(&held->inner);
      counted->release = nullptr;
    };
  }

  static void spoil_column(const ArrowSchema& field, const ArrowArray& column, size_t first, size_t rows,
                           unsigned char byte, gpu::Stream& stream) {
    using arrow::Layout;
    std::vector<bool> valid(rows, true);
    if (const void* const bits = column.buffers[0]; bits != nullptr) {
      const auto before = keep(bits, 1, first, valid, byte, stream);
      for (size_t i = 0; i < rows; ++i) valid[i] = (before[(first + i) / 8] >> (first + i) % 8 & 1) != 0;
    }
    const arrow::Form form = arrow::form_of(field);
    if (form.layout != Layout::kText32 && form.layout != Layout::kText64) {
      const size_t bits = form.layout == Layout::kBits ? 1 : arrow::row_bytes(form) * 8;
      keep(column.buffers[1], bits, first, valid, byte, stream);
      return;
    }
    const size_t size = form.layout == Layout::kText32 ? 4 : 8;
    const auto offsets =
        keep(column.buffers[1], size * 8, first, std::vector<bool>(rows + 1, true), byte, stream);
    uint64_t begin = 0, end = 0;
    std::memcpy(&begin, &offsets[first * size], size);
    std::memcpy(&end, &offsets[(first + rows) * size], size);
    if (begin != end) keep(column.buffers[2], 8, begin, std::vector<bool>(end - begin, true), byte, stream);
  }
  /// Fills a buffer's padding, and those of its values of `bits` bits each that are not kept,
  /// with `byte`. Returns the previous bytes.
  static std::vector<uint8_t> keep(const void* buffer, size_t bits, size_t first,
                                   const std::vector<bool>& kept, unsigned char byte, gpu::Stream& stream) {
    const auto address = reinterpret_cast<gpu::cuda::Address>(buffer);
    std::vector<uint8_t> before(((first + kept.size()) * bits + 7) / 8 + kPadding);
    stream.copy_to_host(before.data(), address, before.size());
    stream.synchronize();
    std::vector<uint8_t> after = before;
    for (size_t bit = 0; bit < after.size() * 8; ++bit) {
      const size_t value = bit / bits - first;  // huge before the first one: it wraps around
      if (value < kept.size() && kept[value]) continue;
      const int mask = 1 << bit % 8;
      after[bit / 8] = static_cast<uint8_t>((after[bit / 8] & ~mask) | (byte & mask));
    }
    stream.copy_to_device(address, after.data(), after.size());
    stream.synchronize();
    return before;
  }
  std::shared_ptr<int> released_ = std::make_shared<int>(0);
};

}  // namespace lanewise::testing_arrow
