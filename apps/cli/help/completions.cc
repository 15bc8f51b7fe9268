#include "help/completions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <string_view>

#include "help/help.h"
#include "help/topics.h"

namespace lanewise::cli {

namespace {

/// Calls f for the command and all its subcommands, with the words after "lanewise": "index build".
void for_each_command(const CLI::App& app,
                      const std::function<void(const CLI::App&, const std::string&)>& f) {
  const std::string name = full_name(app);
  f(app, name.size() > 9 ? name.substr(9) : "");
  for (const CLI::App* command : commands_of(app)) for_each_command(*command, f);
}

/// The words that a value may take: "table|csv|json".
std::vector<std::string> values_of(const OptionHelp& option) {
  if (option.value.find('|') != std::string::npos) return CLI::detail::split(option.value, '|');
  const std::string type = option.option->get_type_name();
  const size_t open = type.find('{');
  if (open == std::string::npos || !type.ends_with('}')) return {};
  return CLI::detail::split(type.substr(open + 1, type.size() - open - 2), ',');
}

std::vector<std::string> dashed_names(const OptionHelp& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.option->get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  if (app.get_name() == "help") {
    for (const CLI::App* command : commands_of(*app.get_parent())) names.push_back(command->get_name());
    for (const Topic& topic : topics()) names.push_back(topic.name);
  }
  if (app.get_name() == "completions") names = {"bash", "zsh", "fish"};
  return names;
}

/// `f(option, names)` for each option that has a name.
template <class F>
void for_each_option(const CLI::App& app, F f) {
  for (const OptionGroup& group : option_groups(app)) {
    for (const OptionHelp& option : group.options) {
      if (!option.positional) f(option, dashed_names(option));
    }
  }
}

std::string bash(const CLI::App& root) {
  std::string commands, options, values, words;
  for_each_command(root, [&](const CLI::App& app, const std::string& path) {
    std::vector<std::string> names;
    for_each_option(app, [&](const OptionHelp& option, const std::vector<std::string>& dashed) {
      names.insert(names.end(), dashed.begin(), dashed.end());
      if (const auto known = values_of(option); !known.empty()) {
        for (const std::string& name : dashed)
          values += fmt::format("    '{} {}') words='{}' ;;\n", path, name, fmt::join(known, " "));
      }
    });
    options += fmt::format("      '{}') words='{}' ;;\n", path, fmt::join(names, " "));
    if (const auto below = command_names(app); !below.empty()) {
      words += fmt::format("      '{}') words='{}' ;;\n", path, fmt::join(below, " "));
      if (!commands_of(app).empty()) commands += fmt::format("{}'{}'", commands.empty() ? "" : "|", path);
    }
  });
  return fmt::format(R"(# bash completion of lanewise; made by `lanewise completions bash`
_lanewise() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} path= words= i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case $path in {0}) ;; *) break ;; esac
    [[ ${{COMP_WORDS[i]}} == -* ]] || path+=${{path:+ }}${{COMP_WORDS[i]}}
  done
  case "$path $previous" in
{1}  esac
  if [[ -z $words ]]; then
    if [[ $current == -* ]]; then
      case $path in
{2}      esac
    else
      case $path in
{3}      esac
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o bashdefault -o default -F _lanewise lanewise
)",
                     commands, values, options, words);
}

/// A string in single quotes, for fish and zsh.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c != '\n')
      out += c;
  }
  return out + "'";
}

/// The description without values, defaults and further sentences.
std::string first_words(const std::string& text) {
  return text.substr(0, std::min({text.find(';'), text.find(':'), text.find(" ("), text.find(". ")}));
}

