# The imported target `duckdb`: parser, binder, optimiser and file readers of DuckDB 1.5.6. Only engine/sql compiles
# against it (lanewise_layer(sql ... PRIVATE duckdb)); everyone else gets the library at link time alone.
if(EXISTS ${LANEWISE_DUCKDB_DIR}/lib/libduckdb.so AND EXISTS ${LANEWISE_DUCKDB_DIR}/include/duckdb.hpp)
  add_library(duckdb SHARED IMPORTED GLOBAL)
  set_target_properties(duckdb PROPERTIES
    IMPORTED_LOCATION ${LANEWISE_DUCKDB_DIR}/lib/libduckdb.so
    IMPORTED_SONAME libduckdb.so
    INTERFACE_INCLUDE_DIRECTORIES ${LANEWISE_DUCKDB_DIR}/include)
else()
  message(FATAL_ERROR "DuckDB is not in ${LANEWISE_DUCKDB_DIR}: run ./dev setup, or set LANEWISE_DUCKDB_DIR.")
endif()
