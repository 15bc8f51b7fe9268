#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>

#include "base/error.h"
#include "base/machine.h"
#include "command.h"
#include "grep/run.h"
#include "machine.h"
#include "terminal.h"

namespace lanewise::cli {

namespace {

const char* const kDescription = R"(Prints the lines of files that match a pattern.

Patterns are regular expressions in RE2's dialect: alternatives with |, groups (...), \d \w \s \b, x{2,5},
(?i), \p{Greek}; no back references. Without FILES it reads standard input, with -r the current folder.

  lanewise grep 'error|warning' build.log
  lanewise grep -rn --include '*.py' '^import (os|sys)$' src
  lanewise grep -c -F 'a.b' *.txt              lines that hold the text a.b, counted
  lanewise grep -o '[0-9]+ms' server.log       only what matched
  lanewise grep -z -i -C2 timeout old.log.gz   in a compressed file, with two lines around
  cat words | lanewise grep -v -x -f stop.txt  all but the lines of stop.txt

Exit codes: 0 something was found, 1 nothing was found, 2 a pattern, an option or a file is bad.
)";

/// What the command line holds, before it becomes grep::Options.
struct Given {
  grep::Options options;
  std::vector<std::string> words;  // the pattern, unless given otherwise, and files
  std::vector<std::string> patterns;
  std::vector<std::string> pattern_files;
  bool count = false, files_with = false, files_without = false, quiet = false, only = false;
  bool with_names = false, without_names = false, dialect = false, text = false, skip_binary = false;
  std::optional<uint64_t> around;
  std::string colour = "auto";
  int64_t most = -1;
  int threads = 0;
};

/// A pattern with line ends is several patterns.
void add_patterns(const std::string& text, std::vector<std::string>& patterns) {
  for (size_t at = 0;;) {
    const size_t end = text.find('\n', at);
    patterns.push_back(text.substr(at, end - at));
    if (end == std::string::npos) return;
    at = end + 1;
  }
}

/// Each line is a pattern.
void read_patterns(const std::string& path, std::vector<std::string>& patterns) {
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& in = path == "-" ? std::cin : file;
  if (!in) throw UserError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  for (std::string line; std::getline(in, line);) patterns.push_back(line);
}

bool is_folder(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

grep::Report report_of(const Given& given) {
  if (given.quiet) return grep::Report::kNothing;
  if (given.files_with) return grep::Report::kFilesWith;
  if (given.files_without) return grep::Report::kFilesWithout;
  if (given.count) return grep::Report::kCount;
  return given.only ? grep::Report::kMatches : grep::Report::kLines;
}

grep::Options complete(Given given) {
  grep::Options& options = given.options;
  auto words = given.words.begin();
  if (given.patterns.empty() && given.pattern_files.empty()) {
    if (words == given.words.end()) throw UserError("a pattern is missing; see lanewise grep --help");
    given.patterns.push_back(*words++);
  }
  for (const std::string& pattern : given.patterns) add_patterns(pattern, options.patterns);
  for (const std::string& path : given.pattern_files) read_patterns(path, options.patterns);
  options.files.assign(words, given.words.end());
  if (options.files.empty() && !options.recursive) options.files.push_back("-");

  options.report = report_of(given);
  const bool several = options.files.size() > 1 ||
                       (options.recursive && (options.files.empty() || is_folder(options.files[0])));
  options.names = !given.without_names && (given.with_names || several);
  options.colours = given.colour == "always" || (given.colour == "auto" && use_colours());
  options.flush = options.flush || stdout_is_terminal();
  if (given.most >= 0) options.most = static_cast<uint64_t>(given.most);
  if (given.around) {
    options.before = options.before.value_or(*given.around);
    options.after = options.after.value_or(*given.around);
  }
  if (given.skip_binary) options.binary = grep::Binary::kSkip;
  if (given.text) options.binary = grep::Binary::kText;
  options.tuning = machine_profile().tuning;
  options.threads = given.threads > 0 ? given.threads : machine_cores();
  return options;
}

ExitCode run_grep(const Given& given) {
  std::signal(SIGINT, [](int) { ::_exit(kCancelled); });  // what was found is written by then
  std::signal(SIGBUS, [](int) {
    constexpr std::string_view kWhy =
        "lanewise grep: a file became shorter while it was searched, or its disk fails\n";
    ::_exit(::write(STDERR_FILENO, kWhy.data(), kWhy.size()) < 0 ? kBug : kUserError);
  });
  const grep::Options options = complete(given);
  if (options.most == 0) return kNothingFound;
  OutputFile out;
  const grep::Outcome outcome = grep::run(options, out);
  out.close();
  if (outcome.failed && !(given.quiet && outcome.selected)) return kUserError;
  return outcome.selected ? kOk : kNothingFound;
}

}  // namespace

void add_grep_command(CLI::App& app, Command& run) {
  auto given = std::make_shared<Given>();
  grep::Options& options = given->options;
  CLI::App* grep = app.add_subcommand("grep", kDescription);
  grep->set_help_flag("--help", "Print this help message and exit");
  grep->add_option("words", given->words,
                   "The pattern, unless -e or -f gives it, and files; - is standard input")
      ->type_name("PATTERN FILES")
      ->expected(CLI::detail::expected_max_vector_size, CLI::detail::expected_max_vector_size)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);  // else [ab] would be a list

