#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "study/plot/plot.h"

namespace lanewise::cli::study {

using Json = nlohmann::ordered_json;

/// A table: its header, and rows of cells. All columns but the first are right-aligned.
struct Cells {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  bool numbers = true;  ///< false: all cells are text, left-aligned
};

/// The table without the columns, other than the first, that have only dashes.
Cells without_empty_columns(const Cells& cells);

/// An HTML page, written from top to bottom. Figures and tables are numbered.
class Page {
 public:
  Page(const std::string& title, const std::string& below);

  void chapter(const std::string& title);
  void section(const std::string& title);
  void text(const std::string& words);
  /// A warning.
  void warn(const std::string& words);
  /// A line of a decision tree: a question, or an answer below it.
  struct Branch {
    int depth;
    std::string words;
  };
  void tree(const std::vector<Branch>& branches);
  void table(const std::string& caption, const Cells& cells);
  /// The caption begins with the plot's title.
  template <class Plot>
  void figure(const Plot& plot, const std::string& caption) {
    add_figure(plot::draw(plot), plot.title, caption);
  }
  std::string finish();

 private:
  void add_figure(const std::string& svg, std::string title, const std::string& caption);

  std::string out_, contents_;
  int chapters_ = 0, figures_ = 0, tables_ = 0;
};

}  // namespace lanewise::cli::study
