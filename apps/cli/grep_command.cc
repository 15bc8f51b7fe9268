#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "grep/arguments.h"

namespace lanewise::cli {

namespace {

const char* const kGrepDescription = R"(Prints the lines of files that match a pattern.

Options and output are those of ripgrep. Folders are searched recursively, except for hidden files, binary
files and those that .gitignore, .ignore or .rgignore exclude. Without PATHS, grep searches standard input
if it is a file or a pipe, otherwise the current folder.

  lanewise grep 'error|warning' build.log
  lanewise grep -tpy '^import (os|sys)$'        in Python files below the current folder
  lanewise grep -uu -c -F 'a.b' src             hidden and ignored files too; count lines
  lanewise grep -or '$1 ms' '([0-9]+)ms' log    print the matches only, rewritten
  lanewise grep -z -i -C2 timeout old.log.gz    search a compressed file, with two lines of context
  cat words | lanewise grep -vxf stop.txt       print all lines that are not in stop.txt

Patterns have the syntax of Rust's regex crate, as in ripgrep: alternatives with |, groups (...), Unicode
\d \w \s \b, x{2,5}, (?i), \p{Greek}, [a-z&&[^e]].

Differences from ripgrep: -P is an error, since look-around and back references need more than linear time.
Files are printed in order of name, as with --sort path. -z needs no other programs, and rejects Brotli and
.Z. $LANEWISE_GREP_CONFIG takes precedence over $RIPGREP_CONFIG_PATH. --color may be given without WHEN.
--include, --exclude and --exclude-dir are those of GNU grep. --lanes is new, and --debug shows the match
strategy. If an option is given twice, the last one counts. -U -r replaces text in matching lines only. \B,
and -w with alternatives, find matches that ripgrep 13 misses. With --null-data, ^ and $ match at the ends
of records. Ignore rules with a / above a named folder count, as in git. docs/use/grep.md gives the reasons,
and the differences that only unusual input shows.

Exit codes: 0 if a line was selected, 1 if none was, 2 if a pattern, an option or a file is wrong.
)";

/// Options for help, manual pages and completions; grep::read_arguments reads the words.
void describe(const grep::Flag& flag, CLI::App& grep) {
  if (*flag.group == '\0') return;
  CLI::Option* option;
  if (*flag.value == '\0') {
    option = grep.add_flag(flag.names, flag.help);
  } else {
    auto sink = std::make_shared<std::string>();
    option = grep.add_option_function<std::string>(
        flag.names, [sink](const std::string& value) { *sink = value; }, flag.help);
    option->option_text(flag.value);
  }
  option->group(flag.group);
}

}  // namespace

void add_grep_command(CLI::App& app, Command& run) {
  CLI::App* grep = app.add_subcommand("grep", kGrepDescription);
  grep->set_help_flag("--help", "Print this help message and exit");
  static std::vector<std::string> words;  // for help alone
  grep->add_option("words", words,
                   "The pattern, unless -e or -f gives it, then files and folders; - is standard input")
      ->type_name("PATTERN PATHS");
  for (const std::span<const grep::Flag> flags : grep::all_flags()) {
    for (const grep::Flag& flag : flags) describe(flag, *grep);
  }
  grep->callback([&run] { run = [] { return kOk; }; });
}

}  // namespace lanewise::cli
