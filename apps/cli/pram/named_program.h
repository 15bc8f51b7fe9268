#pragma once

#include <string>

#include "pram/program.h"

namespace lanewise::cli::pram_command {

/// The text of a file, or else of a program of the library.
std::string program_text(const std::string& name);

/// The same, read and checked.
pram::Program load_program(const std::string& name);

}  // namespace lanewise::cli::pram_command
