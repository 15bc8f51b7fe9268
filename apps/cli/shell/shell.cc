#include "shell/shell.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "base/error.h"
#include "process/interrupt.h"
#include "process/print.h"
#include "process/terminal.h"
#include "shell/dot_commands.h"
#include "shell/statement_text.h"

namespace lanewise::cli {

namespace {

constexpr const char* kPrompt = "lanewise> ";
constexpr const char* kMorePrompt = "     ...> ";

std::string history_path() {
  if (const char* file = std::getenv("LANEWISE_HISTORY"); file != nullptr) return file;
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return std::string(state) + "/lanewise/history";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/.local/state/lanewise/history";
  return {};
}

/// The statement as one line of history. Line ends stay if a comment would hide the rest.
std::string joined(std::string text) {
  if (text.find("--") != std::string::npos) return text;
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

}  // namespace

Shell::Shell(SqlOptions options) : statements_(std::make_unique<SqlRun>(std::move(options))) {}

void Shell::run() {
  LineEditor::HighlightLine highlight_line;
  if (use_colours()) highlight_line = [this](const std::string& line) { return highlight(line); };
  editor_.emplace(
      history_path(), [this](const std::string& before) { return complete(before); }, highlight_line);
  const std::string& database = statements_->options().session.database;
  print_error("Lanewise {}, {}.\nEnd statements with ';'. Type .help for commands.\n", LANEWISE_VERSION,
              database.empty() ? "database in memory" : "database " + database);
  std::string line;
  while (!done_) {
    switch (editor_->read(pending_.empty() ? kPrompt : kMorePrompt, line)) {
      case LineEditor::Outcome::kCancelled:
        pending_.clear();
        break;
      case LineEditor::Outcome::kEnd:
        print_error("\n");
        return;
      case LineEditor::Outcome::kLine:
        take(line);
    }
  }
}

void Shell::take(const std::string& line) {
  if (pending_.empty() && line.starts_with('.')) {
    editor_->remember(line);
    try {
      run_dot_command(*this, line);
    } catch (const UserError& error) {
      print_error("error: {}\n", error.what());
    }
    return;
  }
  pending_ += (pending_.empty() ? "" : "\n") + line;
  if (is_blank(pending_)) {
    pending_.clear();
    return;
  }
  if (!ends_with_statement(pending_)) return;
  editor_->remember(joined(pending_));
  execute(std::exchange(pending_, {}));
}

void Shell::execute(const std::string& text) {
  try {
    const OnInterrupt stop([this] { statements_->cancel(); });
    const Interrupt interrupt(true);
    statements_->run_all(text, true);
  } catch (const CancelledError&) {
    print_error("cancelled\n");
  } catch (const UserError& error) {
    print_error("error: {}\n", error.what());
  }
  completion_.forget();
}

void Shell::reopen(const SqlOptions& options) {
  // A process cannot open a database file twice, so the old session ends first.
  const SqlOptions before = statements_->options();
  statements_ = nullptr;
  try {
    statements_ = std::make_unique<SqlRun>(options);
  } catch (const UserError&) {
    statements_ = std::make_unique<SqlRun>(before);
    throw;
  }
  completion_.forget();
}

std::vector<Highlight> Shell::highlight(const std::string& line) {
  if (pending_.empty() && line.starts_with('.')) return highlight_dot_command(line, dot_command_names());
  return highlight_sql(pending_.empty() ? "" : pending_ + "\n", line,
                       completion_.keywords(statements_->session()));
}

Completions Shell::complete(const std::string& before_cursor) {
  if (!pending_.empty() || !before_cursor.starts_with('.')) {
    const std::string text = pending_.empty() ? before_cursor : pending_ + "\n" + before_cursor;
    return completion_.find(statements_->session(), text, text.size() - before_cursor.size());
  }
  const size_t space = before_cursor.rfind(' ');
  if (space != std::string::npos) return {space + 1, paths_that_begin(before_cursor.substr(space + 1))};
  Completions found;
  for (const std::string& name : dot_command_names()) {
    if (name.starts_with(before_cursor)) found.words.push_back(name);
  }
  return found;
}

ExitCode run_shell(const SqlOptions& options) {
  SqlOptions paged = options;
  paged.page = true;
  Shell(paged).run();
  return kOk;
}

}  // namespace lanewise::cli
