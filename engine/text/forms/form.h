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

/// What bounds the speed of a strategy on a GPU.
enum class GpuCost : uint8_t {
  kEnds,   ///< a few bytes of each row, at one end
  kText,   ///< all bytes, each read once
  kSteps,  ///< a step of an automaton for each byte
};

/// How a strategy runs on a GPU.
struct GpuKernel {
  std::string_view header;  ///< in ops/filter/gpu, without "-inl.h"
  /// The body, for a parameter `job`. {offset} is the type of offsets, {rows} those that are tested,
  /// {shared} whether the automaton's table is in shared memory.
  std::string_view call;
  GpuCost cost;
  bool tests_all_rows = false;  ///< it cannot leave rows out
  /// The string of at most kMostGpuNeedle bytes that the kernel searches for; null: it does not support the
  /// pattern. Without such a function it runs the pattern's automaton.
  const std::string* (*needle)(const detail::CompiledPattern& pattern) = nullptr;
};
inline constexpr size_t kMostGpuNeedle = 64;

/// For GpuKernel::needle: the string that is the pattern, at the ends of rows that are given.
const std::string* gpu_needle(const detail::CompiledPattern& pattern, bool at_begin, bool at_end);

/// Defined by each strategy's file.
struct FormKind {
  std::string_view name;
  Offer (*offer)(const Request& request);
  /// A cheap lower bound of the cost per average byte; strategies that cannot be the cheapest are not built.
  /// Null: nothing.
  double (*at_best)(const Request& request) = nullptr;
  bool steady = false;                ///< the cost does not depend on the rows' contents
  std::optional<GpuKernel> gpu = {};  ///< nothing: cores only
};

/// All strategies; the cheapest supported one is used.
std::span<const FormKind* const> all_forms();

/// The strategy of a GPU: the first one that supports the pattern, or the automaton's.
const FormKind& gpu_form(const detail::CompiledPattern& pattern, bool all_rows, bool only_automata = false);

/// The cheapest data-independent strategy for patterns that are not fixed strings.
Offer steadiest(const Request& request);

/// A lower bound of its cost per average byte, without building it.
double steadiest_at_best(const Request& request);

/// Clears the bits of rows with fewer than `shortest` bytes.
void keep_long(const lanes::StringRows& rows, size_t shortest, uint64_t* active);

/// `form` applied only to rows of at least `shortest` bytes; shorter rows cannot match.
std::unique_ptr<Form> long_rows(std::unique_ptr<Form> form, size_t shortest);

}  // namespace lanewise::text::forms
