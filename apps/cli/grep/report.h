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
#include "process/output_file.h"
#include "text/lines.h"

namespace lanewise::cli::grep {

/// The action at a NUL byte.
enum class AtNul : unsigned char { kNothing, kSay, kStop };

/// A line that may become context of a later match.
struct HeldLine {
  std::string text;
  uint64_t offset, number;
};

/// A file while it is reported.
struct FileState {
  std::string name;                ///< as printed
  std::atomic<bool> done = false;  ///< the rest of it is not needed
  AtNul at_nul = AtNul::kSay;
  bool transcoded = false;
  bool mapped = false;          ///< NUL bytes are found as in ripgrep's mapped files
  std::optional<uint64_t> nul;  ///< position of the first NUL
  uint64_t selected = 0;        ///< lines, or groups of them
  uint64_t matches = 0;
  uint64_t matched_lines = 0;
  uint64_t number = 0;  ///< line number at `offset`
  uint64_t offset = 0;  ///< of the block
  uint64_t after_left = 0;
  uint64_t searched = 0;             ///< bytes
  std::optional<uint64_t> last_end;  ///< end of the last printed line
  std::list<HeldLine> held;
  uint64_t printed_at = 0;  ///< bytes written before this file
  uint64_t printed = 0;     ///< bytes of its messages, without the last one
  bool begun = false;       ///< some of it was printed
  uint64_t window = 0;      ///< start of ripgrep's buffer
};

/// A line, or the lines that a match spans.
struct Piece {
  std::string_view text;   ///< with its line end, if the file has one
  std::string_view after;  ///< text and up to 128 bytes after it
  uint64_t offset;
  uint64_t number;  ///< of the first line, if line numbers are printed
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

/// Prints selected lines, in order. matched() and context() return false if the rest of the file is not
/// needed.
class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual bool matched(FileState& file, const Piece& piece) = 0;
  virtual bool context(FileState& file, const Piece& piece, bool after) = 0;
  virtual void gap(FileState&) {}
  virtual void finish(FileState& file) = 0;
  /// Reports several lines at once, if lines need not be printed. False: they must be.
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
  /// The text without its line end.
  std::string_view body(std::string_view text) const;
  uint64_t lines_in(std::string_view text) const;
  /// The matches of a piece. An empty match before a line end counts; one at the end of the text does not.
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
