#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "grep/matches.h"
#include "grep/options.h"
#include "output/output_file.h"
#include "text/lines.h"

namespace lanewise::cli::grep {

/// What is done at a NUL byte.
enum class AtNul : unsigned char { kNothing, kSay, kStop };

/// A line that may become context of what comes.
struct HeldLine {
  std::string text;
  uint64_t offset, number;
};

/// A file on its way through the report.
struct FileState {
  std::string name;                ///< as it is shown
  std::atomic<bool> done = false;  ///< what follows of it is of no interest
  AtNul at_nul = AtNul::kSay;
  bool transcoded = false;
  bool mapped = false;          ///< its NUL bytes are looked for as ripgrep does in a mapped file
  std::optional<uint64_t> nul;  ///< where the first NUL was seen
  uint64_t selected = 0;        ///< lines, or groups of them
  uint64_t matches = 0;
  uint64_t matched_lines = 0;
  uint64_t number = 0;  ///< of lines before `offset`
  uint64_t offset = 0;  ///< of the block
  uint64_t after_left = 0;
  uint64_t searched = 0;             ///< bytes
  std::optional<uint64_t> last_end;  ///< of the last line that was printed
  std::list<HeldLine> held;
  uint64_t printed_at = 0;  ///< bytes written before this file
  uint64_t printed = 0;     ///< bytes of its messages, without the last one
  bool begun = false;       ///< something of it was written
  uint64_t window = 0;      ///< where ripgrep's buffer would begin
};

/// A line, or several that a match spans.
struct Piece {
  std::string_view text;   ///< with the end of its line, where the file has it
  std::string_view after;  ///< text and up to 128 bytes after it
  uint64_t offset;
  uint64_t number;  ///< of the first line, where numbers are requested
};

/// Standard output, with a count of what was written.
class Out {
 public:
  explicit Out(OutputFile& file) : file_(file) {}
  void write(std::string_view text) {
    file_.write(text);
    written_ += text.size();
  }
  void flush() { file_.close(); }
  uint64_t written() const { return written_; }

 private:
  OutputFile& file_;
  uint64_t written_ = 0;
};

struct Totals {
  uint64_t matches = 0, lines = 0, files_with = 0, files = 0, printed = 0, searched = 0;
};

/// Writes what was selected, in order. matched() and context() return false where no more of the file is
/// wanted.
class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual bool matched(FileState& file, const Piece& piece) = 0;
  virtual bool context(FileState& file, const Piece& piece, bool after) = 0;
  virtual void gap(FileState&) {}
  virtual void finish(FileState& file) = 0;
  /// So many lines at once, where lines need not be shown. False: they do.
  virtual bool counts_only() const { return false; }
  virtual bool writes_plain() const { return false; }
};

class Printing {
 public:
  Printing(const Options& options, const text::UnicodeLineMatcher& matcher, bool multiline, Out& out)
      : options_(options), matches_(options, matcher), multiline_(multiline), out_(out) {}

 protected:
  void path(const FileState& file);
  void coloured(const ColourSpec& spec, std::string_view text);
  void line_end() {
    out_.write(options_.line_end == '\0' ? std::string_view("\0", 1) : options_.crlf ? "\r\n" : "\n");
  }
  /// The text without the end of its line.
  std::string_view body(std::string_view text) const;
  uint64_t lines_in(std::string_view text) const;
  /// The matches of a piece. An empty one before the end of a line counts, one at the end of a text does not.
  void list(const Piece& piece, std::vector<Span>& found);

  const Options& options_;
  Matches matches_;
  const bool multiline_;
  Out& out_;
};

std::unique_ptr<Reporter> make_standard(const Options& options, const text::UnicodeLineMatcher& matcher,
                                        bool multiline, Out& out);
std::unique_ptr<Reporter> make_summary(const Options& options, const text::UnicodeLineMatcher& matcher,
                                       bool multiline, Out& out);
std::unique_ptr<Reporter> make_json(const Options& options, const text::UnicodeLineMatcher& matcher,
                                    bool multiline, Out& out);
/// The last message of --json.
void write_json_summary(const Totals& totals, std::chrono::nanoseconds searching,
                        std::chrono::nanoseconds all, Out& out);

}  // namespace lanewise::cli::grep
