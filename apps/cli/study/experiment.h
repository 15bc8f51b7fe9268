#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "study/bench/bench.h"

namespace lanewise::cli::study {

/// The experiments of a study, and their size.
struct Parameters {
  std::vector<std::string> parts;  ///< strings, operators, index, pram
  bool quick = false;
  uint64_t most_rows = 0;  ///< of any input; 0: as the experiment says
  uint64_t seed = 1;
  int repeat = 5;
  std::string device = "auto";
};

/// Runs benchmarks for an experiment and collects their results.
class Measure {
 public:
  Measure(const Parameters& parameters, double read_rate, const Cancellation& cancellation,
          std::function<void(const std::string&)> say);

  bool quick() const { return parameters_.quick; }
  /// A number of rows: the first for --quick, otherwise the second, and never more than the user allows.
  uint64_t rows(uint64_t quick, uint64_t full) const;

  /// Whether the user allows a GPU, and there is one.
  bool has_device() const;
  const std::string& device() const { return parameters_.device; }

  void scan(bench::ScanOptions options);
  void strings(bench::StringsOptions options);
  void index(bench::IndexBenchOptions options);
  void pairs(bench::PairsOptions options);
  void sql(bench::SqlBenchOptions options);
  /// With `rounds` times as many rounds as the user requested.
  void pram(bench::PramBenchOptions options, int rounds = 1);
  void add(bench::Group group) { groups_.push_back(std::move(group)); }

  const Parameters& parameters() const { return parameters_; }
  const std::vector<bench::Group>& groups() const { return groups_; }

 private:
  template <class Options, class Run>
  void measure(const char* name, Options options, Run run, int rounds = 1, double enough = 3);

  const Parameters& parameters_;
  const double read_rate_;
  const Cancellation& cancellation_;
  const std::function<void(const std::string&)> say_;
  std::vector<bench::Group> groups_;
};

/// A part of a study that is measured, stored and resumed as a whole.
struct Experiment {
  std::string part;
  std::string name;
  double weight;  ///< its duration, relative to the others
  std::function<void(Measure&)> run;

  std::string id() const { return part + "-" + name; }
};

/// All of them, in the order of the report.
std::span<const Experiment> experiments();

}  // namespace lanewise::cli::study
