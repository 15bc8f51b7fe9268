#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lanes/automata/rows.h"
#include "lanes/targets/target.h"
#include "lanes/tuning.h"
#include "text/compiled_pattern.h"
#include "text/forms/cost.h"
#include "text/string_rows.h"

namespace lanewise::text::forms {

/// What one thread keeps between calls of one form, e.g. a cache.
class FormState {
 public:
  virtual ~FormState() = default;
  lanes::Stats* stats = nullptr;  ///< where lanes count what they did, if that is requested
  double on_candidates = 0;       ///< added up: what candidates cost, by Cost's numbers, in nanoseconds
};

/// One way to answer `does the row match`. Immutable; threads share it.
class Form {
 public:
  virtual ~Form() = default;

  virtual std::unique_ptr<FormState> make_state() const { return std::make_unique<FormState>(); }
  /// As Matcher::match; `state` comes from make_state() of this form and is never null.
  virtual void match(const StringRows& rows, const uint64_t* active, uint64_t* hits,
                     FormState* state) const = 0;
  virtual bool match(std::string_view text, FormState* state) const = 0;
};

/// A form that is offered, or why it is not.
struct Offer {
  std::unique_ptr<Form> form;
  std::string reason;  ///< of the choice, or of the rejection
  Cost cost;

  static Offer of(std::unique_ptr<Form> f, std::string why, const Cost& cost) {
    return {std::move(f), std::move(why), cost};
  }
  static Offer refusal(std::string why) { return {nullptr, std::move(why), {}}; }
};

struct Request {
  const detail::CompiledPattern& pattern;
  std::optional<lanes::Target> lanes;  ///< forced; otherwise the form takes the one that suits it
  bool forced = false;                 ///< the user named the form: offer it even where it makes little sense
  uint32_t refill_below = 0;           ///< as in MatcherOptions
  lanes::Tuning tuning = {};

  lanes::Target target() const { return lanes.value_or(lanes::simd()); }
  Costs costs() const { return {target(), tuning}; }
};

/// What each form's file defines.
struct FormKind {
  std::string_view name;
  Offer (*offer)(const Request& request);
  /// Per usual byte, known in a moment; not computed for an offer where something cheaper is known. Null:
  /// nothing.
  double (*at_best)(const Request& request) = nullptr;
  bool steady = false;  ///< its cost does not depend on what rows hold
};

/// All forms; the cheapest that is offered is taken.
std::span<const FormKind* const> all_forms();

/// The cheapest of the steady forms for patterns that are not fixed strings.
Offer steadiest(const Request& request);

/// What that costs at best, per usual byte, without making it.
double steadiest_at_best(const Request& request);

/// Clears the bits of rows with less than `shortest` bytes.
void keep_long(const StringRows& rows, size_t shortest, uint64_t* active);

/// `form` applied only to rows of at least `shortest` bytes; no other can match.
std::unique_ptr<Form> long_rows(std::unique_ptr<Form> form, size_t shortest);

}  // namespace lanewise::text::forms
