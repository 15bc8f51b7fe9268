#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "command.h"
#include "help/completions.h"
#include "help/functions.h"
#include "help/help.h"
#include "help/manual.h"
#include "help/suggest.h"
#include "help/topics.h"
#include "process/print.h"

namespace lanewise::cli {

namespace {

const char* const kHelpDescription = R"(Shows the help of a command or a topic.

  lanewise help sql
  lanewise help index build
  lanewise help files           formats that are read and written
  lanewise help functions       functions of SQL, by group
  lanewise help functions trim  one of them, with examples
)";

const char* const kCompletionsDescription = R"(Prints a script that completes commands and options in a shell.

Packages install these scripts. Without a package:

  source <(lanewise completions bash)                                    bash, for this session
  lanewise completions zsh >"${fpath[1]}/_lanewise"                      zsh
  lanewise completions fish >~/.config/fish/completions/lanewise.fish    fish
)";

ExitCode show_manual(const CLI::App& root, const std::vector<std::string>& words) {
  if (words.size() > 1 && words[0] == "functions") {
    const std::string name = fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " "));
    for (const std::string& line : wrap(function_help(name), kHelpWidth)) print("{}\n", line);
    return kOk;
  }
  const CLI::App* command = &root;
  for (const std::string& word : words) {
    const auto topic = std::ranges::find(topics(), word, &Topic::name);
    if (command == &root && topic != topics().end()) {
      for (const std::string& line : wrap(topic->text, kHelpWidth)) print("{}\n", line);
      return kOk;
    }
    const CLI::App* next = command_named(*command, word);
    if (next == nullptr) {
      std::vector<std::string> names;
      for (const CLI::App* known : commands_of(*command)) names.push_back(known->get_name());
      if (command == &root) {
        for (const Topic& known : topics()) names.push_back(known.name);
      }
      const std::string mean = did_you_mean(word, names);
      throw UserError(fmt::format(
          "there is no help for '{}'{}", fmt::join(words, " "),
          mean.empty() && !names.empty() ? fmt::format("; choose {}", fmt::join(names, ", ")) : mean));
    }
    command = next;
  }
  print("{}", command->get_formatter()->make_help(command, "", CLI::AppFormatMode::Normal));
  return kOk;
}

}  // namespace

void add_help_command(CLI::App& app, Command& run) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* help = app.add_subcommand("help", kHelpDescription);
  help->add_option("topic", *words, "A command, or files, functions, configuration, environment, exit-codes")
      ->type_name("TOPIC");
  help->callback([words, &app, &run] { run = [words, &app] { return show_manual(app, *words); }; });

  auto shell = std::make_shared<std::string>();
  CLI::App* completions = app.add_subcommand("completions", kCompletionsDescription);
  completions->add_option("shell", *shell, "bash, zsh or fish")
      ->type_name("SHELL")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completions->callback([shell, &app, &run] {
    run = [shell, &app] {
      print("{}", completions_of(app, *shell));
      return kOk;
    };
  });

  auto name = std::make_shared<std::string>();
  CLI::App* manual = app.add_subcommand("manual", "Prints the manual page of a command, for packages.");
  manual->group("");
  manual->add_option("command", *name, "A command (default: lanewise itself)")->type_name("COMMAND");
  manual->callback([name, &app, &run] {
    run = [name, &app] {
      const CLI::App* command = name->empty() ? &app : command_named(app, *name);
      if (command == nullptr) throw UserError(fmt::format("there is no command '{}'", *name));
      print("{}", manual_of(*command));
      return kOk;
    };
  });
}

}  // namespace lanewise::cli