std::string fish(const CLI::App& root) {
  std::string out = "# fish completion of lanewise; made by `lanewise completions fish`\n";
  for_each_command(root, [&](const CLI::App& app, const std::string& path) {
    std::string here;  // the condition of this command
    for (const std::string& word : CLI::detail::split(path, ' ')) {
      if (!word.empty())
        here += fmt::format("{}__fish_seen_subcommand_from {}", here.empty() ? "" : "; and ", word);
    }
    std::vector<std::string> names = command_names(app);
    const std::string none =
        here.empty() ? "__fish_use_subcommand"
                     : fmt::format("{}; and not __fish_seen_subcommand_from {}", here, fmt::join(names, " "));
    for (const CLI::App* command : commands_of(app))
      out += fmt::format("complete -c lanewise -f -n {} -a {} -d {}\n", in_quotes(none), command->get_name(),
                         in_quotes(summary_of(*command)));
    if (commands_of(app).empty() && !names.empty())
      out += fmt::format("complete -c lanewise -f -n {} -a {}\n", in_quotes(here),
                         in_quotes(fmt::format("{}", fmt::join(names, " "))));
    for_each_option(app, [&](const OptionHelp& option, const std::vector<std::string>&) {
      out +=
          fmt::format("complete -c lanewise -n {}", in_quotes(here.empty() ? "__fish_use_subcommand" : here));
      for (const std::string& name : option.option->get_snames()) out += " -s " + name;
      for (const std::string& name : option.option->get_lnames()) out += " -l " + name;
      const auto known = values_of(option);
      if (!known.empty()) out += " -x -a " + in_quotes(fmt::format("{}", fmt::join(known, " ")));
      if (known.empty() && !option.value.empty() && !option.value.starts_with('[')) out += " -r";
      out += " -d " + in_quotes(first_words(option.text)) + "\n";
    });
  });
  return out;
}

/// Colons and brackets separate the parts of a specification.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_function(const std::string& path) {
  std::string name = "_lanewise";
  if (!path.empty()) name += "_" + path;
  for (char& c : name) {
    if (c == ' ' || c == '-') c = '_';
  }
  return name;
}

std::string zsh(const CLI::App& root) {
  std::string out = "#compdef lanewise\n# zsh completion of lanewise; made by `lanewise completions zsh`\n";
  for_each_command(root, [&](const CLI::App& app, const std::string& path) {
    out += fmt::format("\n{}() {{\n", zsh_function(path));
    std::string specifications;
    for_each_option(app, [&](const OptionHelp& option, const std::vector<std::string>& dashed) {
      const auto known = values_of(option);
      std::string value;
      if (!known.empty())
        value = fmt::format(":{}:({})", zsh_text(dashed.back()), fmt::join(known, " "));
      else if (!option.value.empty() && !option.value.starts_with('['))
        value = fmt::format(":{}:_files", zsh_text(option.value));
      for (const std::string& name : dashed)
        specifications +=
            " \\\n    " + in_quotes(name + "[" + zsh_text(first_words(option.text)) + "]" + value);
    });
    const auto commands = commands_of(app);
    if (commands.empty()) {
      const auto names = command_names(app);
      const std::string rest =
          names.empty() ? "*:file:_files" : fmt::format("1:word:({})", fmt::join(names, " "));
      out += fmt::format("  _arguments -s{} \\\n    {}\n}}\n", specifications, in_quotes(rest));
      return;
    }
    out += "  local state line\n  local -a commands=(\n";
    for (const CLI::App* command : commands)
      out += fmt::format("    {}\n", in_quotes(command->get_name() + ":" + zsh_text(summary_of(*command))));
    out += fmt::format("  )\n  _arguments -C{} \\\n    '1: :->command' '*:: :->rest'\n", specifications);
    out += "  case $state in\n    command) _describe command commands ;;\n    rest) case $line[1] in\n";
    for (const CLI::App* command : commands)
      out += fmt::format("      {}) {} ;;\n", command->get_name(),
                         zsh_function(path.empty() ? command->get_name() : path + " " + command->get_name()));
    out += "    esac ;;\n  esac\n}\n";
  });
  return out + "\n_lanewise \"$@\"\n";
}

}  // namespace

std::string completions_of(const CLI::App& app, const std::string& shell) {
  return shell == "bash" ? bash(app) : shell == "zsh" ? zsh(app) : fish(app);
}

}  // namespace lanewise::cli
