#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lanewise::cli::bench {

/// What counters of energy show; nothing where there is no counter.
struct Joules {
  std::optional<double> processor = {};  ///< all packages, without memory
  std::optional<double> gpu = {};

  Joules operator-(const Joules& other) const;
  Joules operator/(double runs) const;
};

/// The counters of the processor (RAPL) and of the first GPU (NVML). They include all programs on the
/// machine, and its idle power.
class Energy {
 public:
  explicit Energy(const std::filesystem::path& powercap = "/sys/class/powercap");

  /// Since an unspecified moment.
  Joules read();
  /// Why there is no counter; empty if there is one.
  const std::string& why_no_processor() const { return why_no_processor_; }
  std::string why_no_gpu() const;

 private:
  /// A counter of microjoules that starts again after `range`.
  struct Package {
    std::filesystem::path file;
    double range, last, sum;
  };
  std::vector<Package> packages_;
  std::string why_no_processor_;
};

}  // namespace lanewise::cli::bench
