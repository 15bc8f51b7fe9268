#include "shell/dot_commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/error.h"
#include "help/help.h"
#include "help/suggest.h"
#include "input/read_file.h"
#include "output/format.h"
#include "process/print.h"

namespace lanewise::cli {

namespace {

struct DotCommand {
  std::string name;
  std::string argument;
  std::string help;
  std::function<void(Shell&, const std::string&)> run;
};
const std::vector<DotCommand>& dot_commands();

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t;") + 1 - begin);
}

std::string sql_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
  return out + "'";
}

/// For a table name with or without its schema.
std::string sql_name(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '.') {
      out += "\".\"";
    } else {
      out.append(c == '"' ? 2 : 1, c);
    }
  }
  return out + "\"";
}

[[noreturn]] void reject(const std::string& command, const std::string& value,
                         const std::vector<std::string>& values) {
  throw UserError(fmt::format("{} cannot be '{}'{}; choose {}", command, value, did_you_mean(value, values),
                              fmt::join(values, ", ")));
}

/// Without an argument the switch is toggled.
void set_switch(const std::string& command, bool& on, const std::string& value) {
  if (!value.empty() && value != "on" && value != "off") reject(command, value, {"on", "off"});
  on = value.empty() ? !on : value == "on";
  print_error("{} {}\n", command.substr(1), on ? "on" : "off");
}

void show_help(Shell&, const std::string&) {
  print_error("Statements end with ';'. Tab completes, Ctrl-R searches the history, Ctrl-C cancels.\n\n");
  for (const DotCommand& command : dot_commands()) {
    const std::string name = command.name + (command.argument.empty() ? "" : " " + command.argument);
    print_error("{}", entry(name, command.help, std::min(34, help_width() / 2), help_width()));
  }
}

void show_tables(Shell& shell, const std::string&) {
  shell.execute(
      "SELECT schema_name AS schema, table_name AS name, 'table' AS kind, estimated_size AS \"rows\" FROM "
      "duckdb_tables() WHERE NOT internal UNION ALL SELECT schema_name, view_name, 'view', NULL FROM "
      "duckdb_views() "
      "WHERE NOT internal ORDER BY ALL");
}

/// The name of a table or file, quoted for SQL. Throws UserError without the statement, which the user did
/// not type.
std::string existing(Session& session, const std::string& name) {
  std::string reason;
  for (const std::string& spelled : {sql_name(name), sql_text(name)}) {
    try {
      session.run("DESCRIBE FROM " + spelled);
      return spelled;
    } catch (const UserError& error) {
      reason = error.what();
    }
    if (name.find_first_of("./*") == std::string::npos) break;  // not a file
  }
  throw UserError(reason.substr(0, reason.find("\n\nLINE ")));
}

void show_schema(Shell& shell, const std::string& name) {
  if (!name.empty()) {
    const std::string spelled = existing(shell.statements().session(), name);
    shell.execute(
        "SELECT column_name AS name, column_type AS type, \"null\" = 'YES' AS nullable FROM (DESCRIBE FROM " +
        spelled + ")");
    return;
  }
  shell.execute(
      "SELECT table_name AS \"table\", column_name AS name, data_type AS type, is_nullable AS nullable FROM "
      "duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index");
}

void set_mode(Shell& shell, const std::string& mode) {
  if (mode.empty()) {
    const std::string& now = shell.statements().options().format;
    print_error("{}\n", now.empty() ? "table" : now);
    return;
  }
  const std::vector<std::string> modes{"table", "csv", "json", "ndjson", "markdown"};
  if (std::ranges::find(modes, mode) == modes.end()) reject(".mode", mode, modes);
  shell.statements().set_format(mode);
}

void set_rows(Shell& shell, const std::string& number) {
  TextStyle style = shell.statements().options().style;
  size_t end = 0;
  try {
    style.max_rows = std::stoll(number, &end);
  } catch (const std::exception&) {  // not a number
  }
  if (number.empty() || end != number.size() || *style.max_rows < 0)
    throw UserError(fmt::format(".rows needs a number, 0 for all rows; found '{}'", number));
  shell.statements().set_style(style);
}

