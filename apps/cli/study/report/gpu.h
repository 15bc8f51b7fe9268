#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "study/report/results.h"

namespace lanewise::cli::study {

/// The limits of the GPU as measured (bench::measure_card); null: there is no GPU, or it failed.
const Json* card_of(const Results& results);

/// Bytes per second that a kernel reads from the card's memory; 0: not known.
double card_rate(const Results& results);

/// Adds a line from the first to the last x at the card's rate, if it is known.
void add_card_limit(std::vector<plot::Series>& series, const Results& results);

/// Says of each level that has no times why, once for each reason.
void write_not_measured(Page& page, const Groups& groups);

/// Whether a level of the groups was measured.
bool has_level(const Groups& groups, const std::string& level);

/// The seconds of one of a level's steps ("copy in"), or 0.
double step_of(const Json& level, const std::string& step);

/// The sections on the GPU of both chapters.
void write_warps(Page& page, const Results& results);
void write_pairs(Page& page, const Results& results);
void write_device_operators(Page& page, const Results& results);

/// The least and the greatest of some numbers, as text: "1.2 to 3.4".
class Range {
 public:
  void add(double value) {
    least_ = std::min(least_, value), most_ = std::max(most_, value);
    ++count_;
  }
  bool empty() const { return count_ == 0; }
  double least() const { return least_; }
  double most() const { return most_; }
  std::string text(const char* unit = "") const;

 private:
  double least_ = 1e300, most_ = -1e300;
  size_t count_ = 0;
};

/// How far two lists of numbers rise and fall together: 1 entirely, 0 not at all (Pearson's correlation).
double correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace lanewise::cli::study
