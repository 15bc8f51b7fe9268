#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/arrow_device.h"
#include "data/column.h"

/// For tests: tables of every type, and their Arrow arrays in a device's memory.
namespace lanewise::testing_arrow {

inline const Type kTypes[] = {
    TypeId::kBool,    TypeId::kInt8,    TypeId::kInt16,      TypeId::kInt32,       TypeId::kInt64,
    TypeId::kInt128,  TypeId::kUInt8,   TypeId::kUInt16,     TypeId::kUInt32,      TypeId::kUInt64,
    TypeId::kFloat32, TypeId::kFloat64, Type::decimal(9, 2), Type::decimal(30, 5), TypeId::kDate,
    TypeId::kTime,    TypeId::kVarchar, TypeId::kTimestamp,  TypeId::kTimestampTz, TypeId::kInterval,
    TypeId::kBlob};

inline Value value_of(Type type, int64_t row) {
  if (row % 7 == 3) return Value(type);
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

/// Rows [first, first + rows) of all types, columns c0, c1, ...; in batches of `batch_rows`.
inline Table table_of(int64_t first, int64_t rows, int64_t batch_rows) {
  Table table;
  for (const Type type : kTypes) table.schema.push_back({"c" + std::to_string(table.schema.size()), type});
  for (int64_t at = 0; at < rows; at += batch_rows) {
    Batch batch{std::min(batch_rows, rows - at), {}};
    for (const Type type : kTypes) {
      std::vector<Value> values;
      for (int64_t row = 0; row < batch.rows; ++row) values.push_back(value_of(type, first + at + row));
      batch.columns.push_back(make_column(type, values));
    }
    table.batches.push_back(std::move(batch));
  }
  return table;
}

/// Arrays in a device's memory with their schema, and how many of them were released.
class DeviceArrays {
 public:
  DeviceArrays(const Table& table, device::Device& device) {
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

  /// Leaves out rows of the first array at its beginning (a part by the struct's offset, the others by the
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
  std::shared_ptr<int> released_ = std::make_shared<int>(0);
};

}  // namespace lanewise::testing_arrow
