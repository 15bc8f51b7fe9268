#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

/// Help, manual pages and completions, made from the CLI::App. docs/use/reference/commands.md is generated
/// from it.
namespace lanewise::cli {

/// The greatest length of a line of help.
inline constexpr int kHelpWidth = 100;

/// The help of a command: description, usage, options, and one line for each subcommand.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// An option as help shows it.
struct OptionHelp {
  const CLI::Option* option;
  std::string names;  ///< "-o, --output"; of a positional its type in capitals
  std::string value;  ///< "FILE"; empty: a flag
  std::string text;
  bool positional;
};
/// The options that users see, in the order of their groups; positional ones first.
struct OptionGroup {
  std::string title;
  std::vector<OptionHelp> options;
};
std::vector<OptionGroup> option_groups(const CLI::App& app);
/// The subcommands that users see.
std::vector<const CLI::App*> commands_of(const CLI::App& app);
/// The subcommand of this name; null: there is none.
const CLI::App* command_named(const CLI::App& app, const std::string& name);
/// "lanewise index build".
std::string full_name(const CLI::App& app);
/// "lanewise index build [OPTIONS] DATA".
std::string usage_of(const CLI::App& app);
/// The first sentence of a description, without its full stop.
std::string summary_of(const CLI::App& app);

/// Columns of help on this terminal.
int help_width();
/// "  name   text": the text is wrapped next to the name, or below it if the name is too long.
std::string entry(const std::string& name, const std::string& text, int column, int width);

/// The text with ASCII letters in upper case.
std::string upper(std::string text);
/// The text with ASCII letters in lower case.
std::string lower(std::string text);

/// `text` in lines of at most `width` columns. Lines that begin with a space stay as they are; others are
/// joined.
std::vector<std::string> wrap(std::string_view text, int width);

}  // namespace lanewise::cli
