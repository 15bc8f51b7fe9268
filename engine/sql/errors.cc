#include "sql/errors.h"

#include "sql/duckdb_headers.h"

namespace lanewise::sql {

void unsupported(const std::string& what) { throw UnsupportedError(what + " supported yet"); }

void rethrow(const std::exception_ptr& exception, const std::string& query) {
  try {
    std::rethrow_exception(exception);
  } catch (const UserError&) {
    throw;
  } catch (const CancelledError&) {
    throw;
  } catch (const InternalError&) {
    throw;
  } catch (const std::exception& e) {
    duckdb::ErrorData error(e);
    if (!query.empty()) error.AddErrorLocation(query);
    switch (error.Type()) {
      case duckdb::ExceptionType::INTERRUPT:
        throw CancelledError();
      case duckdb::ExceptionType::OUT_OF_MEMORY:
        throw MemoryError(error.Message());
      case duckdb::ExceptionType::INTERNAL:
      case duckdb::ExceptionType::FATAL:
        throw InternalError("DuckDB: " + error.RawMessage());  // without its stack trace
      default:
        throw UserError(error.Message());
    }
  }
}

}  // namespace lanewise::sql
