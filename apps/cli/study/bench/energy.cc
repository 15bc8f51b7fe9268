#include "study/bench/energy.h"

#include <algorithm>
#include <fstream>

#include "gpu/error.h"
#include "study/bench/gpu_energy.h"

namespace lanewise::cli::bench {

namespace {

/// The number in a file; nothing if it cannot be read.
std::optional<double> number_in(const std::filesystem::path& path) {
  std::ifstream in(path);
  double number = 0;
  if (in >> number) return number;
  return {};
}

std::string text_in(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string text;
  std::getline(in, text);
  return text;
}

std::optional<double> combine(std::optional<double> a, std::optional<double> b, auto f) {
  if (!a || !b) return {};
  return f(*a, *b);
}

}  // namespace

Joules Joules::operator-(const Joules& other) const {
  const auto minus = [](double a, double b) { return a - b; };
  return {combine(processor, other.processor, minus), combine(gpu, other.gpu, minus)};
}

Joules Joules::operator/(double runs) const {
  const auto by = [](double a, double b) { return a / b; };
  return {combine(processor, runs, by), combine(gpu, runs, by)};
}

Energy::Energy(const std::filesystem::path& powercap) {
  std::error_code error;
  bool there = false;
  for (const auto& entry : std::filesystem::directory_iterator(powercap, error)) {
    if (!text_in(entry.path() / "name").starts_with("package")) continue;
    there = true;
    const std::filesystem::path file = entry.path() / "energy_uj";
    const std::optional<double> now = number_in(file);
    if (!now) continue;
    packages_.push_back({file, number_in(entry.path() / "max_energy_range_uj").value_or(0), *now, 0});
  }
  if (!packages_.empty()) return;
  why_no_processor_ = there ? "the counters of the processor are for the administrator only"
                            : "this system shows no counters of the processor (" + powercap.string() + ")";
}

Joules Energy::read() {
  Joules joules;
  for (Package& package : packages_) {
    const double now = number_in(package.file).value_or(package.last);
    package.sum += now < package.last ? now + package.range - package.last : now - package.last;
    package.last = now;
    joules.processor = joules.processor.value_or(0) + package.sum * 1e-6;
  }
  joules.gpu = used_joules();
  return joules;
}

std::string Energy::why_no_gpu() const { return why_no_joules(); }

}  // namespace lanewise::cli::bench