  const auto several = [&](const char* names, std::vector<std::string>& to, const char* help,
                           const char* type) {
    return grep->add_option(names, to, help)->type_name(type)->allow_extra_args(false);
  };
  several("-e,--regexp", given->patterns, "A pattern; may be given several times", "PATTERN")
      ->group("Patterns");
  several("-f,--file", given->pattern_files, "A file with a pattern on each line", "FILE")->group("Patterns");
  const auto flag = [&](const char* group, const char* names, bool& to, const char* help) {
    return grep->add_flag(names, to, help)->group(group);
  };
  flag("Patterns", "-F,--fixed-strings", options.literal, "Patterns are plain text");
  flag("Patterns", "-i,--ignore-case", options.ignore_case, "Upper and lower case are the same");
  flag("Patterns", "-w,--word-regexp", options.whole_words, "Only matches that are whole words");
  flag("Patterns", "-x,--line-regexp", options.whole_lines, "Only matches that are whole lines");
  flag("Patterns", "-v,--invert-match", options.invert, "Select the lines that do not match");
  flag("Patterns", "-E,-P", given->dialect, "Accepted from habit: the dialect is always RE2's");

  flag("Output", "-c,--count", given->count, "Only count the selected lines of each file");
  flag("Output", "-l,--files-with-matches", given->files_with, "Only names of files with selected lines");
  flag("Output", "-L,--files-without-match", given->files_without, "Only names of files without");
  flag("Output", "-o,--only-matching", given->only, "Only what matched, each match on a line");
  flag("Output", "-q,--quiet,--silent", given->quiet, "Nothing; stops at the first selected line");
  flag("Output", "-n,--line-number", options.numbers, "Line numbers");
  flag("Output", "-H,--with-filename", given->with_names, "Names of files, also of a single one");
  flag("Output", "-h,--no-filename", given->without_names, "No names of files");
  flag("Output", "-Z,--null", options.null_names, "A NUL behind names, for xargs -0");
  grep->add_option("-m,--max-count", given->most, "Stop in each file after so many selected lines")
      ->type_name("NUM")
      ->group("Output");
  const auto context = [&](const char* names, std::optional<uint64_t>& to, const char* help) {
    grep->add_option(names, to, help)->check(CLI::NonNegativeNumber)->option_text("NUM")->group("Output");
  };
  context("-A,--after-context", options.after, "Lines of context behind each selected line");
  context("-B,--before-context", options.before, "Lines of context before it");
  context("-C,--context", given->around, "Lines of context on both sides");
  grep->add_flag("--color{always},--colour{always}", given->colour,
                 "Colours: auto (on a terminal), always, never; alone: always")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->option_text("[=WHEN]")
      ->group("Output");
  flag("Output", "--line-buffered", options.flush, "Write each line as soon as it is found");
  flag("Output", "--stats", options.stats, "How much was searched, how fast and how, on standard error");

  flag("Files", "-r,--recursive", options.recursive, "Folders: all files below them, by name");
  several("--include", options.include, "Only files whose name, or its end, matches", "GLOB")->group("Files");
  several("--exclude", options.exclude, "No such files", "GLOB")->group("Files");
  several("--exclude-dir", options.exclude_folders, "No such folders", "GLOB")->group("Files");
  flag("Files", "-z,--search-zip", options.decompress, "Unpack gzip, Zstandard and bzip2");
  flag("Files", "-a,--text", given->text, "Print lines of binary files too");
  flag("Files", "-I", given->skip_binary, "Pass over binary files");
  flag("Files", "-s,--no-messages", options.no_messages, "No word of files that cannot be read");

  grep->add_option("--threads", given->threads, "Threads; default: one per core")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  grep->add_option("--lanes", options.lanes,
                   "Lanes to run on: simd (the widest here), avx512, avx2, neon, interleaved, auto, scalar,\n"
                   "branching, emulated; packed: simd, with automata in registers wherever they fit")
      ->type_name("NAME");
  grep->callback([given, &run] { run = [given] { return run_grep(*given); }; });
}

}  // namespace lanewise::cli
