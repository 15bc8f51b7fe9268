#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace lanewise::cli {

/// The manual page of a command and its subcommands, in man(7)'s macros.
std::string manual_of(const CLI::App& command);

}  // namespace lanewise::cli
