#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "shell/highlight.h"

namespace lanewise::cli {

/// The completions of the word before the cursor: the typed prefix, and all candidates.
struct Completions {
  size_t begin = 0;
  std::vector<std::string> words;
};

/// Reads lines from a terminal, with history, completion and colours, by libedit.
class LineEditor {
 public:
  using Complete = std::function<Completions(const std::string& before_cursor)>;

  using HighlightLine = std::function<std::vector<Highlight>(const std::string& line)>;

  /// `history`: a file, read at once and written at the end; empty: none. `highlight`: empty for no colours.
  LineEditor(std::string history, Complete complete, HighlightLine highlight);
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;
  ~LineEditor();

  enum class Outcome { kLine, kCancelled, kEnd };  ///< kCancelled: Ctrl-C
  Outcome read(const std::string& prompt, std::string& line);
  /// Adds this text to the history, for the arrow keys and Ctrl-R.
  void remember(const std::string& text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lanewise::cli
