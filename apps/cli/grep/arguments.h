#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grep/options.h"

namespace lanewise::cli::grep {

/// The state of the parser while it reads flags; complete() turns it into Options.
struct Arguments {
  Options options;
  std::vector<std::string> words;          ///< the pattern, unless given otherwise, and paths
  std::vector<std::string> patterns;       ///< of -e, in order
  std::vector<std::string> file_patterns;  ///< of -f; those of -e come first, as in ripgrep
  bool has_patterns = false;               ///< -e or -f was given
  bool reads_input = false;                ///< -f - was given
  std::optional<bool> names, numbers, heading;
  std::optional<uint64_t> context, before, after;
  bool column = false, no_column = false, vimgrep = false;
  bool count = false, count_matches = false, files_with = false, files_without = false, json = false;
  std::string colour;
  int unrestricted = 0;
  bool no_config = false, pretty = false;
};

/// A flag, for the parser and the help.
struct Flag {
  const char* names;  ///< "-A,--after-context"
  const char* value;  ///< its type, "NUM"; empty: a switch
  const char* group;  ///< title of its group in the help; empty: hidden
  const char* help;
  void (*apply)(Arguments&, const std::string& value);
};

/// All flags, grouped, in the order of the help.
std::vector<std::span<const Flag>> all_flags();
std::span<const Flag> pattern_flags();
std::span<const Flag> output_flags();
std::span<const Flag> colour_flags();
std::span<const Flag> file_flags();
std::span<const Flag> ignore_flags();
std::span<const Flag> other_flags();

/// Reads the words after `grep`, those of the configuration file first. Throws UserError.
Arguments read_arguments(std::vector<std::string> words);

/// The resulting options. Throws UserError.
Options complete(Arguments arguments);

/// A number without a sign; throws UserError that names the flag.
uint64_t read_number(const std::string& flag, const std::string& text);
/// The same with an optional K, M or G.
uint64_t read_size(const std::string& flag, const std::string& text);
/// A string in which \n, \t, \\ and \x7F stand for bytes.
std::string unescape(const std::string& text);

}  // namespace lanewise::cli::grep
