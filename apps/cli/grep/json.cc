#include <fmt/format.h>

#include "grep/report.h"
#include "text/unicode/utf8.h"

namespace lanewise::cli::grep {

namespace {

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const int bytes = text::unicode::decode(text).bytes;
    if (bytes == 0) return false;
    text.remove_prefix(static_cast<size_t>(bytes));
  }
  return true;
}

std::string base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < text.size(); i += 3) {
    const size_t left = std::min<size_t>(text.size() - i, 3);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < left ? static_cast<uint8_t>(text[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k) out += k <= left ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

/// {"text":...}, or {"bytes":...} in base64 if it is not UTF-8.
std::string json_text(std::string_view text) {
  return is_utf8(text) ? "{\"text\":" + quoted(text) + "}" : "{\"bytes\":\"" + base64(text) + "\"}";
}

std::string human(std::chrono::nanoseconds time) {
  return fmt::format("{:.6f}s", static_cast<double>(time.count()) / 1e9);
}

/// One JSON object per line, as in ripgrep's --json.
class Json final : public Reporter, private Printing {
 public:
  Json(const Options& options, const text::UnicodeLineMatcher& matcher, bool multiline, Out& out)
      : Printing(options, matcher, multiline, out) {}

  bool matched(FileState& file, const Piece& piece) override {
    begin(file);
    ++file.selected;
    const bool over = file.selected > options_.most;
    if (!over) file.after_left = options_.after;
    if (over && file.after_left > 0) --file.after_left;
    list(piece, found_);
    file.matches += found_.size();
    file.matched_lines += lines_in(piece.text);
    write("match", file, piece);
    return !ends(file);
  }

  bool context(FileState& file, const Piece& piece, bool after) override {
    begin(file);
    if (after && file.after_left > 0) --file.after_left;
    found_.clear();
    if (options_.invert) list(piece, found_);
    write("context", file, piece);
    return !ends(file);
  }

  void finish(FileState& file) override {
    if (!file.begun) return;
    const std::string nul = file.nul ? std::to_string(*file.nul) : "null";
    const auto time = std::chrono::steady_clock::now() - begun_;
    file.printed = out_.written() - file.printed_at;
    out_.write(fmt::format(
        "{{\"type\":\"end\",\"data\":{{\"path\":{},\"binary_offset\":{},\"stats\":{{\"elapsed\":{{\"secs\":{}"
        ","
        "\"nanos\":{},\"human\":\"{}\"}},\"searches\":1,\"searches_with_match\":{},\"bytes_searched\":{},"
        "\"bytes_printed\":{},\"matched_lines\":{},\"matches\":{}}}}}}}\n",
        json_text(file.name), nul, time.count() / 1'000'000'000, time.count() % 1'000'000'000, human(time),
        file.selected > 0 ? 1 : 0, file.searched, file.printed, file.matched_lines, file.matches));
  }

 private:
  bool ends(const FileState& file) const { return file.selected >= options_.most && file.after_left == 0; }

  void begin(FileState& file) {
    if (file.begun) return;
    file.begun = true;
    file.printed_at = out_.written();
    begun_ = std::chrono::steady_clock::now();
    out_.write(fmt::format("{{\"type\":\"begin\",\"data\":{{\"path\":{}}}}}\n", json_text(file.name)));
  }

  void write(const char* type, const FileState& file, const Piece& piece) {
    const std::string number = options_.numbers ? std::to_string(piece.number) : "null";
    out_.write(fmt::format(
        "{{\"type\":\"{}\",\"data\":{{\"path\":{},\"lines\":{},\"line_number\":{},\"absolute_offset\":{},"
        "\"submatches\":[",
        type, json_text(file.name), json_text(piece.text), number, piece.offset));
    for (size_t i = 0; i < found_.size(); ++i) {
      const Span match = found_[i];
      out_.write(fmt::format("{}{{\"match\":{},\"start\":{},\"end\":{}}}", i == 0 ? "" : ",",
                             json_text(piece.after.substr(match.begin, match.size())), match.begin,
                             match.end));
    }
    out_.write("]}}\n");
  }

  std::chrono::steady_clock::time_point begun_;
  std::vector<Span> found_;
};

std::string elapsed(std::chrono::nanoseconds time) {
  return fmt::format("{{\"human\":\"{}\",\"nanos\":{},\"secs\":{}}}", human(time),
                     time.count() % 1'000'000'000, time.count() / 1'000'000'000);
}

}  // namespace

std::unique_ptr<Reporter> make_json(const Options& options, const text::UnicodeLineMatcher& matcher,
                                    bool multiline, Out& out) {
  return std::make_unique<Json>(options, matcher, multiline, out);
}

void write_json_summary(const Totals& totals, std::chrono::nanoseconds searching,
                        std::chrono::nanoseconds all, Out& out) {
  out.write(
      fmt::format("{{\"data\":{{\"elapsed_total\":{},\"stats\":{{\"bytes_printed\":{},\"bytes_searched\":{},"
                  "\"elapsed\":{},"
                  "\"matched_lines\":{},\"matches\":{},\"searches\":{},\"searches_with_match\":{}}}}},"
                  "\"type\":\"summary\"}}\n",
                  elapsed(all), totals.printed, totals.searched, elapsed(searching), totals.lines,
                  totals.matches, totals.files, totals.files_with));
}

}  // namespace lanewise::cli::grep
