#include "grep/arguments.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "grep/pattern_file.h"
#include "input/read_file.h"
#include "process/terminal.h"

namespace lanewise::cli::grep {

namespace {

using Names = std::unordered_map<std::string, const Flag*>;

const Names& names_of_flags() {
  static const Names kNames = [] {
    Names names;
    for (const std::span<const Flag> flags : all_flags()) {
      for (const Flag& flag : flags) {
        std::string_view rest = flag.names;
        while (!rest.empty()) {
          const size_t end = std::min(rest.find(','), rest.size());
          names.emplace(rest.substr(0, end), &flag);
          rest.remove_prefix(std::min(end + 1, rest.size()));
        }
      }
    }
    return names;
  }();
  return kNames;
}

/// The number of letters to change, insert or delete to turn one word into the other.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

[[noreturn]] void unknown(const std::string& name) {
  std::string advice;
  if (name.size() == 2 && std::isdigit(static_cast<unsigned char>(name[1]))) {
    advice = fmt::format("; lines of context are -C {}", name.substr(1));
  } else if (name == "-Z") {
    advice = "; a NUL after names is -0";
  } else if (name == "-y") {
    advice = "; ignore case with -i";
  } else if (name == "--recursive") {
    advice = "; folders are searched without an option";
  } else {
    advice = "; see lanewise grep --help";
    size_t best = 4;
    for (const auto& [known, flag] : names_of_flags()) {
      if (!known.starts_with("--") || distance(known, name) >= best) continue;
      best = distance(known, name);
      advice = "; did you mean " + known + "?";
    }
  }
  throw UserError(fmt::format("unknown option {}{}", name, advice));
}

/// Reads words into arguments.
class Reader {
 public:
  Reader(Arguments& to, const std::vector<std::string>& words) : to_(to), words_(words) {}

  void read() {
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      if (word == "--") {
        to_.words.insert(to_.words.end(), words_.begin() + static_cast<ptrdiff_t>(at_), words_.end());
        return;
      }
      if (word.size() < 2 || word[0] != '-') {
        to_.words.push_back(word);
      } else if (word[1] == '-') {
        long_flag(word);
      } else {
        short_flags(word);
      }
    }
  }

 private:
  static const Flag& flag_named(const std::string& name) {
    const auto found = names_of_flags().find(name);
    if (found == names_of_flags().end()) unknown(name);
    return *found->second;
  }

  std::string next_value(const std::string& name) {
    if (at_ == words_.size())
      throw UserError(fmt::format("{} needs a value; see lanewise grep --help", name));
    return words_[at_++];
  }

  void long_flag(const std::string& word) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Flag& flag = flag_named(name);
    const bool has_value = equals != std::string::npos;
    if (*flag.value == '\0') {
      if (has_value) throw UserError(name + " does not take a value");
      return flag.apply(to_, "");
    }
    // GNU grep allows --color without a value.
    if (!has_value && (name == "--color" || name == "--colour") && !is_colour())
      return flag.apply(to_, "always");
    flag.apply(to_, has_value ? word.substr(equals + 1) : next_value(name));
  }

  bool is_colour() const {
    if (at_ == words_.size()) return false;
    const std::string& next = words_[at_];
    return next == "auto" || next == "always" || next == "never" || next == "ansi";
  }

  void short_flags(const std::string& word) {
    for (size_t i = 1; i < word.size(); ++i) {
      const std::string name{'-', word[i]};
      const Flag& flag = flag_named(name);
      if (*flag.value == '\0') {
        flag.apply(to_, "");
        continue;
      }
      const std::string rest = word.substr(i + 1);
      return flag.apply(to_, rest.empty() ? next_value(name) : rest.substr(rest[0] == '=' ? 1 : 0));
    }
  }

  Arguments& to_;
  const std::vector<std::string>& words_;
  size_t at_ = 0;
};

/// The words of the configuration file: one per line; # begins a comment.
std::vector<std::string> configured_words() {
  const char* path = std::getenv("LANEWISE_GREP_CONFIG");
  if (path == nullptr) path = std::getenv("RIPGREP_CONFIG_PATH");
  std::vector<std::string> words;
  if (path == nullptr || *path == '\0') return words;
  std::vector<std::string> lines;
  read_patterns(path, lines);
  for (std::string& line : lines) {
    const size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    words.push_back(line.substr(first, line.find_last_not_of(" \t\r") - first + 1));
  }
  return words;
}

