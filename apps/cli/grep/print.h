#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grep/options.h"
#include "output/output_file.h"
#include "text/captures.h"
#include "text/lines.h"

namespace lanewise::cli::grep {

/// A file on its way through the printer.
struct FileState {
  std::string name;                ///< as it is shown
  std::atomic<bool> done = false;  ///< what follows of it is of no interest
  bool binary = false;
  uint64_t selected = 0;
  uint64_t number = 0;      ///< of lines passed
  uint64_t after_left = 0;  ///< lines of context still to print
  std::string carry;        ///< the last lines of the block before that may be context; none was printed
  uint64_t carried = 0;     ///< lines in it
  bool skipped = true;      ///< lines stand between the last printed one and what comes
};

/// Writes what was found, block after block in the order of the files.
class Printer {
 public:
  Printer(const Options& options, const text::LineMatcher& matcher, OutputFile& out);

  /// `matching` are lines of `text`, the next whole lines of the file; 64 bytes behind it are readable.
  void block(FileState& file, std::string_view text, const std::vector<lanes::Line>& matching);
  /// The file has ended.
  void end(FileState& file);

  uint64_t selected() const { return selected_; }  ///< lines of all files

 private:
  void count(FileState& file, std::string_view text, uint64_t matching);
  void ranges(FileState& file, std::string_view text);
  void lines(FileState& file, std::string_view text);
  void select(std::string_view text, const std::vector<lanes::Line>& matching);
  void gap(FileState& file, std::string_view text, size_t at, size_t to);
  void keep(FileState& file, std::string_view text, size_t at);
  bool after(FileState& file, std::string_view text, size_t& at, size_t to);
  void line(FileState& file, std::string_view line, bool is_selected);
  void prefix(const FileState& file, char mark);
  void matches(const FileState& file, std::string_view line);
  void separator();
  void coloured(std::string_view colour, std::string_view text);
  bool is_binary(FileState& file, std::string_view text);
  uint64_t lines_in(std::string_view text) const;

  const Options& options_;
  const text::LineMatcher& matcher_;
  OutputFile& out_;
  const uint64_t before_, after_;
  const bool context_;  // groups are set apart
  const bool plain_;    // lines are written as they are
  bool printed_ = false;
  uint64_t selected_ = 0;
  std::vector<lanes::Line> ranges_;  // what is selected; a range may hold several lines
  text::CaptureContext captures_;
};

}  // namespace lanewise::cli::grep
