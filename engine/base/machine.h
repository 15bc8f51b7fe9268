#pragma once

#include <cstddef>
#include <string>

namespace lanewise {

/// Bytes of memory that this process may use: the machine's, or its control group's limit where that is less.
size_t machine_memory();

/// Cores that this process may run on.
int machine_cores();

/// The processor's name; "unknown" where the system does not tell it.
std::string machine_cpu();

}  // namespace lanewise
