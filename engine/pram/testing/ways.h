// Counts how random programs were run, and how they ended.
#pragma once

#include <iostream>
#include <map>
#include <string>

#include "pram/machine/options.h"
#include "pram/meta/passes.h"
#include "pram/testing/outcome.h"

namespace lanewise::pram {

class Ways {
 public:
  void count(const Outcome& expected, const Options& options) {
    ++seen_[expected.error.empty() ? "ends well" : expected.conflict ? "conflict" : "error"];
    if (options.check) {
      ++seen_["checked"];
      return;
    }
    for (const PassInfo& info : passes()) {
      ++seen_[std::string(info.name) + (has(options.passes, info.pass) ? " on" : " off")];
    }
    static constexpr const char* kForms[] = {"auto", "bitset", "list"};
    ++seen_[std::string("sets: ") + kForms[static_cast<size_t>(options.active)]];
  }
  void print() const {
    for (const auto& [what, count] : seen_) std::cout << what << ": " << count << "\n";
  }
  /// By name: three ends, checked, each pass on and off, three forms.
  const std::map<std::string, int>& seen() const { return seen_; }
  static size_t possible() { return 3 + 1 + 2 * passes().size() + 3; }

 private:
  std::map<std::string, int> seen_;
};

}  // namespace lanewise::pram
