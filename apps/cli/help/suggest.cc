#include "help/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "help/help.h"

namespace lanewise::cli {

namespace {

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string
/// alignment).
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> older(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], older[j - 2] + 1);
    }
    older.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const OptionGroup& group : option_groups(app)) {
    for (const OptionHelp& option : group.options) {
      for (const std::string& name : option.option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

std::vector<std::string> known_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

/// The command that the arguments select.
const CLI::App* chosen(const CLI::App* app) {
  const auto parsed = app->get_subcommands();
  return parsed.empty() ? app : chosen(parsed.front());
}

/// The error for an unexpected argument: "--formt", "x".
std::string unexpected(const CLI::App& command) {
  const std::vector<std::string> left = command.remaining();
  for (const std::string& word : left) {
    if (word.size() < 2 || word[0] != '-') continue;
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("there is no option '{}'{}", name, did_you_mean(name, option_names(command)));
  }
  const std::string word = left.empty() ? "" : left.back();
  std::string advice;
  if (command.get_option_no_throw("--command") != nullptr) {
    std::error_code ignored;
    if (word.find(' ') != std::string::npos)
      advice = "; put -c before the SQL";
    else if (std::filesystem::is_regular_file(word, ignored) && word.find('\'') == std::string::npos)
      advice = fmt::format("; query a file with -c \"FROM '{}'\"", word);
  }
  return fmt::format("unexpected argument '{}'{}", word, advice);
}

/// The library writes "--format: xml not in {table,csv}".
std::string unknown_value(const std::string& message) {
  const size_t colon = message.find(": "), in = message.find(" not in {");
  if (colon == std::string::npos || in == std::string::npos || !message.ends_with('}')) return message;
  const std::string value = message.substr(colon + 2, in - colon - 2);
  const std::string list = message.substr(in + 9, message.size() - in - 10);
  const std::vector<std::string> values = CLI::detail::split(list, ',');
  const std::string meant = did_you_mean(value, values);
  return fmt::format("{} cannot be '{}'{} {}", message.substr(0, colon), value,
                     meant.empty() ? "; choose" : meant + " Choose", fmt::join(values, ", "));
}

/// The library writes "--threads: Value 0 not in range 1 to 1024", and "0.000000" for a double.
std::string out_of_range(const std::string& message) {
  const size_t colon = message.find(": Value "), range = message.find(" not in range ");
  if (colon == std::string::npos || range == std::string::npos) return message;
  std::string bounds = message.substr(range + 14);
  for (size_t at; (at = bounds.find(".000000")) != std::string::npos;) bounds.erase(at, 7);
  return fmt::format("{} must be a number from {}, not '{}'", message.substr(0, colon), bounds,
                     message.substr(colon + 8, range - colon - 8));
}

/// The library names a positional argument in lower case: "data is required".
std::string missing(const CLI::App& command, const std::string& message) {
  const std::string name = message.substr(0, message.find(' '));
  for (const OptionGroup& group : option_groups(command)) {
    for (const OptionHelp& option : group.options) {
      if (option.positional && option.option->get_name(true, false) == name)
        return fmt::format("{} is missing; usage: {}", option.names, usage_of(command));
    }
  }
  return message;
}

}  // namespace

std::string closest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  size_t nearest = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(word, candidate);
    if (distance < nearest) {
      nearest = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string best = closest(word, candidates);
  return best.empty() ? "" : fmt::format("; did you mean '{}'?", best);
}

std::optional<ArgumentError> unknown_command(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    if (commands_of(*command).empty() || word == "manual") return std::nullopt;
    if (word.starts_with('-')) {
      if (command->get_option_no_throw(word) != nullptr) return std::nullopt;
      return ArgumentError{
          fmt::format("there is no option '{}'{}", word, did_you_mean(word, option_names(*command))),
          full_name(*command)};
    }
    const CLI::App* next = command_named(*command, word);
    if (next == nullptr && command->get_require_subcommand_min() == 0) return std::nullopt;  // an argument
    if (next == nullptr) {
      const std::string group = command == &app ? "" : command->get_name() + " ";
      const std::vector<std::string> known = known_commands(*command);
      std::string advice = did_you_mean(word, known);
      if (advice.empty() && command != &app) advice = fmt::format("; choose {}", fmt::join(known, ", "));
      return ArgumentError{fmt::format("there is no command '{}{}'{}", group, word, advice),
                           full_name(*command)};
    }
    command = next;
  }
  return std::nullopt;
}

ArgumentError explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = *chosen(&app);
  const std::string name = full_name(command), what = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return {unexpected(command), name};
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr)
    return {out_of_range(unknown_value(what)), name};
  if (what == "A subcommand is required")
    return {fmt::format("a command is missing: {}", fmt::join(known_commands(command), ", ")), name};
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return {missing(command, what), name};
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const size_t colon = what.find(": ");
    if (what.ends_with(" missing") && colon != std::string::npos)
      return {fmt::format("{} needs a value", what.substr(0, colon)), name};
    if (what.find("At Most 1") != std::string::npos && colon != std::string::npos)
      return {fmt::format("{} is given more than once", what.substr(0, colon)), name};
  }
  if (const size_t excludes = what.find(" excludes "); excludes != std::string::npos)
    return {fmt::format("{} and {} exclude each other", what.substr(0, excludes), what.substr(excludes + 10)),
            name};
  return {what, name};
}

}  // namespace lanewise::cli
