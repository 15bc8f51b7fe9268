#pragma once

#include <string>

namespace lanewise::cli {

bool stdout_is_terminal();
bool stderr_is_terminal();
bool stdin_is_terminal();
/// Columns of the terminal, else of $COLUMNS, else 120.
int terminal_width();
/// Lines of the terminal, else 24.
int terminal_height();
/// Whether standard output is a terminal, not dumb, and $NO_COLOR is unset or empty.
bool use_colours();

}  // namespace lanewise::cli
