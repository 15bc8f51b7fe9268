#pragma once

#include <cstdint>
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

/// A table's column that is handed out as somebody else laid it out: lists, structs and maps.
struct NestedColumn {
  ArrowSchema schema{};            ///< of a struct with this column alone
  std::vector<ArrowArray> arrays;  ///< one per batch of the table

  NestedColumn() = default;
  NestedColumn(const NestedColumn&) = delete;
  ~NestedColumn();
};
/// By column; null: an ordinary one.
using NestedColumns = std::vector<std::unique_ptr<NestedColumn>>;

/// Hands `table` to `out` as a stream of struct arrays, one per batch. Buffers are shared, not copied, but
/// for booleans (bytes become bits), decimals up to 18 digits and intervals (widened). Strings are utf8 or,
/// where a batch has 64-bit offsets, large_utf8. UUIDs are Arrow's extension type of
/// that name. HUGEINT and UHUGEINT become decimal128(38, 0); a value
/// beyond 38 digits ends the stream with an error. Columns that are `nested` are those instead of the
/// table's.
void export_stream(Table table, ArrowArrayStream* out, NestedColumns nested = {});

/// Takes the stream (it is released in any case) and reads it to its end. Foreign buffers are used without a
/// copy where they are aligned; the last rows of each array, whose neighbourhood wide loads would leave, are
/// copied into a batch of their own. Throws UserError that names the field: an unsupported type, offsets or
/// dictionary codes out of range, an error of the stream.
Table import_stream(ArrowArrayStream* stream, MemoryBudget* budget = nullptr);

/// The schema of a struct, without taking it.
Schema import_schema(const ArrowSchema& schema);

/// One struct array of that schema: takes `array` (released when the batches are gone). Gives zero to two
/// batches.
std::vector<Batch> import_array(const ArrowSchema& schema, ArrowArray* array, MemoryBudget* budget = nullptr);

}  // namespace lanewise::arrow
