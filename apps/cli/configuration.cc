#include "configuration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "api/machine_profile.h"
#include "base/error.h"
#include "help/help.h"
#include "help/suggest.h"

namespace lanewise::cli {

namespace {

/// Empty: there is no file.
std::string configuration_path() {
  if (const char* chosen = std::getenv("LANEWISE_CONFIG"); chosen != nullptr) return chosen;
  const std::string profile = machine_profile_path();
  if (profile.empty()) return {};
  const std::filesystem::path path = std::filesystem::path(profile).replace_filename("config.toml");
  std::error_code failed;
  return std::filesystem::exists(path, failed) ? path.string() : "";
}

std::vector<CLI::ConfigItem> items_of(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed))
    throw UserError(fmt::format("the configuration file '{}' cannot be read", path));
  try {
    return CLI::ConfigTOML().from_file(path);
  } catch (const CLI::Error& error) {
    throw UserError(fmt::format("the configuration file '{}' cannot be read: {}", path, error.what()));
  }
}

CLI::App& section(CLI::App& app, const CLI::ConfigItem& item, const std::string& path) {
  CLI::App* command = &app;
  for (const std::string& word : item.parents) {
    std::vector<std::string> names;
    for (const CLI::App* known : commands_of(*command)) names.push_back(known->get_name());
    if (std::ranges::find(names, word) == names.end())
      throw UserError(fmt::format("{}: [{}] is not a command{}", path, fmt::join(item.parents, "."),
                                  did_you_mean(word, names)));
    command = command->get_subcommand(word);
  }
  return *command;
}

CLI::Option& option(CLI::App& command, const CLI::ConfigItem& item, const std::string& path) {
  CLI::Option* found = command.get_option_no_throw("--" + item.name);
  if (command.get_name() == "grep")
    throw UserError(
        fmt::format("{}: options of grep belong in the file that LANEWISE_GREP_CONFIG names", path));
  if (found != nullptr && found != command.get_help_ptr() && !item.parents.empty()) return *found;
  std::vector<std::string> names;
  for (const OptionGroup& group : option_groups(command)) {
    for (const OptionHelp& known : group.options) {
      const auto& longs = known.option->get_lnames();
      names.insert(names.end(), longs.begin(), longs.end());
    }
  }
  throw UserError(fmt::format("{}: '{}' is not an option of {}{}", path, item.name, full_name(command),
                              item.parents.empty()
                                  ? "; options stand in the section of their command, such as [sql]"
                                  : did_you_mean(item.name, names)));
}

}  // namespace

bool has_configuration() { return !configuration_path().empty(); }

void apply_configuration(CLI::App& app, const std::vector<std::string>& words) {
  const std::string path = configuration_path();
  if (path.empty()) return;
  for (const CLI::ConfigItem& item : items_of(path)) {
    // the library's marks of the begin and end of a section
    if (item.name == "++" || item.name == "--") continue;
    CLI::Option& chosen = option(section(app, item, path), item, path);
    const bool applies = words.size() >= item.parents.size() &&
                         std::equal(item.parents.begin(), item.parents.end(), words.begin());
    if (!applies) continue;
    if (item.inputs.size() != 1)
      throw UserError(fmt::format("{}: '{}' takes one value", path, item.fullname()));
    try {
      chosen.default_val(item.inputs[0]);
    } catch (const CLI::ParseError& error) {
      throw UserError(fmt::format("{}: {}", path, explain(app, error).message));
    }
  }
}

}  // namespace lanewise::cli
