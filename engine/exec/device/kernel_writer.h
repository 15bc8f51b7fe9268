#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "device/compiler.h"
#include "exec/device/aggregates.h"
#include "exec/device/program.h"
#include "expr/device/emitter.h"

namespace lanewise::exec {

/// How a column lies in a device's memory, as far as sources depend on it.
struct ColumnForm {
  Type type;
  bool nullable = false;
  bool dictionary = false;
  bool wide_offsets = false;  ///< of a dictionary's entries, if it is one
};

/// Writes the kernels of a program over columns of given forms: one for each stage, of which the last one
/// feeds aggregates or leaves a bitmap for project(); automata run between them.
///
///   filter_N   stage N: Job::kActive -> Job::kOut, both bitmaps
///   aggregate  the last stage, its rows into a State for each block at Job::kOut
///   match_N    the N-th of matches(): a MatchJob
///   project    the outputs for the rows of a list
/// and those of compact-inl.h.
class KernelWriter {
 public:
  /// `forms[i]` is of column `columns[i]` of the input. Throws expr::NotOnDevice.
  KernelWriter(const Program& program, std::vector<size_t> columns, std::vector<ColumnForm> forms);

  /// The text for aggregates: aggregates[i] takes its argument from outputs[2 * i], its filter from
  /// outputs[2 * i + 1]; either may be null.
  std::string aggregation(const std::vector<DeviceAggregate>& aggregates);
  /// The text that leaves the outputs themselves.
  std::string projection();

  /// All matches of all stages, in their order: their places in a Job.
  const std::vector<Match>& matches() const { return matches_; }
  size_t place_of(const Match& match) const;
  /// Names of kernels.
  std::string match_kernel(const Match& match) const;
  static std::string filter_kernel(size_t stage);
  /// Whether the match is asked of a dictionary's entries, instead of rows.
  bool matches_entries(const Match& match) const { return forms_[place_of(match.column)].dictionary; }
  /// Where the words of a Job lie that belong to a column (its place among `columns`), a match, an output.
  size_t column_word(size_t place) const { return kFirstWord + place * kColumnWords; }
  size_t match_word(size_t place) const { return column_word(columns_.size()) + place; }
  size_t output_word(size_t place) const { return match_word(matches_.size()) + 2 * place; }
  size_t words() const { return output_word(program_.outputs.size()); }

  // What a Job's words are. A column has its values (strings: bytes; dictionaries: codes), offsets, validity
  // and a dictionary's bytes; an output values and validity.
  enum Word : size_t { kRows, kActive, kOut, kFault, kFirstRow, kList, kFirstWord = 8 };
  static constexpr size_t kColumnWords = 4;

 private:
  enum class Access { kGroup, kRow };  // values are there for groups of rows, or are loaded by row

  std::string begin(std::string_view header) const;
  void match_kernels(std::string& text) const;
  void write_filter(std::string& text, size_t stage) const;
  void row_kernel(std::string& text, const std::string& name, const Stage& stage,
                  const std::vector<ExprPtr>& outputs, const std::string& state,
                  const std::function<void(expr::Emitter&)>& sink, const std::string& after) const;
  void pointers(expr::Emitter& out, const std::vector<size_t>& places) const;
  expr::Emitted leaf(const Expr& expr, Access access) const;
  expr::Emitted column(size_t place, Access access) const;
  size_t place_of(size_t column) const;
  std::vector<size_t> places_of(const std::vector<ExprPtr>& exprs) const;

  const Program& program_;
  const std::vector<size_t> columns_;
  const std::vector<ColumnForm> forms_;
  std::vector<Match> matches_;
};

/// The text as NVRTC is to compile it: with 128-bit integers, and with rounding as on the host.
device::KernelSource kernel_source(std::string text);

}  // namespace lanewise::exec
