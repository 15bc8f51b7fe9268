#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "grep/colours.h"
#include "lanes/tuning.h"

namespace lanewise::cli::grep {

inline constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

/// grep's exit codes, as in ripgrep.
enum Exit { kFound = 0, kNothingSelected = 1, kMistake = 2 };

enum class Case { kSensitive, kIgnored, kSmart };
/// What a match must span.
enum class Around { kAnything, kWord, kLine };
/// How files with a NUL byte are treated. kAuto: those that the user named are searched; in others the search
/// stops at the NUL.
enum class Binary { kAuto, kSearch, kText };
/// What is written.
enum class Report { kLines, kCount, kCountMatches, kFilesWith, kFilesWithout, kNothing, kJson };
/// The kind of output.
enum class Task { kSearch, kListFiles, kListTypes, kShowHelp, kShowVersion };
enum class Sort { kNone, kPath, kModified, kAccessed, kCreated };

/// Which files below folders are searched.
struct FileRules {
  bool hidden = false;
  bool follow = false;
  bool one_file_system = false;
  bool ignore_dot = true;      ///< .ignore
  bool ignore_rg = true;       ///< .rgignore
  bool ignore_exclude = true;  ///< .git/info/exclude
  bool ignore_files = true;    ///< those of --ignore-file
  bool ignore_global = true;   ///< git's core.excludesFile
  bool ignore_parent = true;   ///< ignore files of parent folders
  bool ignore_vcs = true;      ///< .gitignore
  bool require_git = true;     ///< git's rules count only within a repository
  bool ignore_messages = true;
  bool ignore_case = false;                                    ///< of ignore files
  bool glob_ignore_case = false;                               ///< of -g
  std::vector<std::string> files;                              ///< of --ignore-file
  std::vector<std::pair<std::string, bool>> globs;             ///< of -g; true: ignores case
  std::vector<std::string> include, exclude, exclude_folders;  ///< GNU grep's options
  std::vector<std::pair<std::string, bool>> types;             ///< -t (true) and -T, in order
  std::vector<std::pair<std::string, bool>> type_changes;      ///< --type-add (true) and --type-clear
  uint64_t max_depth = kNoLimit;
  uint64_t max_size = kNoLimit;
  Sort sort = Sort::kNone;
  bool reverse = false;
};

/// All options of the command line.
struct Options {
  Task task = Task::kSearch;
  std::vector<std::string> patterns;
  std::vector<std::string> paths;  ///< "-" is standard input
  bool paths_are_default = false;  ///< the current folder, whose name is not shown

  Case letters = Case::kSensitive;
  Around around = Around::kAnything;
  bool literal = false;
  uint64_t pattern_bytes = kNoLimit;  ///< of the compiled pattern
  bool invert = false;                ///< select the lines that do not match
  bool unicode = true;
  bool multiline = false, dot_all = false;
  bool crlf = false;
  char line_end = '\n';  ///< or NUL

  Report report = Report::kLines;
  bool quiet = false;
  bool only_matches = false;
  bool each_match = false;  ///< a line for each match (--vimgrep)
  std::optional<std::string> replacement;
  bool names = false, numbers = false, columns = false, offsets = false;
  bool heading = false;
  bool include_zero = false;
  bool trim = false;
  bool null_names = false;  ///< a NUL after each name
  bool colours = false;
  ColourSpecs colour_specs;
  bool flush = false;        ///< write each line at once
  uint64_t most = kNoLimit;  ///< most selected lines of a file
  uint64_t before = 0, after = 0;
  bool passthru = false;
  uint64_t max_columns = 0;  ///< 0: no limit
  bool preview = false;
  std::optional<std::string> context_separator = "--";
  std::string match_separator = ":", context_mark = "-";
  char path_separator = '/';

  Binary binary = Binary::kAuto;
  std::string encoding;  ///< empty: by the byte order mark; "none": never
  bool decompress = false;
  std::string preprocessor;
  std::vector<std::string> preprocessor_globs;
  FileRules files;
  std::optional<bool> mapped;  ///< map files into memory; none: only if few files are named
  bool messages = true;

  bool stats = false;
  bool explain = false;  ///< print the match strategy on standard error
  int threads = 0;       ///< 0: one per core
  std::string lanes;
  lanes::Tuning tuning = {};  ///< of the machine
};

}  // namespace lanewise::cli::grep
