#include "help/help.h"
#include "output/display.h"

namespace lanewise::cli {

namespace {

void append_words(std::string_view line, int width, std::vector<std::string>& lines) {
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    if (word.empty()) continue;
    std::string& last = lines.back();
    if (last.empty()) {
      last = word;
    } else if (display_width(last) + 1 + display_width(word) <= width) {
      last.append(" ").append(word);
    } else {
      lines.emplace_back(word);
    }
  }
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines;
  bool joins = false;  // the next line continues a paragraph
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == ' ') {
      lines.emplace_back(line);
      joins = false;
      continue;
    }
    if (!joins) lines.emplace_back();
    append_words(line, width, lines);
    joins = !line.ends_with(':');
  }
  return lines;
}

}  // namespace lanewise::cli
