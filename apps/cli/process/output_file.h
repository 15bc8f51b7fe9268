#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/new_file.h"
#include "process/pager.h"

namespace lanewise::cli {

/// The destination of results: standard output or a NewFile.
class OutputFile {
 public:
  /// Standard output.
  OutputFile();
  /// Throws UserError that names the path.
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  ///< without close(): removes the file

  /// Throws UserError if the disk is full, ClosedPipe if the reader is gone, CancelledError after Ctrl-C.
  void write(std::string_view text);
  void close();

  /// For standard output: until the next close(), text that is longer than the screen goes through a pager.
  /// ClosedPipe then means that the user left it early.
  void page(bool on) { pages_ = on; }

 private:
  void flush();
  bool send();
  [[noreturn]] void fail() const;

  std::string path_;  // empty: standard output
  std::optional<NewFile> renamed_;
  std::FILE* file_;
  std::string pending_;
  bool pages_ = false;
  std::optional<Pager> pager_;
};

/// Throws UserError if a result in the file `path` would overwrite one of the inputs or an index. Commands
/// call it before they do their work. An empty path is standard output.
void check_output(const std::string& path, const std::vector<std::string>& inputs);

/// Standard output was closed by its reader: the program ends quietly.
struct ClosedPipe {};

}  // namespace lanewise::cli
