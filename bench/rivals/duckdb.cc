// DuckDB as a rival: runs statements from standard input (each ends with ";\n"). Prints a line for each: its
// seconds, and the first row of its result. Usage: lanewise_rival_duckdb THREADS [cpu]; cpu measures the
// process's time instead of elapsed time.
#include <duckdb.h>

#include <cstdio>
#include <ctime>
#include <iostream>
#include <iterator>
#include <string>

namespace {

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

double seconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
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
  const clockid_t clock =
      argc == 3 && argv[2] == std::string("cpu") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  if (argc < 2 || argc > 3 || duckdb_open(nullptr, &database) != DuckDBSuccess ||
      duckdb_connect(database, &connection) != DuckDBSuccess) {
    fail("usage: lanewise_rival_duckdb THREADS [cpu]");
  }
  duckdb_query(connection, (std::string("SET threads = ") + argv[1]).c_str(), nullptr);
  std::string script{std::istreambuf_iterator<char>(std::cin), {}};
  for (size_t start = 0; start < script.size();) {
    const size_t end = script.find(";\n", start);
    const std::string statement = script.substr(start, end - start);
    start = end == std::string::npos ? script.size() : end + 2;
    const double before = seconds(clock);
    duckdb_result result;
    if (duckdb_query(connection, statement.c_str(), &result) != DuckDBSuccess)
      fail(duckdb_result_error(&result));
    std::printf("%.6f %s\n", seconds(clock) - before, first_row(result).c_str());
    std::fflush(stdout);
    duckdb_destroy_result(&result);
  }
  duckdb_disconnect(&connection);
  duckdb_close(&database);
}
