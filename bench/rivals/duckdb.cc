// DuckDB as a rival: runs statements from standard input (each ends with ";\n") and prints, a line each, the
// seconds it took and its result's first row. Usage: lanewise_rival_duckdb THREADS
#include <duckdb.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>

namespace {

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

std::string first_row(duckdb_result& result) {
  std::string row;
  if (duckdb_row_count(&result) == 0) return row;
  for (idx_t column = 0; column < duckdb_column_count(&result); ++column) {
    char* text = duckdb_value_varchar(&result, column, 0);
    if (column != 0) row += ',';
    row += text == nullptr ? "NULL" : text;
    duckdb_free(text);
  }
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  duckdb_database database;
  duckdb_connection connection;
  if (argc != 2 || duckdb_open(nullptr, &database) != DuckDBSuccess ||
      duckdb_connect(database, &connection) != DuckDBSuccess) {
    fail("usage: lanewise_rival_duckdb THREADS");
  }
  duckdb_query(connection, (std::string("SET threads = ") + argv[1]).c_str(), nullptr);
  std::string script{std::istreambuf_iterator<char>(std::cin), {}};
  for (size_t start = 0; start < script.size();) {
    const size_t end = script.find(";\n", start);
    const std::string statement = script.substr(start, end - start);
    start = end == std::string::npos ? script.size() : end + 2;
    const auto before = std::chrono::steady_clock::now();
    duckdb_result result;
    if (duckdb_query(connection, statement.c_str(), &result) != DuckDBSuccess)
      fail(duckdb_result_error(&result));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - before;
    std::printf("%.6f %s\n", seconds.count(), first_row(result).c_str());
    std::fflush(stdout);
    duckdb_destroy_result(&result);
  }
  duckdb_disconnect(&connection);
  duckdb_close(&database);
}
