#include <fmt/format.h>

#include <algorithm>

#include "grep/report.h"
#include "text/unicode/utf8.h"

namespace lanewise::cli::grep {

void Printing::coloured(const ColourSpec& spec, std::string_view text) {
  if (!options_.colours) return out_.write(text);
  out_.write(spec.start());
  out_.write(text);
  out_.write(kResetColour);
}

void Printing::path(const FileState& file) { coloured(options_.colour_specs.path, file.name); }

std::string_view Printing::body(std::string_view text) const {
  if (text.ends_with(options_.line_end)) {
    text.remove_suffix(1);
    if (options_.crlf && text.ends_with('\r')) text.remove_suffix(1);
  }
  return text;
}

uint64_t Printing::lines_in(std::string_view text) const {
  if (!multiline_) return 1;
  return static_cast<uint64_t>(std::ranges::count(text, options_.line_end)) +
         !text.ends_with(options_.line_end);
}

void Printing::list(const Piece& piece, std::vector<Span>& found) {
  if (multiline_) return matches_.list(piece.after, piece.text.size(), found);
  const std::string_view line = body(piece.text);
  matches_.list(line, piece.text.size(), found);
}

namespace {

/// ripgrep's usual output: lines with names, numbers and colours.
class Standard final : public Reporter, private Printing {
 public:
  Standard(const Options& options, const text::UnicodeLineMatcher& matcher, bool multiline, Out& out)
      : Printing(options, matcher, multiline, out),
        needs_matches_((options.colours && !options.colour_specs.match.none()) || options.columns ||
                       options.replacement || options.each_match || options.only_matches || options.stats),
        separates_(options.before > 0 || options.after > 0) {}

  bool matched(FileState& file, const Piece& piece) override {
    ++file.selected;
    const bool over = file.selected > options_.most;
    if (!over) file.after_left = options_.after;
    if (over && file.after_left > 0) --file.after_left;
    take(piece);
    file.matches += found_.size();
    file.matched_lines += lines_in(piece.text);
    if (file.at_nul == AtNul::kSay && file.nul) return false;
    sink(file, piece, false);
    return !ends(file);
  }

  bool context(FileState& file, const Piece& piece, bool after) override {
    if (after && file.after_left > 0) --file.after_left;
    shown_.clear(), found_.clear();
    text_ = piece.text;
    if (options_.invert) take(piece);
    if (file.at_nul == AtNul::kSay && file.nul) return false;
    sink(file, piece, true);
    return !ends(file);
  }

  void gap(FileState&) override {
    if (!options_.context_separator) return;
    out_.write(*options_.context_separator);
    line_end();
  }

  void finish(FileState& file) override {
    if (!file.nul || file.selected == 0) return;
    if (options_.names) {
      path(file);
      out_.write(": ");
    }
    const char* what = file.at_nul == AtNul::kStop ? "WARNING: stopped searching binary file after match"
                                                   : "binary file matches";
    out_.write(fmt::format("{} (found \"\\0\" byte around offset {})\n", what, *file.nul));
  }

  bool writes_plain() const override {
    return !needs_matches_ && !separates_ && !options_.names && !options_.numbers && !options_.offsets &&
           !options_.passthru && !options_.heading && options_.most == kNoLimit &&
           options_.max_columns == 0 && !options_.trim && !multiline_ && !options_.crlf;
  }

 private:
  bool ends(const FileState& file) const { return file.selected >= options_.most && file.after_left == 0; }

  /// Finds the matches and fills in replacements: text_ and shown_ are what is printed.
  void take(const Piece& piece) {
    found_.clear(), shown_.clear();
    text_ = piece.text;
    if (!needs_matches_) return;
    list(piece, found_);
    shown_ = found_;
    if (!options_.replacement || (options_.invert && found_.empty())) return;
    replaced_.clear();
    const std::string_view line = multiline_ ? piece.after : body(piece.text);
    const size_t limit = multiline_ ? piece.text.size() : line.size();
    matches_.replace(line, limit, *options_.replacement, replaced_, shown_);
    text_ = replaced_;
  }

