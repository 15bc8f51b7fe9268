#include "help/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "help/help.h"
#include "help/topics.h"

namespace lanewise::cli {

namespace {

/// Text of a page, escaped: backslashes, minus signs, and leading dots and quotes are special to roff.
std::string escaped(std::string_view text) {
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

/// Paragraphs, and indented lines unchanged.
std::string paragraphs(std::string_view text) {
  std::string out;
  bool literal = false;
  for (const std::string& line : wrap(text, 1 << 20)) {
    const bool indented = line.starts_with(' ');
    if (line.empty() && literal) {
      out += "\n";
      continue;
    }
    if (indented != literal && !line.empty()) out += (literal = indented) ? ".PP\n.nf\n" : ".fi\n";
    if (line.empty())
      out += ".PP\n";
    else
      out += escaped(line) + "\n";
  }
  return out + (literal ? ".fi\n" : "");
}

std::string options(const CLI::App& command, const char* macro) {
  std::string out;
  for (const OptionGroup& group : option_groups(command)) {
    const bool section = std::string_view(macro) == ".SH";
    out += fmt::format("{} \"{}\"\n", macro, section ? upper(group.title) : group.title);
    for (const OptionHelp& option : group.options) {
      out += fmt::format(".TP\n\\fB{}\\fR", escaped(option.names));
      const bool attached = option.value.starts_with("[=");
      if (!option.value.empty())
        out += fmt::format("{}\\fI{}\\fR", attached ? "" : " ", escaped(option.value));
      out += "\n" + escaped(option.text) + "\n";
    }
  }
  return out;
}

std::string dashed(std::string name) {
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string subcommands(const CLI::App& command, bool pages) {
  const auto all = commands_of(command);
  if (all.empty()) return {};
  std::string out = ".SH COMMANDS\n";
  for (const CLI::App* sub : all) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}.\n", sub->get_name(), escaped(summary_of(*sub)));
    if (pages) out += fmt::format("See \\fB{}\\fR(1).\n", escaped(dashed(full_name(*sub))));
  }
  if (pages) return out;
  for (const CLI::App* sub : all) {
    out += fmt::format(".SH \"{}\"\n", escaped(upper(full_name(*sub).substr(9))));
    out += paragraphs(sub->get_description()) + ".PP\n\\fB" + escaped(usage_of(*sub)) + "\\fR\n";
    out += options(*sub, ".SS");
  }
  return out;
}

}  // namespace

std::string manual_of(const CLI::App& command) {
  const bool root = command.get_parent() == nullptr;
  const std::string name = dashed(full_name(command));
  std::string out = fmt::format(".TH {} 1 \"\" \"Lanewise {}\" \"User Commands\"\n", upper(escaped(name)),
                                LANEWISE_VERSION);
  std::string summary = root ? summary_of(command).substr(9) : summary_of(command);
  summary.replace(0, 1, lower(summary.substr(0, 1)));  // as usual in this section
  out += fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(summary));
  out += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR\n", escaped(usage_of(command)));
  out += ".SH DESCRIPTION\n" + paragraphs(command.get_description());
  if (root) out += subcommands(command, true);
  out += options(command, ".SH");
  if (!root) return out + subcommands(command, false) + ".SH \"SEE ALSO\"\n\\fBlanewise\\fR(1)\n";
  for (const Topic& topic : topics())
    out += fmt::format(".SH \"{}\"\n{}", upper(topic.name == "exit-codes" ? "exit status" : topic.name),
                       paragraphs(topic.text));
  return out;
}

}  // namespace lanewise::cli
