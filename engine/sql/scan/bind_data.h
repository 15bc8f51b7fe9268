#pragma once

#include "base/error.h"
#include "sql/duckdb/duckdb_headers.h"

namespace lanewise::sql {

/// A function's bind data is private to DuckDB's extensions, but they can serialise it:
/// read(duckdb::BinaryDeserializer&) reads the result.
template <class Function, class Read>
void read_bind_data(duckdb::ClientContext& context, const Function& function, duckdb::FunctionData* data,
                    Read read) {
  const auto serialize = function.GetSerializeCallback();
  invariant(serialize != nullptr, "functions with bind data write it down");
  duckdb::MemoryStream stream;
  duckdb::BinarySerializer serializer(stream);
  serializer.Begin();
  serialize(serializer, data, function);
  serializer.End();
  stream.Rewind();
  duckdb::BinaryDeserializer deserializer(stream);
  deserializer.Set<duckdb::ClientContext&>(context);
  deserializer.Begin();
  read(deserializer);
  deserializer.End();
}

}  // namespace lanewise::sql
