#include <fmt/format.h>

#include <algorithm>

#include "help/help.h"
#include "output/display.h"
#include "process/terminal.h"

namespace lanewise::cli {

namespace {
constexpr int kIndent = 2;
}

int help_width() { return std::clamp(terminal_width(), 40, kHelpWidth); }

std::string entry(const std::string& name, const std::string& text, int column, int width) {
  std::string out(kIndent, ' ');
  out += name;
  int at = kIndent + display_width(name);
  if (at + 2 > column) {
    out += '\n';
    at = 0;
  }
  for (const std::string& line : wrap(text, width - column)) {
    out += fmt::format("{:{}}{}\n", "", column - at, line);
    at = 0;
  }
  return out;
}

namespace {

constexpr int kColumn = 26;  // column where descriptions begin

std::string options_text(const OptionGroup& group, int width) {
  std::string out = fmt::format("\n{}:\n", group.title);
  for (const OptionHelp& option : group.options) {
    const bool attached = option.value.starts_with("[=");
    const std::string name =
        option.value.empty() ? option.names : option.names + (attached ? "" : " ") + option.value;
    out += entry(name, option.text, std::min(kColumn, width / 3), width);
  }
  return out;
}

std::string commands_text(const CLI::App& app, int width) {
  const auto commands = commands_of(app);
  if (commands.empty()) return {};
  size_t longest = 0;
  for (const CLI::App* command : commands) longest = std::max(longest, command->get_name().size());
  const int column = kIndent + static_cast<int>(longest) + 2;
  std::string out = "\nCommands:\n";
  for (const CLI::App* command : commands)
    out += entry(command->get_name(), summary_of(*command), column, width);
  return out;
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const {
  const int width = help_width();
  std::string out;
  for (const std::string& line : wrap(app->get_description(), width)) out += line + "\n";
  if (!out.ends_with("\n\n")) out += "\n";
  out += fmt::format("Usage: {}\n", usage_of(*app));
  const std::vector<OptionGroup> options = option_groups(*app);
  const bool commands_first = app->get_parent() == nullptr;
  if (commands_first) out += commands_text(*app, width);
  for (const OptionGroup& group : options) out += options_text(group, width);
  if (!commands_first) out += commands_text(*app, width);
  if (!app->get_footer().empty()) out += "\n" + app->get_footer() + "\n";
  return out;
}

}  // namespace lanewise::cli
