#include <cstring>
#include <exception>

#include "data/arrow.h"

/// Reads `in` to its end and hands the same table to `out`. Returns 0, or 1 with the message in `error`.
extern "C" int lanewise_arrow_roundtrip(ArrowArrayStream* in, ArrowArrayStream* out, char* error,
                                        size_t error_size) {
  try {
    lanewise::arrow::export_stream(lanewise::arrow::import_stream(in), out);
    return 0;
  } catch (const std::exception& caught) {
    std::strncpy(error, caught.what(), error_size - 1);
    return 1;
  }
}