bool is_folder(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_file(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

/// Whether standard input is to be searched.
bool input_is_readable() {
  struct stat status{};
  return ::fstat(STDIN_FILENO, &status) == 0 &&
         (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

void choose_report(const Arguments& given, Options& options) {
  bool count = given.count, count_matches = given.count_matches;
  if (count_matches && options.invert) {
    count = true, count_matches = false;
  } else if (count && options.only_matches) {
    count_matches = true;
  }
  options.report = Report::kLines;
  if (given.files_without) options.report = Report::kFilesWithout;
  if (given.files_with) options.report = Report::kFilesWith;
  if (count) options.report = Report::kCount;
  if (count_matches) options.report = Report::kCountMatches;
  if (options.quiet) options.report = Report::kNothing;
  if (!given.json) return;
  const char* other = nullptr;
  if (given.count) other = "--count";
  if (given.count_matches) other = "--count-matches";
  if (given.files_with) other = "--files-with-matches";
  if (given.files_without) other = "--files-without-match";
  if (options.task == Task::kListFiles) other = "--files";
  if (other != nullptr) throw UserError(fmt::format("{} cannot be used with --json", other));
  if (!options.quiet) options.report = Report::kJson;
}

void choose_paths(Arguments& given, Options& options) {
  auto words = given.words.begin();
  const bool needs_pattern = options.task == Task::kSearch && !given.has_patterns;
  if (needs_pattern) {
    if (words == given.words.end()) throw UserError("a pattern is missing; see lanewise grep --help");
    given.patterns.push_back(*words++);
  }
  options.patterns = std::move(given.patterns);
  std::ranges::move(given.file_patterns, std::back_inserter(options.patterns));
  options.paths.assign(words, given.words.end());
  if (!options.paths.empty()) return;
  options.paths_are_default = !input_is_readable() || given.reads_input || options.task != Task::kSearch;
  options.paths.push_back(options.paths_are_default ? "./" : "-");
}

void choose_fields(const Arguments& given, Options& options) {
  const bool terminal = stdout_is_terminal();
  const bool summary = options.report != Report::kLines && options.report != Report::kJson;
  const bool only_input = options.paths.size() == 1 && options.paths[0] == "-";
  options.columns = (given.column || given.vimgrep) && !given.no_column;
  options.each_match = given.vimgrep;
  const bool several = options.paths.size() > 1 || (options.paths[0] != "-" && is_folder(options.paths[0]));
  options.names = given.names.value_or(given.vimgrep || several);
  options.numbers =
      given.numbers.value_or((terminal && !only_input) || given.pretty || given.column || given.vimgrep);
  if (summary) options.numbers = false;
  if (options.report == Report::kJson) options.numbers = given.numbers.value_or(true);
  options.heading = !given.vimgrep && given.heading.value_or(terminal || given.pretty);
  const bool pretty = given.pretty && !given.vimgrep && given.colour.empty();
  const bool always = pretty || given.colour == "always" || given.colour == "ansi";
  const bool automatic = given.colour.empty() ? !given.vimgrep : given.colour == "auto";
  options.colours = always || (automatic && use_colours());
  options.flush = options.flush || terminal;
}

}  // namespace

std::vector<std::span<const Flag>> all_flags() {
  return {pattern_flags(), output_flags(), colour_flags(), file_flags(), ignore_flags(), other_flags()};
}

void read_patterns(const std::string& path, std::vector<std::string>& patterns) {
  const std::string text = read_file(path);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    size_t last = end;
    if (last > at && text[last - 1] == '\r') --last;
    patterns.push_back(text.substr(at, last - at));
    at = end + 1;
  }
}

Arguments read_arguments(std::vector<std::string> words) {
  Arguments arguments;
  const auto end = std::ranges::find(words, "--");
  if (std::find(words.begin(), end, "--no-config") == end) {
    const std::vector<std::string> configured = configured_words();
    Reader(arguments, configured).read();
  }
  Reader(arguments, words).read();
  return arguments;
}

Options complete(Arguments given) {
  Options& options = given.options;
  if (options.line_end == '\0') options.binary = Binary::kText;
  options.before = given.before.value_or(given.context.value_or(0));
  options.after = given.after.value_or(given.context.value_or(0));
  if (!options.preprocessor.empty()) options.decompress = false;
  choose_paths(given, options);
  choose_report(given, options);
  choose_fields(given, options);
  const auto all_files = std::ranges::all_of(options.paths, is_file);
  if (!options.mapped) options.mapped = options.paths.size() <= 10 && all_files;
  return std::move(options);
}

uint64_t read_number(const std::string& flag, const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw UserError(fmt::format("{}: '{}' is not a number from 0 to 18446744073709551615", flag, text));
  return value;
}

uint64_t read_size(const std::string& flag, const std::string& text) {
  int shift = 0;
  std::string digits = text;
  if (!digits.empty()) {
    const char unit = digits.back();
    shift = unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0;
    if (shift > 0) digits.pop_back();
  }
  const uint64_t value = read_number(flag, digits);
  if (shift > 0 && value > (UINT64_MAX >> shift))
    throw UserError(fmt::format("{}: {} is too large", flag, text));
  return value << shift;
}

std::string unescape(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    unsigned byte = 0;
    if (c == 'n' || c == 'r' || c == 't' || c == '\\' || c == '0') {
      out += c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c == '0' ? '\0' : '\\';
    } else if (c == 'x' && i + 2 < text.size() &&
               std::from_chars(&text[i + 1], &text[i + 3], byte, 16).ptr == &text[i + 3]) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += '\\';
      out += c;
    }
  }
  return out;
}

}  // namespace lanewise::cli::grep
