#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lanes/automata/rows.h"
#include "lanes/string_rows.h"
#include "lanes/tuning.h"
#include "text/pattern/pattern.h"

namespace lanewise::text {

namespace forms {
class Form;
class FormState;
struct Offer;
}  // namespace forms

/// Nanoseconds per byte as descriptions show them: "0.17".
std::string show_cost(double nanoseconds);

/// The state of one matching thread: caches and counters. A context serves any matcher, one at a time,
/// and is reset when the matcher changes. Not for two threads at once.
class MatchContext {
 public:
  MatchContext();
  ~MatchContext();
  MatchContext(MatchContext&&) noexcept;
  MatchContext& operator=(MatchContext&&) noexcept;

  uint64_t rows = 0;              ///< active rows
  uint64_t bytes = 0;             ///< bytes of all rows, active or not
  uint64_t hits = 0;              ///< rows that matched
  lanes::Stats* stats = nullptr;  ///< where lanes count their steps; null: no counting

 private:
  friend class Matcher;
  uint64_t owner_ = 0;              // the matcher that state_ belongs to
  std::optional<Pattern> pattern_;  // keeps alive the pattern that state_ refers to
  std::unique_ptr<forms::FormState> state_, steady_state_;
  int steady_batches_ = 0;  // batches left in the data-independent strategy, after too many candidates
  int patience_ = 0;        // the previous value of steady_batches_; it grows if that repeats
};

struct MatcherOptions {
  std::string form;  ///< one of Matcher::form_names(); empty: the matcher chooses
  std::string
      lanes;  ///< a lane target by name, for the forms that use lanes; empty: the widest of this machine
  uint32_t refill_below =
      0;  ///< lanes are refilled once fewer are busy; 0: as tuned, 1: once none is (naive)
  lanes::Tuning tuning = {};  ///< measured on this machine
};

/// Decides whether rows of a string column match the pattern. Immutable, shared freely between
/// threads. It uses the match strategy with the lowest estimated cost, including the number of candidates
/// that its filters are expected to pass. If a batch shows that there are too many candidates, later batches
/// use the cheapest strategy that does not depend on them.
class Matcher {
 public:
  /// Chooses a match strategy. Throws UserError if options.form or options.lanes is unknown, or not supported
  /// for this pattern or machine.
  explicit Matcher(Pattern pattern, const MatcherOptions& options = {});

  /// Sets bit i % 64 of hits[i / 64] for each row i that matches and is active; all other bits of the (rows +
  /// 63) / 64 words become 0. `active` has the same layout; null means all rows. `hits` may be `active`.
  void match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
             MatchContext& context) const;

  /// Matches one string. The context may be omitted if speed does not matter.
  bool match(std::string_view text, MatchContext& context) const;
  bool match(std::string_view text) const;

  const Pattern& pattern() const { return pattern_; }
  /// Name of the strategy in use, such as "contains" or "packed".
  std::string_view form() const;
  /// Why it was chosen, and its details.
  const std::string& why() const { return why_; }
  /// Estimated nanoseconds per byte, for rows of average length.
  double cost() const;
  /// The other strategies, with the costs of the supported ones: "costlier: packed 0.17, rows 0.90; not
  /// offered: equality, prefix".
  const std::string& rejected() const { return rejected_; }
  /// The strategy and the reason for it, and why each other strategy was not chosen; one line each.
  std::string describe() const;

  /// The names of all strategies, in the order in which they are tried.
  static std::vector<std::string_view> form_names();

 private:
  struct Choice;

  forms::FormState* state_in(MatchContext& context) const;

  Pattern pattern_;
  std::shared_ptr<const Choice> choice_;  // refers to the pattern
  std::string_view name_;
  std::string why_;
  std::string rejected_;
  std::string reasons_;
  uint64_t id_;
};

}  // namespace lanewise::text
