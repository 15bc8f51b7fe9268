#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "base/error.h"
#include "lanes/targets/target.h"
#include "text/matcher.h"
#include "text/testing/text_column.h"

namespace lanewise::text::testing {

/// Every matcher supported for the pattern: all strategies, those on lanes with every target of this
/// machine, those with rows as lanes both with refill and naive.
inline std::vector<std::pair<std::string, Matcher>> every_form(const Pattern& pattern) {
  std::vector<std::pair<std::string, Matcher>> matchers;
  auto add = [&](std::string_view form, std::string_view lanes, bool naive = false) {
    try {
      MatcherOptions options{std::string(form), std::string(lanes), naive};
      const std::string name = std::string(form) + "/" + std::string(lanes) + (naive ? "/naive" : "");
      matchers.emplace_back(name, Matcher(pattern, options));
    } catch (const UserError&) {
      // Not supported for this pattern.
    }
  };
  for (std::string_view form : Matcher::form_names()) {
    if (form != "lazy" && form != "all") {
      for (lanes::Target target : lanes::supported_targets()) {
        add(form, lanes::name(target));
        const bool holds_rows =
            form == "packed" || form == "tail" || form == "approximated" || form == "rows";
        if (holds_rows) add(form, lanes::name(target), true);
      }
    } else {
      add(form, "");
    }
  }
  return matchers;
}

/// Counts the checks of a test, to show that nothing was left out.
struct FormCounts {
  std::map<std::string, size_t> pairs;     ///< of pattern and text, per form
  std::map<std::string, size_t> patterns;  ///< per form

  size_t total() const {
    size_t all = 0;
    for (const auto& [form, count] : pairs) all += count;
    return all;
  }
  void print() const {
    for (const auto& [form, count] : pairs) std::printf("  %-20s %zu pairs\n", form.c_str(), count);
  }
};

/// Checks every strategy against the expected results (a bitmap), over all rows. False after the first
/// difference.
inline bool check_every_form(const Pattern& pattern, const TextColumn& column,
                             const std::vector<uint64_t>& expected, FormCounts& counts) {
  std::vector<uint64_t> hits(expected.size());
  MatchContext context;
  for (const auto& [name, matcher] : every_form(pattern)) {
    const lanes::StringRows layouts[] = {column.narrow(), column.wide(), column.lines()};
    matcher.match(layouts[counts.patterns[name]++ % 3], nullptr, hits.data(), context);
    counts.pairs[name] += column.size();
    if (hits == expected) continue;
    for (size_t i = 0; i < column.size(); ++i) {
      if (bits::test(hits.data(), i) == bits::test(expected.data(), i)) continue;
      ADD_FAILURE() << name << " says " << bits::test(hits.data(), i) << " for pattern '" << pattern.source()
                    << "', text '" << column.texts()[i] << "', full match " << pattern.full_match();
      return false;
    }
    ADD_FAILURE() << name << " sets bits behind the last row for pattern '" << pattern.source() << "'";
    return false;
  }
  return true;
}

}  // namespace lanewise::text::testing
