#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "data/column.h"

namespace lanewise {

/// A view of a batch of keys: numbers, strings or columns. The data must outlive the call that takes it.
class Keys {
 public:
  /// One field of all keys: a column, or an array of physical values.
  struct Part {
    Physical physical;
    const void* values =
        nullptr;  ///< physical values, std::string_view for strings; unless a column is given
    const Column* column = nullptr;
  };

  /// Keys of one field. T is the physical type of the index's key, or std::string_view.
  template <class T>
    requires std::is_arithmetic_v<T> || std::is_same_v<T, std::string_view>
  Keys(std::span<const T> values)  // NOLINT: an array of keys is a batch of them
      : size_(values.size()), parts_{{physical_of<T>(), values.data(), nullptr}} {}
  template <class T>
  Keys(const std::vector<T>& values) : Keys(std::span<const T>(values)) {}  // NOLINT: likewise
  /// Keys of one field.
  explicit Keys(const Column& column)
      : size_(static_cast<size_t>(column.rows)), parts_{{column.type.physical(), nullptr, &column}} {}
  /// Keys of several fields: columns of one length.
  explicit Keys(const std::vector<ColumnPtr>& columns) : size_(static_cast<size_t>(columns.at(0)->rows)) {
    for (const ColumnPtr& column : columns)
      parts_.push_back({column->type.physical(), nullptr, column.get()});
  }

  size_t size() const { return size_; }
  const std::vector<Part>& parts() const { return parts_; }

 private:
  template <class T>
  static constexpr Physical physical_of() {
    if constexpr (std::is_same_v<T, std::string_view>) {
      return Physical::kString;
    } else if constexpr (std::is_same_v<T, bool>) {
      return Physical::kBool;
    } else if constexpr (std::is_floating_point_v<T>) {
      return sizeof(T) == 4 ? Physical::kFloat32 : Physical::kFloat64;
    } else {
      constexpr Physical kSigned[] = {Physical::kInt8, Physical::kInt16, Physical::kInt32, Physical::kInt64};
      constexpr Physical kUnsigned[] = {Physical::kUInt8, Physical::kUInt16, Physical::kUInt32,
                                        Physical::kUInt64};
      constexpr int kLog = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
      return std::is_signed_v<T> ? kSigned[kLog] : kUnsigned[kLog];
    }
  }

  size_t size_;
  std::vector<Part> parts_;
};

}  // namespace lanewise
