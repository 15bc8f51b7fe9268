#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "study/plot/plot.h"
#include "study/report/page.h"

namespace lanewise::cli::study {

/// The measurements of a study, for plots and tables.
class Results {
 public:
  explicit Results(const Json& study) : study_(study) {}

  const Json& machine() const { return study_["machine"]; }
  double machine(const char* name) const { return study_["machine"][name].get<double>(); }
  const Json& experiments() const { return study_["experiments"]; }
  bool has_gpu() const { return !study_["machine"]["gpu"].get<std::string>().empty(); }
  /// A text for a caption, without its part on GPUs if there is none.
  std::string state(const std::string& text) const {
    return has_gpu() ? text : text.substr(0, text.find("; on a GPU"));
  }
  /// The groups of an experiment, or those of them whose `about` has these values.
  std::vector<const Json*> groups(const std::string& part, const std::string& name,
                                  const Json& about = {}) const;
  std::vector<const Json*> all() const;

 private:
  const Json& study_;
};

using Groups = std::vector<const Json*>;

/// The measured level of this name; null: there is none.
const Json* level_of(const Json& group, const std::string& name);

/// The median of this level; 0: not measured.
double seconds_of(const Json& group, const std::string& name);

/// Whether this level runs on a GPU by CUDA, and whether its time includes copies to it and back.
bool is_on_gpu(const std::string& level);
bool has_transfers(const std::string& level);

/// The levels that were measured in any of the groups, in their order.
std::vector<std::string> levels_of(const Groups& groups);

/// The value to plot for a level, from its time in seconds.
using Value = std::function<double(const Json& group, double seconds)>;
double gb_per_second(const Json& group, double seconds);
double million_rows(const Json& group, double seconds);
double milliseconds(const Json& group, double seconds);

/// One line for each of `levels` (empty: for all), over the number `x` of the groups.
std::vector<plot::Series> lines(const Groups& groups, const std::string& x, const Value& value,
                                std::vector<std::string> levels = {});

/// A level line from the first to the last x of the others.
plot::Series limit(const std::vector<plot::Series>& others, const std::string& name, double y);

/// How the times were measured: "Hot, data in memory ...; medians of 5 runs; ...", and a warning if the
/// machine was busy.
std::string how_measured(const Groups& groups, const std::string& state);
/// The same for a table or a heat map, which does not show single runs.
std::string how_measured_without_runs(const Groups& groups, const std::string& state);

/// The number of a JSON object, or 0.
double number(const Json& object, const std::string& name);

/// "12.3 ms".
std::string time_text(double seconds);

/// "2.5 ×", or a dash if one of them is not known.
std::string ratio_text(double a, double b);
/// Three digits, without an exponent: "0.0134", "3,950".
std::string digits_text(double value);
std::string time_or_dash(double seconds);

/// The first line of a reason, shortened.
std::string reason_text(const std::string& reason);

}  // namespace lanewise::cli::study
