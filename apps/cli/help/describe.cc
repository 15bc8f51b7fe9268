#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "help/help.h"

namespace lanewise::cli {

namespace {

/// The library appends the names of checks to that of the type: "N:INT in [1 - 9]".
std::string value_of(const CLI::Option& option) {
  if (!option.get_option_text().empty()) return option.get_option_text();
  if (option.get_items_expected_max() == 0) return {};  // a flag
  std::string type = option.get_type_name();
  type = type.substr(0, type.find(':'));
  if (type == "INT" || type == "UINT" || type == "FLOAT") type = "N";
  return type.empty() || type == "TEXT" ? "VALUE" : type;
}

std::string names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string text_of(const CLI::Option& option) {
  std::string text = option.get_description();
  std::ranges::replace(text, '\n', ' ');
  if (option.get_option_text().empty() && !option.get_default_str().empty() &&
      text.find("default") == std::string::npos)
    text += fmt::format(" (default: {})", option.get_default_str());
  if (option.get_required() && !option.get_positional()) text += " (required)";
  return text;
}

OptionHelp describe(const CLI::Option& option) {
  if (option.nonpositional()) return {&option, names_of(option), value_of(option), text_of(option), false};
  const std::string type = value_of(option);
  return {&option, type == "VALUE" ? upper(option.get_name(true, false)) : type, {}, text_of(option), true};
}

}  // namespace

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::vector<OptionGroup> option_groups(const CLI::App& app) {
  std::vector<OptionGroup> groups;
  OptionGroup positionals{"Arguments", {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // for tests
    if (!option->nonpositional()) {
      positionals.options.push_back(describe(*option));
      continue;
    }
    if (option == app.get_help_ptr()) continue;  // the last
    auto group = std::ranges::find(groups, option->get_group(), &OptionGroup::title);
    if (group == groups.end()) group = groups.insert(groups.end(), {option->get_group(), {}});
    group->options.push_back(describe(*option));
  }
  // The group "Options" holds those that are in no other group.
  std::ranges::stable_partition(groups, [](const OptionGroup& group) { return group.title != "Options"; });
  if (groups.empty() || groups.back().title != "Options") groups.push_back({"Options", {}});
  if (const CLI::Option* help = app.get_help_ptr(); help != nullptr) {
    groups.back().options.push_back(describe(*help));
    groups.back().options.back().text = "Show this help";
  }
  if (groups.size() > 1) groups.back().title = "Other options";
  if (!positionals.options.empty()) groups.insert(groups.begin(), std::move(positionals));
  return groups;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

const CLI::App* command_named(const CLI::App& app, const std::string& name) {
  const auto commands = commands_of(app);
  const auto found = std::ranges::find(commands, name, &CLI::App::get_name);
  return found == commands.end() ? nullptr : *found;
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

std::string usage_of(const CLI::App& app) {
  std::string usage = full_name(app);
  if (!commands_of(app).empty())
    return usage + (app.get_require_subcommand_min() == 0 ? " [COMMAND] [OPTIONS]" : " COMMAND [OPTIONS]");
  usage += " [OPTIONS]";
  for (const OptionGroup& group : option_groups(app)) {
    for (const OptionHelp& option : group.options) {
      if (option.positional)
        usage += option.option->get_required() ? " " + option.names : " [" + option.names + "]";
      else if (option.option->get_required())
        usage += fmt::format(" {} {}", option.names.substr(option.names.rfind(' ') + 1), option.value);
    }
  }
  return usage;
}

std::string summary_of(const CLI::App& app) {
  std::string summary = app.get_description();
  summary = summary.substr(0, summary.find('\n'));
  if (summary.ends_with('.')) summary.pop_back();
  return summary;
}

}  // namespace lanewise::cli
