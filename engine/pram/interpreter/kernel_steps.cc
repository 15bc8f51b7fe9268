#include "pram/interpreter/kernel_steps.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace lanewise::pram {

namespace {

/// The first and the last value of each changed cell.
std::vector<Change> in_all(std::vector<Change> changes) {
  const auto where = [](const Change& change) {
    return std::tuple(!change.shared, change.index, change.cell);
  };
  std::stable_sort(changes.begin(), changes.end(),
                   [&](const Change& a, const Change& b) { return where(a) < where(b); });
  std::vector<Change> result;
  for (const Change& change : changes) {
    if (!result.empty() && where(result.back()) == where(change)) {
      result.back().after = change.after;
    } else {
      result.push_back(change);
    }
  }
  std::erase_if(result, [](const Change& change) { return change.before == change.after; });
  return result;
}

}  // namespace

KernelSteps::KernelSteps(Interpreter& interpreter, const Passes& passes)
    : interpreter_(interpreter), meta_(compile(interpreter.program().tree(), passes)), units_(meta_) {}

bool KernelSteps::step() {
  if (interpreter_.done()) return false;
  std::vector<Change> changes;
  std::vector<uint32_t> candidates = units_.of(*interpreter_.next());
  done_.push_back(0);
  do {
    if (!interpreter_.step()) break;
    if (done_.back()++ == 0) active_ = interpreter_.last_active();
    last_ = candidates.front();
    changes.insert(changes.end(), interpreter_.changes().begin(), interpreter_.changes().end());
    if (interpreter_.done()) break;
    // A condition may be part of several kernels: the next statement determines which one this is.
    const std::vector<uint32_t>& next = units_.of(*interpreter_.next());
    std::vector<uint32_t> both;
    std::set_intersection(candidates.begin(), candidates.end(), next.begin(), next.end(),
                          std::back_inserter(both));
    candidates = std::move(both);
  } while (!candidates.empty() && units_[candidates.front()].kind == Unit::Kind::kKernel);
  changes_ = in_all(std::move(changes));
  return true;
}

bool KernelSteps::back() {
  if (done_.empty() || interpreter_.remembered() < done_.back()) return false;
  for (size_t i = 0; i < done_.back(); ++i) interpreter_.back();
  done_.pop_back();
  changes_.clear();
  return true;
}

}  // namespace lanewise::pram
