#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace lanewise::cli {

/// The completion script of all commands for "bash", "zsh" or "fish".
std::string completions_of(const CLI::App& app, const std::string& shell);

}  // namespace lanewise::cli
