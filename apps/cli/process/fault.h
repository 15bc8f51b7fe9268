#pragma once

#include <string_view>

namespace lanewise::cli {

/// From now on a fault that ends the process (a segmentation fault, an abort) first writes a line to standard
/// error that names what was running.
void report_faults();

/// Sets what is running now: a statement, or the arguments of a command. Long ones are cut off.
void set_running(std::string_view what);
/// The same for messages: " while running: SELECT ...", or nothing.
std::string_view running();

}  // namespace lanewise::cli
