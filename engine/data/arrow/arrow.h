#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/memory.h"
#include "data/column.h"

// The three structures of the Arrow C data and C stream interfaces; their layout is fixed by
// https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
}
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
extern "C" {
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}
#endif

namespace lanewise::arrow {

/// A column in Arrow's own layout, for lists, structs and maps.
struct NestedColumn {
  ArrowSchema schema{};            ///< of a struct with this column alone
  std::vector<ArrowArray> arrays;  ///< one per batch of the table

  NestedColumn() = default;
  NestedColumn(const NestedColumn&) = delete;
  ~NestedColumn();
};
/// By column; null for ordinary columns.
using NestedColumns = std::vector<std::unique_ptr<NestedColumn>>;

/// Exports `table` to `out` as a stream of struct arrays, one per batch. Buffers are shared, not copied,
/// except booleans (bytes become bits), decimals of up to 18 digits and intervals (widened). Strings are utf8
/// or, where a batch has 64-bit offsets, large_utf8. UUIDs are Arrow's extension type of that name. HUGEINT
/// and UHUGEINT become decimal128(38, 0); a value beyond 38 digits ends the stream with an error. Columns in
/// `nested` replace those of the table.
void export_stream(Table table, ArrowArrayStream* out, NestedColumns nested = {});

/// Exports rows that are made while they are read: `schema` and `next` fill what they receive, and an array
/// that `next` does not fill ends the stream. Their errors become the stream's: ENOMEM, ECANCELED or EINVAL.
void export_calls(std::function<void(ArrowSchema*)> schema, std::function<void(ArrowArray*)> next,
                  ArrowArrayStream* out);

/// Takes the stream, which is always released, and reads it to its end. Aligned buffers are used without a
/// copy. The last rows of each array are copied into a batch of their own, because wide loads would read past
/// the buffer's end. Throws UserError that names the field: an unsupported type, offsets or dictionary codes
/// out of range, an error of the stream.
Table import_stream(ArrowArrayStream* stream, MemoryBudget* budget = nullptr);

/// The schema of a struct, which the caller keeps.
Schema import_schema(const ArrowSchema& schema);

/// Imports one struct array of that schema as zero to two batches. Owns `array`, which is released with the
/// last batch.
std::vector<Batch> import_array(const ArrowSchema& schema, ArrowArray* array, MemoryBudget* budget = nullptr);

}  // namespace lanewise::arrow
