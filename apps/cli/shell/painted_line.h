#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/highlight.h"

namespace lanewise::cli {

/// Where libedit shows a line: after a prompt of `prompt` cells, on a screen of `columns` by `rows` cells.
struct LinePlace {
  int prompt, columns, rows;
};

/// A cell, counted from the beginning of the prompt.
struct Cell {
  int row, column;
};

/// The cell of byte `at` of a line, which may be its end. Rows are wrapped as libedit wraps them.
Cell cell_of(std::string_view line, size_t at, const LinePlace& place);

/// What writes the line once more, in colours, over the one that libedit has drawn, and returns the cursor to
/// byte `cursor`. Empty where libedit draws otherwise than character by character: control and combining
/// characters, more rows than the screen has.
std::string painted_line(std::string_view line, size_t cursor, const std::vector<Highlight>& highlights,
                         const LinePlace& place);

}  // namespace lanewise::cli
