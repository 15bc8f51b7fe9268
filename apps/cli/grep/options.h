#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lanes/tuning.h"

namespace lanewise::cli::grep {

inline constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

/// What to do with a file that looks binary.
enum class Binary { kSay, kText, kSkip };

/// What is written.
enum class Report { kLines, kMatches, kCount, kFilesWith, kFilesWithout, kNothing };

struct Options {
  std::vector<std::string> patterns;
  std::vector<std::string> files;  ///< "-" is standard input; none: the current folder

  bool ignore_case = false;
  bool literal = false;
  bool whole_words = false;
  bool whole_lines = false;
  bool invert = false;  ///< select the lines that do not match

  Report report = Report::kLines;
  bool names = false;    ///< before each line
  bool numbers = false;  ///< the same
  bool colours = false;
  bool null_names = false;   ///< a NUL ends a name
  bool flush = false;        ///< write as soon as something is found
  uint64_t most = kNoLimit;  ///< selected lines of a file
  std::optional<uint64_t> before, after;

  Binary binary = Binary::kSay;
  bool decompress = false;
  bool recursive = false;
  std::vector<std::string> include, exclude, exclude_folders;
  bool no_messages = false;

  bool stats = false;
  int threads = 1;
  std::string lanes;
  lanes::Tuning tuning = {};  ///< of the machine
};

}  // namespace lanewise::cli::grep
