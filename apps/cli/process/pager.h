#pragma once

#include <signal.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace lanewise::cli {

/// A program that shows long text screen by screen: $PAGER, or less if it is installed. It handles Ctrl-C
/// itself.
class Pager {
 public:
  /// Whether standard output is a terminal with fewer lines than the text, and there is a pager.
  static bool helps(std::string_view text);

  Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;
  ~Pager();  ///< waits until the user leaves it

  std::FILE* file() const { return file_; }

 private:
  std::string command_;
  std::FILE* file_;
  struct sigaction interrupt_{};
};

}  // namespace lanewise::cli