void set_explain(Shell& shell, const std::string& value) {
  std::string& explain = shell.statements().options().explain;
  if (!value.empty() && value != "on" && value != "off" && value != "kernels")
    reject(".explain", value, {"on", "off", "kernels"});
  const bool on = value.empty() ? explain.empty() : value != "off";
  explain = !on ? "" : value == "kernels" ? "kernels" : "plan";
  print_error("explain {}\n", on ? value == "kernels" ? "kernels" : "on" : "off");
}

void read_statements(Shell& shell, const std::string& path) {
  if (path.empty() || path == "-") throw UserError(".read needs the name of a file");
  shell.execute(read_file(path));
}

void open_database(Shell& shell, const std::string& path) {
  SqlOptions options = shell.statements().options();
  options.session.database = path;
  shell.reopen(options);
}

/// A session cannot change its device, and a database in memory ends with the session.
void set_device(Shell& shell, const std::string& device) {
  SqlOptions options = shell.statements().options();
  if (device.empty()) {
    print_error("{}\n", options.session.device);
    return;
  }
  const StatementResult tables =
      shell.statements().session().run("SELECT count(*) AS n FROM duckdb_tables() WHERE NOT internal");
  if (options.session.database.empty() &&
      tables.table.batches.at(0).columns.at(0)->value(0).to_string() != "0")
    throw UserError(
        ".device begins a new session, which would lose the tables in memory; use .open FILE first");
  options.session.device = device;
  shell.reopen(options);
}

const std::vector<DotCommand>& dot_commands() {
  static const std::vector<DotCommand> all{
      {".help", "", "Show these commands", show_help},
      {".tables", "", "List tables and views", show_tables},
      {".schema", "[NAME]", "List columns of a table, a file or all tables", show_schema},
      {".mode", "[FORMAT]", "Format: table, csv, json, ndjson or markdown", set_mode},
      {".rows", "N", "Show at most N rows of a table, 0: all", set_rows},
      {".timer", "[on|off]", "Show the time of each statement",
       [](Shell& shell, const std::string& value) {
         set_switch(".timer", shell.statements().options().timing, value);
       }},
      {".profile", "[on|off]", "Show rows, time and lane occupancy of operators",
       [](Shell& shell, const std::string& value) {
         set_switch(".profile", shell.statements().options().profile, value);
       }},
      {".pager", "[on|off]", "Show long results in $PAGER or less",
       [](Shell& shell, const std::string& value) {
         set_switch(".pager", shell.statements().options().page, value);
       }},
      {".explain", "[on|off|kernels]", "Show plans instead of results", set_explain},
      {".read", "FILE", "Run the statements of a file", read_statements},
      {".open", "[FILE]", "Open a database; without FILE, one in memory", open_database},
      {".device", "[cpu|cuda|cuda:N|auto]", "Show or set the device, in a new session", set_device},
      {".quit", "", "Leave the shell, as Ctrl-D does",
       [](Shell& shell, const std::string&) { shell.quit(); }},
  };
  return all;
}

}  // namespace

std::vector<std::string> dot_command_names() {
  std::vector<std::string> names;
  for (const DotCommand& command : dot_commands()) names.push_back(command.name);
  return names;
}

void run_dot_command(Shell& shell, const std::string& line) {
  const size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string name = trimmed(line.substr(0, end)) == ".exit" ? ".quit" : trimmed(line.substr(0, end));
  const auto command = std::ranges::find(dot_commands(), name, &DotCommand::name);
  if (command == dot_commands().end()) {
    const std::string mean = did_you_mean(name, dot_command_names());
    throw UserError(fmt::format("there is no command '{}'{}", name, mean.empty() ? "; see .help" : mean));
  }
  std::string argument = trimmed(line.substr(end));
  if (argument.size() > 1 && argument.front() == '\'' && argument.back() == '\'')
    argument = argument.substr(1, argument.size() - 2);
  command->run(shell, argument);
}

}  // namespace lanewise::cli
