#include "grep/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace lanewise::cli::grep {

namespace {

constexpr std::string_view kMatch = "01;31";
constexpr std::string_view kName = "35";
constexpr std::string_view kNumber = "32";
constexpr std::string_view kSeparator = "36";

/// Where the line that holds text[at] ends.
size_t line_end(std::string_view text, size_t at) { return text.find('\n', at) + 1; }

/// Where the last `lines` lines of text[from, to) begin; sets `lines` to how many there are.
size_t last_lines(std::string_view text, size_t from, size_t to, uint64_t& lines) {
  uint64_t found = 0;
  while (found < lines && to > from) {
    const size_t newline =
        to - 1 > from ? text.substr(from, to - 1 - from).rfind('\n') : std::string_view::npos;
    to = newline == std::string_view::npos ? from : from + newline + 1;
    ++found;
  }
  lines = found;
  return to;
}

}  // namespace

Printer::Printer(const Options& options, const text::LineMatcher& matcher, OutputFile& out)
    : options_(options),
      matcher_(matcher),
      out_(out),
      before_(options.report == Report::kLines ? options.before.value_or(0) : 0),
      after_(options.report == Report::kLines ? options.after.value_or(0) : 0),
      context_(options.before || options.after),
      plain_(options.report == Report::kLines && !options.names && !options.numbers && !options.colours &&
             !context_ && options.most == kNoLimit) {}

void Printer::block(FileState& file, std::string_view text, const std::vector<lanes::Line>& matching) {
  if (file.binary && options_.binary == Binary::kSkip) file.done = true;
  if (file.done) return;
  if (options_.report != Report::kLines && options_.report != Report::kMatches) {
    return count(file, text, matching.size());
  }
  select(text, matching);
  if (plain_) {
    ranges(file, text);
  } else {
    lines(file, text);
  }
  if (options_.flush) out_.close();
}

void Printer::end(FileState& file) {
  switch (options_.report) {
    case Report::kCount:
      if (options_.names) prefix(file, ':');
      out_.write(fmt::format("{}\n", file.selected));
      break;
    case Report::kFilesWith:
    case Report::kFilesWithout:
      if ((file.selected > 0) == (options_.report == Report::kFilesWith)) {
        coloured(kName, file.name);
        out_.write(options_.null_names ? std::string_view("\0", 1) : "\n");
      }
      break;
    default:
      break;
  }
  if (options_.flush) out_.close();
}

void Printer::count(FileState& file, std::string_view text, uint64_t matching) {
  const uint64_t found = options_.invert ? lines_in(text) - matching : matching;
  const uint64_t selected = std::min(found, options_.most - file.selected);
  file.selected += selected;
  selected_ += selected;
  file.done = file.selected == options_.most || (file.selected > 0 && options_.report != Report::kCount);
}

/// Fills ranges_ with what is selected of the text.
void Printer::select(std::string_view text, const std::vector<lanes::Line>& matching) {
  if (!options_.invert) {
    ranges_ = matching;
    return;
  }
  ranges_.clear();
  uint32_t at = 0;
  for (const auto [begin, end] : matching) {
    if (begin > at) ranges_.push_back({at, begin});
    at = end;
  }
  if (text.size() > at) ranges_.push_back({at, static_cast<uint32_t>(text.size())});
}

void Printer::ranges(FileState& file, std::string_view text) {
  for (const auto [begin, end] : ranges_) {
    const std::string_view range = text.substr(begin, end - begin);
    const uint64_t found = options_.invert ? lines_in(range) : 1;
    file.selected += found;
    selected_ += found;
    if (is_binary(file, range)) return;
    out_.write(range);
  }
}

void Printer::lines(FileState& file, std::string_view text) {
  size_t at = 0;  // all before it is dealt with
  for (const auto [from, to] : ranges_) {
    for (size_t begin = from; begin < to;) {
      if (file.selected == options_.most) break;  // what follows is context at most
      const size_t end = line_end(text, begin);
      if (!after(file, text, at, begin)) return;
      gap(file, text, at, begin);
      if (file.done) return;
      ++file.selected;
      ++selected_;
      line(file, text.substr(begin, end - begin), true);
      if (file.done) return;
      file.after_left = after_;
      at = begin = end;
    }
  }
  if (!after(file, text, at, text.size())) return;
  file.done = file.selected == options_.most && file.after_left == 0;
  if (!file.done) keep(file, text, at);
}

