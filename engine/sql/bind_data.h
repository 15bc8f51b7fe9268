#pragma once

#include "base/error.h"
#include "sql/duckdb_headers.h"

namespace lanewise::sql {

/// What binding took out of a function's arguments is private to DuckDB's extensions, but they can write it
/// down: read(duckdb::BinaryDeserializer&) reads that.
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
