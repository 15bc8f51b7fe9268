#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::cli {

/// The candidate that a mistyped word most likely means; empty: none is close.
std::string closest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'sql'?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// The mistake in the arguments, in one line, and the command whose help says more.
struct ArgumentError {
  std::string message;
  std::string command;
};
/// A word that is not a command, where one is expected.
std::optional<ArgumentError> unknown_command(const CLI::App& app, const std::vector<std::string>& words);
ArgumentError explain(const CLI::App& app, const CLI::ParseError& error);

}  // namespace lanewise::cli
