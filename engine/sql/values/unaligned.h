#pragma once

#include <cstring>

namespace lanewise::sql {

/// Values in DuckDB's vectors: those of 16 bytes are aligned to 8 there.
template <class T>
T load(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}
template <class T>
void store(void* at, const T& value) {
  std::memcpy(at, &value, sizeof(T));
}

}  // namespace lanewise::sql
