#include <cstring>
#include <exception>

#include "api/session.h"
#include "data/arrow/arrow.h"

namespace {

/// Returns 0, or 1 with the message of f()'s exception in `error`.
template <class F>
int guarded(char* error, size_t error_size, F f) {
  try {
    f();
    return 0;
  } catch (const std::exception& caught) {
    std::strncpy(error, caught.what(), error_size - 1);
    return 1;
  }
}

}  // namespace

/// Reads `in` to its end and exports the same table to `out`.
extern "C" int lanewise_arrow_roundtrip(ArrowArrayStream* in, ArrowArrayStream* out, char* error,
                                        size_t error_size) {
  return guarded(error, error_size,
                 [&] { lanewise::arrow::export_stream(lanewise::arrow::import_stream(in), out); });
}

/// Exports a query's rows to `out`, which outlives the session.
extern "C" int lanewise_arrow_query(const char* query, ArrowArrayStream* out, char* error,
                                    size_t error_size) {
  return guarded(error, error_size, [&] {
    lanewise::SessionOptions options;
    options.fallback_duckdb = true;
    lanewise::Session session(options);
    session.to_arrow(session.run(query).table, out);
  });
}
