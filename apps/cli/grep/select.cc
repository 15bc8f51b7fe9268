#include "grep/select.h"

#include <algorithm>
#include <cstring>

namespace lanewise::cli::grep {

namespace {

constexpr size_t kLookAhead = 128;  // bytes after a group of lines that are read when it is searched again

}  // namespace

Selector::Selector(const Options& options, Reporter& report, Out& out, lanes::Target target)
    : options_(options),
      report_(report),
      out_(out),
      target_(target),
      gaps_(options.before > 0 || options.after > 0) {}

void Selector::block(FileState& file, const Searched& block, const std::vector<lanes::Line>& matching,
                     bool groups) {
  if (file.done) return;
  block_ = &block;
  at_ = counted_ = 0;
  const size_t end = stop_at(file, block, groups);
  const bool inverted = options_.invert;
  if (inverted) {
    invert(block.text, matching);
  } else {
    ranges_ = matching;
  }
  file.searched += std::min(end, block.text.size() - block.added_end);
  if (report_.counts_only() && !groups) {
    count(file, end);
  } else if (report_.writes_plain() && !groups && !nul_ && !block.nul && !(file.mapped && any_nul(end))) {
    plain(file, block.text, end);
  } else {
    lines(file, end, groups && !inverted);
  }
  if (nul_ && !file.nul && !file.done) file.nul = nul_;
  if (end < block.text.size()) file.done = true;
  if (!file.done && end == block.text.size()) count_lines_to(file, block.text.size());
  file.offset += block.text.size();
  if (options_.flush) out_.flush();
}

/// The end of the text to search, which depends on the action at a NUL byte. Sets nul_ and nul_from_.
size_t Selector::stop_at(FileState& file, const Searched& block, bool groups) {
  nul_.reset();
  nul_from_ = block.text.size();
  const uint64_t size = block.text.size(), begin = file.offset;
  if (file.at_nul == AtNul::kNothing) return size;
  if (file.nul) {
    nul_ = file.nul, nul_from_ = 0;
    return size;
  }
  if (file.mapped || groups) {
    const bool seen = begin == 0 && block.nul && *block.nul < kWindow;
    if (seen) nul_ = file.nul = block.nul, nul_from_ = 0;
    return seen && file.at_nul == AtNul::kStop ? 0 : size;
  }
  const uint64_t nul = block.nul ? begin + *block.nul : UINT64_MAX;
  // Buffers as in ripgrep: each begins after the last whole line of the one before. The first has three
  // bytes, for a byte order mark.
  if (begin == 0 && size >= 3 && !file.transcoded) {
    const auto* newline = static_cast<const char*>(memrchr(block.text.data(), options_.line_end, 3));
    if (newline != nullptr && nul >= 3) file.window = static_cast<uint64_t>(newline - block.text.data()) + 1;
  }
  for (uint64_t room = kWindow;;) {
    const uint64_t end = file.window + room;
    if (nul < end || end > begin + size) break;
    if (end <= begin) {
      room *= 2;
      continue;
    }
    const char* from = block.text.data() + (std::max(file.window, begin) - begin);
    const auto* newline = static_cast<const char*>(
        memrchr(from, options_.line_end, static_cast<size_t>(end - std::max(file.window, begin))));
    if (newline == nullptr) {
      room *= 2;
    } else {
      file.window = begin + static_cast<uint64_t>(newline - block.text.data()) + 1;
      room = kWindow;
    }
  }
  if (!block.nul) return size;
  nul_ = nul;
  nul_from_ = static_cast<size_t>(std::max(file.window, begin) - begin);
  return file.at_nul == AtNul::kStop ? nul_from_ : size;
}

/// Fills ranges_ with the lines without a match.
void Selector::invert(std::string_view text, const std::vector<lanes::Line>& matching) {
  ranges_.clear();
  uint32_t at = 0;
  for (const auto [begin, end] : matching) {
    if (begin > at) ranges_.push_back({at, begin});
    at = end;
  }
  if (text.size() > at) ranges_.push_back({at, static_cast<uint32_t>(text.size())});
}

size_t Selector::line_end(size_t at) const { return block_->text.find(options_.line_end, at) + 1; }

void Selector::count(FileState& file, size_t end) {
  uint64_t found = 0;
  if (!options_.invert) {
    found = static_cast<uint64_t>(
        std::ranges::count_if(ranges_, [&](const auto& line) { return line.begin < end; }));
  } else {
    for (const auto [begin, last] : ranges_) {
      if (begin >= end) break;
      const std::string_view range = block_->text.substr(begin, std::min<size_t>(last, end) - begin);
      found += options_.line_end == '\n'
                   ? lanes::count_lines(target_, reinterpret_cast<const uint8_t*>(range.data()), range.size())
                   : static_cast<uint64_t>(std::ranges::count(range, options_.line_end));
    }
  }
  file.selected += std::min(found, options_.most - file.selected);
  const bool all = options_.report == Report::kCount || options_.report == Report::kFilesWithout;
  file.done = file.selected == options_.most || (file.selected > 0 && !all);
}

/// Whether a selected line contains a NUL byte.
bool Selector::any_nul(size_t end) const {
  return std::ranges::any_of(ranges_, [&](const lanes::Line& line) {
    return line.begin < end &&
           block_->text.substr(line.begin, line.end - line.begin).find('\0') != std::string_view::npos;
  });
}

void Selector::plain(FileState& file, std::string_view text, size_t end) {
  size_t from = 0, to = 0;  // not yet written
  for (const auto [begin, last] : ranges_) {
    if (begin >= end) break;
    ++file.selected;
    const size_t until = std::min<size_t>(last, end);
    if (begin != to) {
      out_.write(text.substr(from, to - from));
      from = begin;
    }
    to = until;
  }
  out_.write(text.substr(from, to - from));
}

void Selector::lines(FileState& file, size_t end, bool groups) {
  size_t searched = 0;  // after the last selected line
  const auto stop = [&] {
    file.done = true;
    searched = std::min(searched, block_->text.size() - block_->added_end);
    file.searched = file.mapped || groups ? file.offset + searched : file.window;  // as ripgrep counts
  };
  for (const auto [from, to] : ranges_) {
    if (from >= end) break;
    const size_t last = std::min<size_t>(to, end);
    for (size_t begin = from; begin < last;) {
      const size_t until = groups ? last : line_end(begin);
      const bool more = select(file, begin, until);
      if (at_ == until) searched = until;
      if (!more) return stop();
      begin = until;
    }
  }
  if (!context_until(file, end)) return stop();
  hold(file, end);
}

/// Returns false if the file is done.
bool Selector::select(FileState& file, size_t begin, size_t end) {
  if (!context_until(file, begin) || !before(file, begin)) return false;
  const bool more = sink(file, begin, end, false, false);
  at_ = end;
  return more;
}

/// Prints the context after earlier lines, up to `to`; with --passthru all lines.
bool Selector::context_until(FileState& file, size_t to) {
  while (at_ < to && (options_.passthru || file.after_left > 0)) {
    const size_t end = line_end(at_);
    const bool more = sink(file, at_, end, true, !options_.passthru);
    at_ = end;
    if (!more) return false;
  }
  return true;
}

/// Prints the context before the selected line at `to`.
bool Selector::before(FileState& file, size_t to) {
  hold(file, to);
  if (nul_ && !file.nul && to >= nul_from_) file.nul = nul_;  // ripgrep notices it when it prints context
  while (!file.held.empty()) {
    const HeldLine line = std::move(file.held.front());
    file.held.pop_front();
    if (!sink_held(file, line)) return false;
  }
  return true;
}

/// Keeps the last lines of [at_, end), which may become context.
void Selector::hold(FileState& file, size_t end) {
  if (options_.before == 0 || options_.passthru || at_ >= end) {
    at_ = std::max(at_, end);
    return;
  }
  size_t first = end;
  for (uint64_t lines = 0; lines < options_.before && first > at_; ++lines) {
    const size_t newline = first - at_ < 2
                               ? std::string_view::npos
                               : block_->text.substr(at_, first - 1 - at_).rfind(options_.line_end);
    first = newline == std::string_view::npos ? at_ : at_ + newline + 1;
  }
  if (first > at_) file.held.clear();
  while (first < end) {
    const size_t last = line_end(first);
    count_lines_to(file, first);
    const bool cut = block_->added_end && last == block_->text.size();
    file.held.push_back(
        {std::string(block_->text.substr(first, last - first - cut)), file.offset + first, file.number + 1});
    if (file.held.size() > options_.before) file.held.pop_front();
    first = last;
  }
  at_ = end;
}

void Selector::count_lines_to(FileState& file, size_t to) {
  if (!options_.numbers || to <= counted_) return;
  const std::string_view text = block_->text.substr(counted_, to - counted_);
  file.number += options_.line_end == '\n'
                     ? lanes::count_lines(target_, reinterpret_cast<const uint8_t*>(text.data()), text.size())
                     : static_cast<uint64_t>(std::ranges::count(text, options_.line_end));
  counted_ = to;
}

/// Before a line is printed: prints the separator, and checks for NUL bytes.
bool Selector::prelude(FileState& file, uint64_t offset, std::string_view text) {
  if (gaps_ && file.last_end && *file.last_end < offset) report_.gap(file);
  if (file.nul || file.at_nul == AtNul::kNothing) return true;
  if (nul_ && offset >= file.offset + nul_from_) file.nul = nul_;
  if (file.nul || !file.mapped || options_.multiline) return true;
  const size_t nul = text.find('\0');
  if (nul != std::string_view::npos) file.nul = offset + nul;
  return true;
}

bool Selector::sink(FileState& file, size_t begin, size_t end, bool is_context, bool after) {
  const bool cut = block_->added_end && end == block_->text.size();
  const std::string_view text = block_->text.substr(begin, end - begin - cut);
  const size_t seen = std::min(end + kLookAhead, block_->text.size() - block_->added_end);
  count_lines_to(file, begin);
  const Piece piece{text, block_->text.substr(begin, std::max(seen, begin) - begin), file.offset + begin,
                    file.number + 1};
  prelude(file, piece.offset, text);
  file.last_end = file.offset + end;
  return is_context ? report_.context(file, piece, after) : report_.matched(file, piece);
}

bool Selector::sink_held(FileState& file, const HeldLine& line) {
  prelude(file, line.offset, line.text);
  file.last_end = line.offset + line.text.size() + !line.text.ends_with(options_.line_end);
  return report_.context(file, {line.text, line.text, line.offset, line.number}, false);
}

}  // namespace lanewise::cli::grep
