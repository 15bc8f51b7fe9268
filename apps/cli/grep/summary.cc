#include <fmt/format.h>

#include <algorithm>

#include "grep/report.h"

namespace lanewise::cli::grep {

namespace {

/// Counts and names of files.
class Summary final : public Reporter, private Printing {
 public:
  Summary(const Options& options, const text::UnicodeLineMatcher& matcher, bool multiline, Out& out)
      : Printing(options, matcher, multiline, out),
        lists_(options.report == Report::kCountMatches || options.stats || multiline) {}

  bool matched(FileState& file, const Piece& piece) override {
    uint64_t count = 1;
    if (lists_) {
      list(piece, found_);
      count = found_.size();
      file.matches += count;
      file.matched_lines += multiline_ ? static_cast<uint64_t>(std::ranges::count(piece.text, '\n')) : 1;
    }
    file.selected += multiline_ ? count : 1;
    if (!options_.stats && options_.report != Report::kCount && options_.report != Report::kCountMatches)
      return false;
    return file.selected < options_.most;
  }
  bool context(FileState&, const Piece&, bool) override { return true; }
  bool counts_only() const override { return !lists_; }

  void finish(FileState& file) override {
    if (file.nul && file.at_nul == AtNul::kStop) {  // a file that was not searched to the end
      file.selected = 0;
      return;
    }
    const bool shown = options_.include_zero || file.selected > 0;
    switch (options_.report) {
      case Report::kCount:
        if (shown) count(file, file.selected);
        break;
      case Report::kCountMatches:
        if (shown) count(file, file.matches);
        break;
      case Report::kFilesWith:
        if (file.selected > 0) name(file);
        break;
      case Report::kFilesWithout:
        if (file.selected == 0) name(file);
        break;
      default:
        break;
    }
  }

 private:
  void count(const FileState& file, uint64_t number) {
    if (options_.names) {
      path(file);
      options_.null_names ? out_.write(std::string_view("\0", 1)) : out_.write(":");
    }
    out_.write(fmt::format_int(number).c_str());
    line_end();
  }

  void name(const FileState& file) {
    path(file);
    options_.null_names ? out_.write(std::string_view("\0", 1)) : line_end();
  }

  const bool lists_;
  std::vector<Span> found_;
};

}  // namespace

std::unique_ptr<Reporter> make_summary(const Options& options, const text::UnicodeLineMatcher& matcher,
                                       bool multiline, Out& out) {
  return std::make_unique<Summary>(options, matcher, multiline, out);
}

}  // namespace lanewise::cli::grep
