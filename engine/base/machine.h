#pragma once

#include <cstddef>
#include <string>

namespace lanewise {

/// Bytes of memory that this process may use: the machine's memory, or a lower limit of the control group.
size_t machine_memory();

/// Cores that this process may run on.
int machine_cores();

/// The processor's name; "unknown" if the system does not report it.
std::string machine_cpu();

}  // namespace lanewise
