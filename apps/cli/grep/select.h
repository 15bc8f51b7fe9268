#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "grep/report.h"

namespace lanewise::cli::grep {

inline constexpr size_t kWindow = 64 << 10;  ///< ripgrep's buffer

/// A searched block of a file.
struct Searched {
  std::string_view text;      ///< whole lines
  bool added_end;             ///< the last line end is not in the file
  std::optional<size_t> nul;  ///< position of the first NUL byte
};

/// Decides what is printed of a file, as ripgrep's searcher does: selected lines, their context, messages
/// about NUL bytes. Blocks come in order.
class Selector {
 public:
  Selector(const Options& options, Reporter& report, Out& out, lanes::Target target);

  /// `matching` are the block's lines with a match, or the groups of lines that matches span.
  void block(FileState& file, const Searched& block, const std::vector<lanes::Line>& matching, bool groups);

 private:
  void invert(std::string_view text, const std::vector<lanes::Line>& matching);
  size_t stop_at(FileState& file, const Searched& block, bool groups);
  bool any_nul(size_t end) const;
  void plain(FileState& file, std::string_view text, size_t end);
  void count(FileState& file, size_t end);
  void lines(FileState& file, size_t end, bool groups);
  bool select(FileState& file, size_t begin, size_t end);
  bool context_until(FileState& file, size_t to);
  bool before(FileState& file, size_t to);
  void hold(FileState& file, size_t end);
  bool sink(FileState& file, size_t begin, size_t end, bool is_context, bool after);
  bool sink_held(FileState& file, const HeldLine& line);
  bool prelude(FileState& file, uint64_t offset, std::string_view text);
  void count_lines_to(FileState& file, size_t to);
  size_t line_end(size_t at) const;

  const Options& options_;
  Reporter& report_;
  Out& out_;
  const lanes::Target target_;
  const bool gaps_;  // separators are printed between groups of lines

  // The block's:
  const Searched* block_ = nullptr;
  std::vector<lanes::Line> ranges_;
  size_t at_ = 0;        // everything before it is done
  size_t counted_ = 0;   // lines before it are counted
  size_t nul_from_ = 0;  // the file's NUL is known from here on
  std::optional<uint64_t> nul_;
};

}  // namespace lanewise::cli::grep
