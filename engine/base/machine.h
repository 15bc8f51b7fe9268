#pragma once

#include <cstddef>

namespace lanewise {

/// Bytes of memory that this process may use: the machine's, or its control group's limit where that is less.
size_t machine_memory();

/// Cores that this process may run on.
int machine_cores();

}  // namespace lanewise
