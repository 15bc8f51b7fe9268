#include "shell/painted_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cwchar>
#include <functional>
#include <iterator>

namespace lanewise::cli {

namespace {

/// Bold, and three colours of medium lightness: readable on light and dark backgrounds.
const char* escape(Highlight highlight) {
  switch (highlight) {
    case Highlight::kKeyword:
      return "\x1b[0;1m";
    case Highlight::kString:
      return "\x1b[0;32m";
    case Highlight::kNumber:
      return "\x1b[0;35m";
    case Highlight::kComment:
      return "\x1b[0;2m";
    case Highlight::kOpen:
      return "\x1b[0;1;31m";
    case Highlight::kPlain:
      break;
  }
  return "\x1b[0m";
}

/// Calls visit(begin, length, cell, cells) for each character; cells < 0: it cannot be placed. Returns the
/// cell after the last one. Follows libedit's refresh.c.
Cell lay_out(std::string_view line, const LinePlace& place,
             const std::function<void(size_t, size_t, Cell, int)>& visit) {
  Cell next{0, place.prompt};
  const auto advance = [&](int cells) {
    next.column += cells;
    if (next.column >= place.columns) next = {next.row + 1, 0};
  };
  std::mbstate_t state{};
  for (size_t at = 0; at < line.size();) {
    wchar_t character = 0;
    const size_t read = std::mbrtowc(&character, line.data() + at, line.size() - at, &state);
    const size_t length = read == 0 || read > line.size() - at ? 1 : read;
    int cells = length == read ? ::wcwidth(character) : -1;
    if (character == L'\t') cells = 8 - next.column % 8;
    if (character == L'\n') cells = 0;
    if (cells == 2 && next.column + cells > place.columns) next = {next.row + 1, 0};
    visit(at, length, next, cells == 0 && character != L'\n' ? -1 : cells);
    if (character == L'\t') cells = std::min(cells, place.columns - next.column);
    if (character == L'\n') {
      next = {next.row + 1, 0};
    } else {
      advance(std::max(cells, 0));
    }
    at += length;
  }
  return next;
}

void move(std::string& out, Cell from, Cell to) {
  out += '\r';
  const int down = to.row - from.row;
  if (down != 0) fmt::format_to(std::back_inserter(out), "\x1b[{}{}", std::abs(down), down > 0 ? 'B' : 'A');
  if (to.column > 0) fmt::format_to(std::back_inserter(out), "\x1b[{}C", to.column);
}

}  // namespace

Cell cell_of(std::string_view line, size_t at, const LinePlace& place) {
  Cell found{0, 0};
  const Cell end = lay_out(line, place, [&](size_t begin, size_t, Cell cell, int) {
    if (begin == at) found = cell;
  });
  return at < line.size() ? found : end;
}

std::string painted_line(std::string_view line, size_t cursor, const std::vector<Highlight>& highlights,
                         const LinePlace& place) {
  std::string out;
  Cell now = cell_of(line, cursor, place);
  const Cell back = now;
  bool placed = true;
  Highlight shown = Highlight::kPlain;
  move(out, now, {0, place.prompt});
  now = {0, place.prompt};
  const Cell end = lay_out(line, place, [&](size_t begin, size_t length, Cell cell, int cells) {
    placed &= cells >= 0;
    if (cells <= 0) return;
    if (cell.row != now.row) move(out, now, cell);
    now.row = cell.row;
    if (highlights[begin] != shown) out += escape(shown = highlights[begin]);
    if (line[begin] == '\t') {
      out.append(static_cast<size_t>(std::min(cells, place.columns - cell.column)), ' ');
    } else {
      out += line.substr(begin, length);
    }
  });
  if (!placed || end.row >= place.rows || line.empty()) return {};
  if (shown != Highlight::kPlain) out += escape(Highlight::kPlain);
  move(out, now, back);
  return out;
}

}  // namespace lanewise::cli
