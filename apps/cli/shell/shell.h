#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "process/exit_code.h"
#include "shell/completion.h"
#include "statements/run.h"

namespace lanewise::cli {

/// The interactive shell: statements that end with ';', and commands that begin with a dot.
class Shell {
 public:
  explicit Shell(SqlOptions options);
  void run();

  SqlRun& statements() { return *statements_; }
  /// Runs statements; an error or Ctrl-C ends the statement, not the shell.
  void execute(const std::string& text);
  /// Starts a new session with these options. If it throws UserError, nothing changes.
  void reopen(const SqlOptions& options);
  void quit() { done_ = true; }

 private:
  void take(const std::string& line);
  std::vector<Highlight> highlight(const std::string& line);
  Completions complete(const std::string& before_cursor);

  std::unique_ptr<SqlRun> statements_;
  Completion completion_;
  std::string pending_;  // the lines of an incomplete statement
  std::optional<LineEditor> editor_;
  bool done_ = false;
};

ExitCode run_shell(const SqlOptions& options);

}  // namespace lanewise::cli
