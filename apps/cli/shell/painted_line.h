#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/highlight.h"

namespace lanewise::cli {

/// Where libedit draws a line: after a prompt of `prompt` cells, on a screen of `columns` by `rows` cells.
struct LinePlace {
  int prompt, columns, rows;
};

/// A cell, counted from the start of the prompt.
struct Cell {
  int row, column;
};

/// The cell of byte `at` of a line, which may be its end. Rows are wrapped as libedit wraps them.
Cell cell_of(std::string_view line, size_t at, const LinePlace& place);

/// The bytes that redraw the line in colours over libedit's, and return the cursor to byte `cursor`. Empty if
/// libedit does not draw character by character: control and combining characters, more rows than the screen
/// has.
std::string painted_line(std::string_view line, size_t cursor, const std::vector<Highlight>& highlights,
                         const LinePlace& place);

}  // namespace lanewise::cli
