#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lanes/automata/rows.h"
#include "text/automaton/product.h"
#include "text/matcher.h"
#include "text/pattern/pattern.h"

namespace lanewise::text {

/// Finds which of several patterns a row matches, with one automaton for all of them.
class PatternSet {
 public:
  using Which = automaton::Which;

  /// The set of 1 to 64 patterns. nullopt if their automaton would exceed the limits.
  static std::optional<PatternSet> make(std::span<const Pattern> patterns, Which which,
                                        const Limits& limits = {});

  /// Bit i is set if a row with this code matches pattern i; with Which::kFirst, one bit is set. Code 0 is
  /// not a pattern.
  uint64_t patterns(uint8_t code) const { return product_->sets[code]; }
  /// One more than the largest code.
  size_t codes() const { return product_->sets.size(); }
  /// The code of one text.
  uint8_t match(std::string_view text) const;

 private:
  friend class SetMatcher;
  explicit PatternSet(automaton::Product product)
      : product_(std::make_shared<automaton::Product>(std::move(product))) {}

  std::shared_ptr<const automaton::Product> product_;
};

/// A set's automaton on lanes. Immutable, shared freely between threads.
class SetMatcher {
 public:
  /// Uses the option `form` if it is "packed" or "rows". Throws UserError if that is not supported,
  /// and for lanes that are unknown or not supported.
  explicit SetMatcher(const PatternSet& set, const MatcherOptions& options = {});

  /// Sets bit i of hits if row i is active and matches a pattern, else clears it, like
  /// Matcher::match; codes[i] of these rows becomes the row's code. Other codes are unchanged. Adds to
  /// `stats`.
  void match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits, uint8_t* codes,
             lanes::Stats* stats = nullptr) const;

  /// Estimated nanoseconds per byte.
  double cost() const { return cost_; }
  /// A lower bound of the cost of any set on this machine's widest lanes, known without compiling.
  static double least_cost();
  /// "packed (registers of avx512, 18 states x 9 classes); costlier: rows 0.90".
  const std::string& describe() const { return description_; }

 private:
  std::shared_ptr<const automaton::Product> product_;
  std::shared_ptr<const lanes::RowMatcher> lanes_;
  double cost_;
  std::string description_;
};

}  // namespace lanewise::text
