#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "output/result_writer.h"
#include "process/output_file.h"
#include "process/progress.h"
#include "statements/options.h"
#include "statements/stdin_table.h"

namespace lanewise::cli {

/// Runs statements one after the other and writes their results.
class SqlRun {
 public:
  explicit SqlRun(SqlOptions options);
  SqlRun(const SqlRun&) = delete;
  SqlRun& operator=(const SqlRun&) = delete;
  ~SqlRun();

  void cancel() { session_->cancel(); }
  Session& session() { return *session_; }
  /// The options that may change between statements: style, timing, profile, explain.
  SqlOptions& options() { return options_; }
  /// Throws UserError for an unknown format, or one that a terminal cannot show.
  void set_format(const std::string& format);
  void set_style(const TextStyle& style);

  /// Runs all statements of a string. `more_follows`: columns are kept for later strings. Returns false if
  /// some failed, with --on-error continue.
  bool run_all(const std::string& text, bool more_follows = false);
  /// Whether nothing is left to do at the end: no statement changed a database, none failed, and no GPU was
  /// used.
  bool only_read() const { return only_read_ && options_.session.device == "cpu"; }

 private:
  bool run_or_report(const std::string& statement, size_t number, size_t count, bool more_follows);
  void run(const std::string& statement, bool is_last, bool more_follows);
  void run_at_once(const std::string& statement, bool more_follows);
  void run_as_stream(const std::string& statement, bool more_follows);
  void report(const StatementResult& result);
  void end_progress();
  void show(const std::function<void()>& print);
  Table converted(Table table);
  void write(ResultWriter& writer, const Batches& rows, OutputFile& out);
  void write_file(const Batches& rows);

  SqlOptions options_;
  std::string format_;
  std::optional<Session> session_;
  std::optional<StdinTable> stdin_table_;
  Progress progress_;
  bool only_read_ = true;
  std::atomic<bool> shows_progress_{false};  // false for the queries of completion
  std::unique_ptr<ResultWriter> writer_;
  OutputFile out_;
  std::optional<Table> last_;        // with -o: a result to be written at the end
  std::vector<std::string> inputs_;  // files that were read
};

}  // namespace lanewise::cli
