#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/new_file.h"
#include "output/pager.h"

namespace lanewise::cli {

/// Where results go: standard output or a NewFile.
class OutputFile {
 public:
  /// Standard output.
  OutputFile();
  /// Throws UserError that names the path.
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  ///< without close(): the file is dropped

  /// Throws UserError when the disk is full, ClosedPipe when the reader has gone.
  /// Either throws CancelledError after Ctrl-C.
  void write(std::string_view text);
  void close();

  /// For standard output: text that is longer than the screen goes through a pager, up to the next close().
  /// ClosedPipe then says that the user left the pager early.
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

/// Before a command does its work: throws UserError if a result in the file `path` would destroy one of its
/// inputs or an index. An empty path is standard output.
void check_output(const std::string& path, const std::vector<std::string>& inputs);

/// Standard output is no longer read: the program ends quietly.
struct ClosedPipe {};

}  // namespace lanewise::cli
