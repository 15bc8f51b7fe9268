#pragma once

#include <string>

#include "pram/language/program.h"

namespace lanewise::cli::pram_command {

/// The contents of a file, or the text of a bundled program.
std::string program_text(const std::string& name);

/// The same, parsed.
pram::Program load_program(const std::string& name);

}  // namespace lanewise::cli::pram_command