  void begin(FileState& file) {
    if (file.begun) return;
    file.begun = true;
    file.printed_at = out_.written();
    const bool separated = options_.heading || (separates_ && options_.context_separator);
    if (separated && out_.written() > 0) {
      if (!options_.heading) out_.write(*options_.context_separator);
      line_end();
    }
    if (options_.heading && options_.names) {
      path(file);
      if (options_.null_names) {
        out_.write(std::string_view("\0", 1));
      } else {
        line_end();
      }
    }
  }

  void sink(FileState& file, const Piece& piece, bool is_context) {
    begin(file);
    mark_ = is_context ? &options_.context_mark : &options_.match_separator;
    is_context_ = is_context;
    file_ = &file;
    piece_ = &piece;
    const bool several = multiline_ && !is_context;
    if (shown_.empty()) {
      several ? each_line() : one_line(text_, {}, 0, 0, std::nullopt);
    } else if (options_.only_matches) {
      several ? only_of_lines() : only();
    } else if (options_.each_match) {
      several ? each_match_of_lines() : each_match();
    } else if (several) {
      each_line();
    } else {
      one_line(text_, shown_, 0, 0, shown_[0].begin + 1);
    }
  }

  void prefix(uint64_t offset, uint64_t line, std::optional<size_t> column) {
    const std::string& mark = *mark_;
    if (options_.names && !options_.heading) {
      path(*file_);
      options_.null_names ? out_.write(std::string_view("\0", 1)) : out_.write(mark);
    }
    if (options_.numbers) {
      coloured(options_.colour_specs.line, fmt::format_int(piece_->number + line).c_str());
      out_.write(mark);
    }
    if (column && options_.columns) {
      coloured(options_.colour_specs.column, fmt::format_int(*column).c_str());
      out_.write(mark);
    }
    if (options_.offsets) {
      coloured({}, fmt::format_int(piece_->offset + offset).c_str());
      out_.write(mark);
    }
  }

  /// The line text_[offset ..] with matches, whose places are relative to text_.
  void one_line(std::string_view line, const std::vector<Span>& matches, size_t offset, uint64_t number,
                std::optional<size_t> column) {
    prefix(offset, number, column);
    print(line, matches, offset);
  }

  void print(std::string_view line, const std::vector<Span>& matches, size_t offset) {
    if (options_.trim) {
      const size_t blank = blanks(line);
      line.remove_prefix(blank);
      offset += blank;
    }
    if (options_.max_columns > 0 && line.size() > options_.max_columns)
      return too_long(line, matches, offset);
    coloured_line(line, matches, offset);
  }

  /// Bytes of white space at the beginning, without the end of the line.
  size_t blanks(std::string_view line) const {
    std::string white = " \t\v\f";
    if (!options_.crlf) white += '\r';
    if (options_.line_end != '\n') white += '\n';
    return std::min(line.find_first_not_of(white), line.size());
  }

  void coloured_line(std::string_view line, const std::vector<Span>& matches, size_t offset) {
    if (!options_.colours || matches.empty() || options_.colour_specs.match.none()) {
      out_.write(line);
      if (!line.ends_with(options_.line_end)) line_end();
      return;
    }
    highlight(body(line), matches, offset);
    line_end();
  }

  void highlight(std::string_view line, const std::vector<Span>& matches, size_t offset) {
    if (!options_.colours) return out_.write(line);
    size_t at = 0, from = 0, to = 0;  // [from, to) is one match, or several that touch
    const auto write = [&] {
      out_.write(line.substr(at, from - at));
      if (from < to) coloured(options_.colour_specs.match, line.substr(from, to - from));
      at = to;
    };
    for (const Span match : matches) {
      if (match.end <= offset + to || match.begin >= offset + line.size()) continue;
      const size_t begin = std::max(match.begin, offset) - offset;
      if (begin > to) {
        if (to > at) write();
        from = begin;
      } else if (to == at) {
        from = to;
      }
      to = std::min(match.end - offset, line.size());
    }
    if (to > at) write();
    out_.write(line.substr(at));
  }

