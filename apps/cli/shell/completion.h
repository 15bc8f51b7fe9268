#pragma once

#include <string>
#include <vector>

#include "api/session.h"
#include "shell/highlight.h"
#include "shell/line_editor.h"

namespace lanewise::cli {

/// Completes SQL: keywords, functions, tables, their columns and those of files, and paths within quotes.
class Completion {
 public:
  /// `text`: the statement up to the cursor, all lines; the last one begins at `line`.
  Completions find(Session& session, const std::string& text, size_t line);
  const Keywords& keywords(Session& session);
  /// Tables and columns may have changed.
  void forget() { names_known_ = false; }

 private:
  void learn(Session& session);
  std::vector<std::string> columns_of_files(Session& session, const std::string& text);

  Keywords keywords_;
  std::vector<std::string> words_;  // keywords and functions
  std::vector<std::string> names_;  // tables and columns
  std::string file_;                // the last one whose columns were listed
  std::vector<std::string> file_columns_;
  bool names_known_ = false;
};

/// Files and folders with this prefix; folders end with '/'.
std::vector<std::string> paths_that_begin(const std::string& start);

}  // namespace lanewise::cli
