#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lanes/automata/rows.h"
#include "lanes/string_rows.h"
#include "lanes/targets/target.h"
#include "lanes/tuning.h"
#include "text/forms/cost.h"
#include "text/pattern/compiled_pattern.h"

namespace lanewise::text::forms {

/// The state of one thread between calls of one strategy, e.g. a cache.
class FormState {
 public:
  virtual ~FormState() = default;
  lanes::Stats* stats = nullptr;  ///< where lanes count their steps, if requested
  double on_candidates = 0;       ///< accumulated cost of candidates, by Cost's numbers, in nanoseconds
};

/// A match strategy. Immutable; threads share it.
class Form {
 public:
  virtual ~Form() = default;

  virtual std::unique_ptr<FormState> make_state() const { return std::make_unique<FormState>(); }
  /// Like Matcher::match; `state` comes from make_state() of this strategy and is never null.
  virtual void match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
                     FormState* state) const = 0;
  virtual bool match(std::string_view text, FormState* state) const = 0;
};

/// A supported strategy, or the reason why it is not supported.
struct Offer {
  std::unique_ptr<Form> form;
  std::string reason;  ///< reason of the choice, or of the rejection
  Cost cost;

  static Offer of(std::unique_ptr<Form> f, std::string why, const Cost& cost) {
    return {std::move(f), std::move(why), cost};
  }
  static Offer refusal(std::string why) { return {nullptr, std::move(why), {}}; }
};

struct Request {
  const detail::CompiledPattern& pattern;
  std::optional<lanes::Target> lanes;  ///< forced; otherwise the strategy takes the fastest target
  bool forced = false;                 ///< the user named the strategy: support it even if it is slow
  uint32_t refill_below = 0;           ///< as in MatcherOptions
  lanes::Tuning tuning = {};

  lanes::Target target() const { return lanes.value_or(lanes::simd()); }
  Costs costs() const { return {target(), tuning}; }
};

/// Defined by each strategy's file.
struct FormKind {
  std::string_view name;
  Offer (*offer)(const Request& request);
  /// A cheap lower bound of the cost per average byte; strategies that cannot be the cheapest are not built.
  /// Null: nothing.
  double (*at_best)(const Request& request) = nullptr;
  bool steady = false;  ///< the cost does not depend on the rows' contents
};

/// All strategies; the cheapest supported one is used.
std::span<const FormKind* const> all_forms();

/// The cheapest data-independent strategy for patterns that are not fixed strings.
Offer steadiest(const Request& request);

/// A lower bound of its cost per average byte, without building it.
double steadiest_at_best(const Request& request);

/// Clears the bits of rows with fewer than `shortest` bytes.
void keep_long(const lanes::StringRows& rows, size_t shortest, uint64_t* active);

/// `form` applied only to rows of at least `shortest` bytes; shorter rows cannot match.
std::unique_ptr<Form> long_rows(std::unique_ptr<Form> form, size_t shortest);

}  // namespace lanewise::text::forms
