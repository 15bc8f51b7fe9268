#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace lanewise::cli {

/// Where results go: standard output or a file. A file is written beside its final name and renamed by
/// close(), so that no half result is ever seen under it; what is not a regular file (a device, a pipe) is
/// written in place.
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
  void write(std::string_view text);
  void close();

 private:
  void flush();
  [[noreturn]] void fail() const;

  std::string path_;  // empty: standard output
  std::string temporary_;
  std::FILE* file_;
  std::string pending_;
};

/// Nobody reads standard output any more: the program ends quietly.
struct ClosedPipe {};

}  // namespace lanewise::cli
