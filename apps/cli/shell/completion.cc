#include "shell/completion.h"

#include <strings.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "expr/function.h"
#include "expr/functions/functions.h"
#include "shell/statement_text.h"

namespace lanewise::cli {

namespace {

namespace fs = std::filesystem;

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
}

/// The strings of the first column; none if the query fails, since only a completion is then missing.
std::vector<std::string> texts(Session& session, const std::string& query) {
  std::vector<std::string> found;
  try {
    const StatementResult result = session.run(query, false);
    for (const Batch& batch : result.table.batches) {
      for (int64_t row = 0; row < batch.rows; ++row) {
        if (!batch.columns[0]->is_null(row)) found.emplace_back(batch.columns[0]->text(row));
      }
    }
  } catch (const std::exception&) {
  }
  return found;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// 'name.ext' in the text that is an existing file.
std::string file_in(const std::string& text) {
  std::string found;
  for (size_t open = text.find('\''); open != std::string::npos;) {
    const size_t close = text.find('\'', open + 1);
    if (close == std::string::npos) break;
    const std::string path = text.substr(open + 1, close - open - 1);
    std::error_code none;
    if (fs::is_regular_file(path, none)) found = path;
    open = text.find('\'', close + 1);
  }
  return found;
}

}  // namespace

std::vector<std::string> paths_that_begin(const std::string& start) {
  const size_t slash = start.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : start.substr(0, slash + 1);
  const std::string name = start.substr(folder.size());
  std::string place = folder.empty() ? "." : folder;
  const char* const home = std::getenv("HOME");
  if (place.starts_with("~/") && home != nullptr) place = home + place.substr(1);
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error)) {
    const std::string file = entry->path().filename().string();
    if (!file.starts_with(name) || (name.empty() && file.starts_with('.'))) continue;
    std::error_code none;
    found.push_back(folder + file + (entry->is_directory(none) ? "/" : ""));
  }
  std::ranges::sort(found);
  return found;
}

void Completion::learn(Session& session) {
  if (words_.empty()) {
    words_ = texts(
        session, "SELECT upper(keyword_name) FROM duckdb_keywords() WHERE keyword_category <> 'unreserved'");
    append(words_, texts(session,
                         "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN "
                         "('aggregate', 'table', 'macro') AND function_name ~ '^[a-z]\\w*$'"));
    for (const Function& function : functions()) {
      if (std::isalpha(static_cast<unsigned char>(function.name[0])) != 0) words_.emplace_back(function.name);
    }
  }
  if (names_known_) return;
  names_ = texts(session, "SELECT DISTINCT table_name FROM duckdb_columns() WHERE NOT internal");
  append(names_, texts(session, "SELECT DISTINCT column_name FROM duckdb_columns() WHERE NOT internal"));
  names_known_ = true;
}

std::vector<std::string> Completion::columns_of_files(Session& session, const std::string& text) {
  const std::string file = file_in(text);
  if (file != file_) {
    file_ = file;
    file_columns_.clear();
    if (!file.empty()) file_columns_ = texts(session, "DESCRIBE FROM '" + file + "'");
  }
  return file_columns_;
}

const Keywords& Completion::keywords(Session& session) {
  if (keywords_.empty()) {
    for (std::string& word : texts(session, "SELECT keyword_name FROM duckdb_keywords()"))
      keywords_.insert(std::move(word));
  }
  return keywords_;
}

Completions Completion::find(Session& session, const std::string& text, size_t line) {
  Completions found;
  size_t open = 0;
  if (in_string(text, open)) {
    if (open < line) return found;
    found.begin = open + 1 - line;
    found.words = paths_that_begin(text.substr(open + 1));
    return found;
  }
  size_t begin = text.size();
  while (begin > line && is_name(text[begin - 1])) --begin;
  const std::string word = text.substr(begin);
  if (word.empty()) return found;
  found.begin = begin - line;
  learn(session);
  std::vector<std::string> all = names_;
  append(all, columns_of_files(session, text));
  append(all, words_);
  for (const std::string& name : all) {
    if (name.size() >= word.size() && ::strncasecmp(name.c_str(), word.c_str(), word.size()) == 0)
      found.words.push_back(name);
  }
  // A keyword or function in the case of the typed word, so that candidates share a prefix.
  const bool lower = std::ranges::none_of(word, [](unsigned char c) { return std::isupper(c) != 0; });
  for (std::string& name : found.words) {
    if (std::ranges::find(words_, name) == words_.end()) continue;
    std::ranges::transform(name, name.begin(), [&](unsigned char c) { return lower ? std::tolower(c) : c; });
  }
  std::ranges::sort(found.words);
  const auto repeated = std::ranges::unique(found.words);
  found.words.erase(repeated.begin(), repeated.end());
  return found;
}

}  // namespace lanewise::cli
