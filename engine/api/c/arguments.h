#pragma once

#include <fmt/format.h>

#include <span>

#include "api/c/lanewise.h"
#include "base/error.h"
#include "data/arrow/arrow.h"
#include "data/arrow/arrow_device.h"

namespace lanewise::c {

/// Throws UserError if a required argument is NULL.
template <class T>
void need(const T* argument, const char* name) {
  if (argument == nullptr) throw UserError(fmt::format("the argument '{}' is NULL", name));
}

/// A schema and an array received from the caller; the destructor releases both.
class TakenArray {
 public:
  TakenArray(ArrowSchema* schema, ArrowArray* array) : schema_(schema), array_(array) {}
  ~TakenArray() {
    if (array_ != nullptr && array_->release != nullptr) array_->release(array_);
    if (schema_ != nullptr && schema_->release != nullptr) schema_->release(schema_);
  }
  TakenArray(const TakenArray&) = delete;
  Table table() {
    if (schema_ == nullptr || array_ == nullptr) return {};
    return {arrow::import_schema(*schema_), arrow::import_array(*schema_, array_)};
  }

 private:
  ArrowSchema* schema_;
  ArrowArray* array_;
};

/// A stream received from the caller, of arrays in the host's or a device's memory; the destructor releases
/// it.
template <class Stream>
class TakenStream {
 public:
  explicit TakenStream(Stream* stream) : stream_(stream) {}
  ~TakenStream() {
    if (stream_ != nullptr && stream_->release != nullptr) stream_->release(stream_);
  }
  TakenStream(const TakenStream&) = delete;

 private:
  Stream* stream_;
};

/// A schema and arrays in a device's memory received from the caller; the destructor releases them.
class TakenDeviceArrays {
 public:
  TakenDeviceArrays(ArrowSchema* schema, ArrowDeviceArray* arrays, size_t count)
      : schema_(schema), arrays_(arrays, arrays == nullptr ? 0 : count) {}
  ~TakenDeviceArrays() {
    for (ArrowDeviceArray& array : arrays_) {
      if (array.array.release != nullptr) array.array.release(&array.array);
    }
    if (schema_ != nullptr && schema_->release != nullptr) schema_->release(schema_);
  }
  TakenDeviceArrays(const TakenDeviceArrays&) = delete;
  std::span<ArrowDeviceArray> arrays() const { return arrays_; }

 private:
  ArrowSchema* schema_;
  std::span<ArrowDeviceArray> arrays_;
};

}  // namespace lanewise::c