  /// Where the first `characters` characters of the line end.
  static size_t preview_end(std::string_view line, uint64_t characters) {
    size_t at = 0;
    for (; characters > 0 && at < line.size(); --characters) {
      const int bytes = text::unicode::decode(line.substr(at)).bytes;
      at += bytes == 0 ? 1 : static_cast<size_t>(bytes);
    }
    return at;
  }

  void too_long(std::string_view line, const std::vector<Span>& matches, size_t offset) {
    if (options_.preview) {
      const std::string_view shown = line.substr(0, preview_end(line, options_.max_columns));
      highlight(shown, matches, offset);
      if (matches.empty()) {
        out_.write(" [... omitted end of long line]");
      } else {
        const auto behind = [&](const Span& match) {
          return match.begin >= offset + shown.size() && match.begin < offset + line.size();
        };
        const auto rest = std::ranges::count_if(matches, behind);
        out_.write(fmt::format(" [... {} more match{}]", rest, rest == 1 ? "" : "es"));
      }
    } else if (found_.empty() || options_.only_matches) {
      out_.write(is_context_ ? "[Omitted long context line]" : "[Omitted long matching line]");
    } else {
      out_.write(fmt::format("[Omitted long line with {} matches]", found_.size()));
    }
    line_end();
  }

  void only() {
    for (const Span match : shown_) {
      prefix(match.begin, 0, match.begin + 1);
      only_match(text_.substr(match.begin, match.size()));
    }
  }

  void only_match(std::string_view match) {
    if (options_.trim) match.remove_prefix(blanks(match));
    if (options_.max_columns > 0 && match.size() > options_.max_columns)
      return too_long(match, {{0, match.size()}}, 0);
    const bool plain = !options_.colours || options_.colour_specs.match.none() || match.empty();
    plain ? out_.write(match) : coloured(options_.colour_specs.match, match);
    if (!match.ends_with(options_.line_end)) line_end();
  }

  void each_match() {
    for (const Span match : shown_) {
      prefix(match.begin, 0, match.begin + 1);
      print(text_, {match}, 0);
    }
  }

  /// Calls found(begin, end, number) for each line of text_.
  template <class Found>
  void lines(const Found& found) const {
    uint64_t number = 0;
    for (size_t begin = 0; begin < text_.size(); ++number) {
      const size_t newline = text_.find(options_.line_end, begin);
      const size_t end = newline == std::string_view::npos ? text_.size() : newline + 1;
      if (!found(begin, end, number)) return;
      begin = end;
    }
  }

  void each_line() {
    const auto column = shown_.empty() ? std::nullopt : std::optional(shown_[0].begin + 1);
    lines([&](size_t begin, size_t end, uint64_t number) {
      one_line(text_.substr(begin, end - begin), shown_, begin, number, column);
      return true;
    });
  }

  void only_of_lines() {
    lines([&](size_t begin, size_t end, uint64_t number) {
      end = begin + body(text_.substr(begin, end - begin)).size();
      for (const Span match : shown_) {
        const size_t first = std::max(begin, match.begin), last = std::min(end, match.end);
        if (first >= last) continue;
        prefix(match.begin, number, match.begin + 1);
        only_match(text_.substr(first, last - first));
      }
      return true;
    });
  }

  void each_match_of_lines() {
    for (const Span match : shown_) {
      lines([&](size_t begin, size_t end, uint64_t number) {
        if (end <= match.begin) return true;
        if (begin >= match.end) return false;
        one_line(text_.substr(begin, end - begin), {match}, begin, number,
                 match.begin - std::min(match.begin, begin) + 1);
        return false;  // editors want one line
      });
    }
  }

  const bool needs_matches_;
  const bool separates_;
  const FileState* file_ = nullptr;
  const Piece* piece_ = nullptr;
  const std::string* mark_ = nullptr;
  bool is_context_ = false;
  std::vector<Span> found_, shown_;  // in the file; in what is printed
  std::string replaced_;
  std::string_view text_;
};

}  // namespace

std::unique_ptr<Reporter> make_standard(const Options& options, const text::UnicodeLineMatcher& matcher,
                                        bool multiline, Out& out) {
  return std::make_unique<Standard>(options, matcher, multiline, out);
}

}  // namespace lanewise::cli::grep
