#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "expr/gpu/strings/graphemes-inl.h"
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

/// ripgrep's default output: lines with names, numbers and colours.
class Standard final : public Reporter, private Printing {
 public:
  Standard(const Options& options, const text::UnicodeLineMatcher& matcher, bool multiline, Out& out)
      : Printing(options, matcher, multiline, out),
        highlights_(options.colours && !options.colour_specs.match.none()),
        needs_matches_(highlights_ || options.columns || options.replacement || options.each_match ||
                       options.only_matches || options.stats),
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

  /// Finds matches and applies replacements: text_ and shown_ are the output.
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
      several ? each_line() : line_of({}, 0);
    } else if (options_.only_matches) {
      several ? only_of_lines() : only();
    } else if (options_.each_match) {
      several ? each_match_of_lines() : each_match();
    } else if (several) {
      each_line();
    } else {
      line_of(shown_, shown_[0].begin + 1);
    }
  }

  /// Column 0: none.
  void prefix(uint64_t offset, uint64_t line, size_t column) {
    const std::string& mark = *mark_;
    if (options_.names && !options_.heading) {
      path(*file_);
      options_.null_names ? out_.write(std::string_view("\0", 1)) : out_.write(mark);
    }
    if (options_.numbers) {
      coloured(options_.colour_specs.line, fmt::format_int(piece_->number + line).c_str());
      out_.write(mark);
    }
    if (column > 0 && options_.columns) {
      coloured(options_.colour_specs.column, fmt::format_int(column).c_str());
      out_.write(mark);
    }
    if (options_.offsets) {
      coloured(options_.colour_specs.column, fmt::format_int(piece_->offset + offset).c_str());
      out_.write(mark);
    }
  }

  void line_of(std::span<const Span> matches, size_t column) {
    prefix(0, 0, column);
    whole_line(text_, matches);
  }

  /// The line without its line end, and with --trim without leading white space.
  Span trimmed(std::string_view text, Span line) const {
    line.end = line.begin + body(text.substr(line.begin, line.size())).size();
    if (options_.trim) line.begin += blanks(text.substr(line.begin, line.size()));
    return line;
  }

  /// The size of the leading white space, without the line end.
  size_t blanks(std::string_view line) const {
    std::string white = " \t\v\f";
    if (!options_.crlf) white += '\r';
    if (options_.line_end != '\n') white += '\n';
    return std::min(line.find_first_not_of(white), line.size());
  }

  bool exceeds(Span line) const { return options_.max_columns > 0 && line.size() > options_.max_columns; }

  /// A whole line: all of `text`.
  void whole_line(std::string_view text, std::span<const Span> matches) {
    const Span line{0, text.size()};
    if (exceeds(line)) return too_long(text, line, highlights_ ? matches : std::span<const Span>(shown_));
    if (!highlights_ || matches.empty()) {
      if (options_.trim) text.remove_prefix(blanks(text));
      out_.write(text);
      if (!text.ends_with(options_.line_end)) line_end();
      return;
    }
    highlighted(text, line, matches);
    line_end();
  }

  /// One line of several.
  void part_line(Span line, std::span<const Span> matches) {
    if (exceeds(line)) return too_long(text_, line, matches);
    highlighted(text_, line, matches);
    line_end();
  }

  /// The line without its line end; adjacent matches are merged.
  void highlighted(std::string_view text, Span line, std::span<const Span> matches) {
    line = trimmed(text, line);
    if (!options_.colours) return out_.write(text.substr(line.begin, line.size()));
    size_t at = line.begin, from = at, to = at;  // [from, to) is one match, or several adjacent ones
    const auto write = [&] {
      out_.write(text.substr(at, from - at));
      if (from < to) coloured(options_.colour_specs.match, text.substr(from, to - from));
      at = to;
    };
    for (const Span match : matches) {
      if (match.end <= to || match.begin >= line.end) continue;
      const size_t begin = std::max(match.begin, line.begin);
      if (begin > to) {
        if (to > at) write();
        from = begin;
      } else if (to == at) {
        from = to;
      }
      to = std::min(match.end, line.end);
    }
    if (to > at) write();
    out_.write(text.substr(at, line.end - at));
  }

  /// The position after the first `characters` graphemes of the line; a malformed byte counts as one.
  static size_t preview_end(std::string_view line, uint64_t characters) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(line.data());
    size_t at = 0, valid = 0;  // line[at, valid) is UTF-8
    for (; characters > 0 && at < line.size(); --characters) {
      while (valid < line.size()) {
        const int size = text::unicode::decode(line.substr(valid)).bytes;
        if (size == 0) break;
        valid += static_cast<size_t>(size);
      }
      at = at == valid ? ++valid : kernel::next_grapheme({bytes, valid}, at);
    }
    return at;
  }

  void too_long(std::string_view text, Span line, std::span<const Span> matches) {
    if (options_.preview) {
      const std::string_view all = text.substr(line.begin, line.size());
      const Span shown{line.begin, line.begin + preview_end(all, options_.max_columns)};
      highlighted(text, shown, matches);
      if (matches.empty()) {
        out_.write(" [... omitted end of long line]");
      } else {
        const auto behind = [&](const Span& match) {
          return match.begin >= shown.end && match.begin < line.end;
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
      const Span all{0, match.size()};
      whole_line(text_.substr(match.begin, match.size()), {&all, 1});
    }
  }

  void each_match() {
    for (const Span& match : shown_) {
      prefix(match.begin, 0, match.begin + 1);
      whole_line(text_, {&match, 1});
    }
  }

  /// Calls found(line, number) for each line of text_.
  template <class Found>
  void lines(const Found& found) const {
    uint64_t number = 0;
    for (size_t begin = 0; begin < text_.size(); ++number) {
      const size_t newline = text_.find(options_.line_end, begin);
      const size_t end = newline == std::string_view::npos ? text_.size() : newline + 1;
      if (!found(Span{begin, end}, number)) return;
      begin = end;
    }
  }

  void each_line() {
    const size_t column = shown_.empty() ? 0 : shown_[0].begin + 1;
    lines([&](Span line, uint64_t number) {
      prefix(line.begin, number, column);
      shown_.empty() ? whole_line(text_.substr(line.begin, line.size()), {}) : part_line(line, shown_);
      return true;
    });
  }

  void only_of_lines() {
    lines([&](Span line, uint64_t number) {
      line = trimmed(text_, line);
      for (const Span match : shown_) {
        const Span part{std::max(line.begin, match.begin), std::min(line.end, match.end)};
        if (part.begin >= part.end) continue;
        prefix(match.begin, number, match.begin + 1);
        if (exceeds(part)) {
          too_long(text_, part, shown_);
          continue;
        }
        coloured(options_.colour_specs.match, text_.substr(part.begin, part.size()));
        line_end();
      }
      return true;
    });
  }

  void each_match_of_lines() {
    for (const Span& match : shown_) {
      lines([&](Span line, uint64_t number) {
        if (line.end <= match.begin) return true;
        if (line.begin >= match.end) return false;
        prefix(line.begin, number, match.begin - std::min(match.begin, line.begin) + 1);
        part_line(line, {&match, 1});
        return exceeds(line);  // editors expect one line for each match; ripgrep continues after a long one
      });
    }
  }

  const bool highlights_;
  const bool needs_matches_;
  const bool separates_;
  const FileState* file_ = nullptr;
  const Piece* piece_ = nullptr;
  const std::string* mark_ = nullptr;
  bool is_context_ = false;
  std::vector<Span> found_, shown_;  // in the file; in the output
  std::string replaced_;
  std::string_view text_;
};

}  // namespace

std::unique_ptr<Reporter> make_standard(const Options& options, const text::UnicodeLineMatcher& matcher,
                                        bool multiline, Out& out) {
  return std::make_unique<Standard>(options, matcher, multiline, out);
}

}  // namespace lanewise::cli::grep