/// Prints lines of text[at, to) that are context of what was selected before. False when the file is done.
bool Printer::after(FileState& file, std::string_view text, size_t& at, size_t to) {
  while (file.after_left > 0 && at < to) {
    const size_t end = line_end(text, at);
    line(file, text.substr(at, end - at), false);
    if (file.done) return false;
    --file.after_left;
    at = end;
  }
  return true;
}

/// Passes over the lines before the selected one at `to`: prints those that are its context.
void Printer::gap(FileState& file, std::string_view text, size_t at, size_t to) {
  keep(file, text.substr(0, to), at);
  if (context_ && printed_ && file.skipped) separator();
  file.skipped = false;
  for (size_t from = 0; from < file.carry.size() && !file.done;) {
    const size_t end = line_end(file.carry, from);
    line(file, std::string_view(file.carry).substr(from, end - from), false);
    from = end;
  }
  file.carry.clear();
  file.carried = 0;
}

/// Keeps the last lines behind `at`, which may be context of what comes.
void Printer::keep(FileState& file, std::string_view text, size_t at) {
  uint64_t kept = before_;
  const size_t start = last_lines(text, at, text.size(), kept);
  if (start > at) {
    file.skipped = true;
    if (options_.numbers) file.number += file.carried + lines_in(text.substr(at, start - at));
    file.carry.clear();
    file.carried = 0;
  }
  file.carry += text.substr(start);
  file.carried += kept;
  for (; file.carried > before_; --file.carried) {
    file.carry.erase(0, line_end(file.carry, 0));
    file.skipped = true;
    ++file.number;
  }
}

/// One line with its \n.
void Printer::line(FileState& file, std::string_view line, bool is_selected) {
  ++file.number;
  if (is_binary(file, line)) return;
  const bool holds_match = is_selected != options_.invert;
  const std::string_view body = line.substr(0, line.size() - 1);
  if (options_.report == Report::kMatches) {
    if (holds_match && is_selected) matches(file, body);
    return;
  }
  printed_ = true;
  prefix(file, is_selected ? ':' : '-');
  if (options_.colours && holds_match) {
    matches(file, body);
    out_.write("\n");
  } else {
    out_.write(line);
  }
}

/// The line with its matches in colour, or only them, each on a line.
void Printer::matches(const FileState& file, std::string_view line) {
  const bool only = options_.report == Report::kMatches;
  size_t written = 0;
  const auto found = [&](size_t begin, size_t end) {
    if (only) {
      printed_ = true;
      prefix(file, ':');
    } else {
      out_.write(line.substr(written, begin - written));
    }
    coloured(kMatch, line.substr(begin, end - begin));
    if (only) out_.write("\n");
    written = end;
  };
  if (matcher_.pattern().full_match()) {
    if (!line.empty()) found(0, line.size());
  } else {
    text::MatchFinder finder(matcher_.pattern(), line, captures_);
    text::Capture match;
    for (size_t from = 0; finder.next(from, {&match, 1});) {
      from = match.end;
      if (match.begin < match.end) {
        found(match.begin, match.end);
      } else {
        do ++from;
        while (from < line.size() && (line[from] & 0xC0) == 0x80);
      }
    }
  }
  if (!only) out_.write(line.substr(written));
}

void Printer::prefix(const FileState& file, char mark) {
  if (options_.names) {
    coloured(kName, file.name);
    if (options_.null_names) {
      out_.write(std::string_view("\0", 1));
    } else {
      coloured(kSeparator, {&mark, 1});
    }
  }
  if (options_.numbers) {
    coloured(kNumber, fmt::format_int(file.number).c_str());
    coloured(kSeparator, {&mark, 1});
  }
}

void Printer::separator() {
  coloured(kSeparator, "--");
  out_.write("\n");
}

void Printer::coloured(std::string_view colour, std::string_view text) {
  if (!options_.colours) return out_.write(text);
  out_.write("\33[");
  out_.write(colour);
  out_.write("m\33[K");
  out_.write(text);
  out_.write("\33[m\33[K");
}

/// Whether the text may not be shown. Then the file is done.
bool Printer::is_binary(FileState& file, std::string_view text) {
  if (options_.binary == Binary::kText) return false;
  if (!file.binary && text.find('\0') == std::string_view::npos) return false;
  if (options_.binary == Binary::kSay) out_.write(fmt::format("Binary file {} matches\n", file.name));
  file.done = true;
  return true;
}

uint64_t Printer::lines_in(std::string_view text) const {
  return lanes::count_lines(matcher_.target(), reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

}  // namespace lanewise::cli::grep
