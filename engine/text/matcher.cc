#include "text/matcher.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>

#include "base/bits.h"
#include "base/error.h"
#include "text/forms/form.h"

namespace lanewise::text {

std::string show_cost(double nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", nanoseconds);
  return text;
}

MatchContext::MatchContext() = default;
MatchContext::~MatchContext() = default;
MatchContext::MatchContext(MatchContext&&) noexcept = default;
MatchContext& MatchContext::operator=(MatchContext&&) noexcept = default;

namespace {

uint64_t next_id() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace

/// The strategy, and another one for rows with too many candidates.
struct Matcher::Choice {
  explicit Choice(const forms::Request& r) : request(r) {}

  const forms::Request request;
  forms::Offer offer;
  bool adapts = false;
  mutable std::once_flag steady_once;
  mutable forms::Offer steady;

  const forms::Offer& steadiest() const {
    std::call_once(steady_once, [this] { steady = forms::steadiest(request); });
    return steady;
  }
  /// Whether a batch with this many requested rows, which took `spent` nanoseconds, is better
  /// left to the data-independent strategy.
  bool is_too_dear(double spent, const lanes::StringRows& rows, size_t asked) const {
    const auto bytes = static_cast<double>(rows.byte_count()), count = static_cast<double>(rows.count);
    const double asked_bytes = bytes * static_cast<double>(asked) / count;
    if (spent <= forms::steadiest_at_best(request) * asked_bytes) return false;
    return spent > steadiest().cost.per_byte_of(bytes / count) * asked_bytes;
  }
};

namespace {

constexpr const char* kPerByte = " ns per byte";

/// The strategies that were tried, in their order, and the cheapest offer.
struct Selection {
  struct Tried {
    std::string_view name;
    std::string reason;
    std::optional<double> cost;  // absent: not supported
  };

  std::vector<Tried> tried;
  forms::Offer best;
  std::string_view name;  // of the best

  /// As Matcher::describe() shows it.
  std::string reasons() const {
    std::string lines;
    for (const Tried& one : tried) {
      lines.append(one.name).append(one.name == name ? ": chosen, " : ": ").append(one.reason) += '\n';
    }
    return lines;
  }

  /// As Matcher::rejected() shows it.
  std::string rejected() const {
    std::string costlier, not_offered;
    const auto add = [](std::string& list, std::string_view one) {
      list.append(list.empty() ? "" : ", ").append(one);
    };
    for (const Tried& one : tried) {
      if (one.name == name) continue;
      if (one.cost) {
        add(costlier, std::string(one.name) + " " + show_cost(*one.cost));
      } else {
        add(not_offered, one.name);
      }
    }
    std::string text;
    if (!costlier.empty()) text = "costlier: " + costlier;
    if (!not_offered.empty()) text += (costlier.empty() ? "" : "; ") + ("not offered: " + not_offered);
    return text;
  }
};

/// Tries one strategy; computes its offer only where it may be the cheapest so far.
void try_form(const forms::FormKind& kind, const forms::Request& request, Selection& selection) {
  forms::Offer& best = selection.best;
  const auto note = [&](std::string reason, std::optional<double> cost) {
    selection.tried.push_back({kind.name, std::move(reason), cost});
  };
  if (request.pattern.words() != nullptr && !request.forced && kind.name != "words") {
    return note("no, the pattern is a list of words", std::nullopt);
  }
  const double least = kind.at_best ? kind.at_best(request) : 0;
  if (best.form && least >= best.cost.per_usual_byte()) {
    return note("no, at best " + show_cost(least) + kPerByte, least);
  }
  forms::Offer offer = kind.offer(request);
  if (!offer.form && request.forced) {
    throw UserError("the match strategy '" + std::string(kind.name) +
                    "' does not support this pattern: " + offer.reason);
  }
  if (!offer.form) return note("no, " + offer.reason, std::nullopt);
  const double cost = offer.cost.per_usual_byte();
  note(offer.reason + ", " + show_cost(cost) + kPerByte, cost);
  if (best.form && cost >= best.cost.per_usual_byte()) return;
  best = std::move(offer);
  selection.name = kind.name;
}

/// Tries all strategies, or only the one that the user named.
Selection select_form(const forms::Request& request, const std::string& named) {
  Selection selection;
  for (const forms::FormKind* kind : forms::all_forms()) {
    if (named.empty() || kind->name == named) try_form(*kind, request, selection);
  }
  if (selection.tried.empty()) {
    std::string names;
    for (std::string_view name : Matcher::form_names()) names.append(names.empty() ? "" : ", ").append(name);
    throw UserError("unknown match strategy '" + named + "': choose one of " + names);
  }
  invariant(selection.best.form != nullptr, "some form is offered for each pattern");
  return selection;
}

forms::Request request_for(const Pattern& pattern, const MatcherOptions& options) {
  forms::Request request{pattern.compiled(), std::nullopt, !options.form.empty(), options.refill_below,
                         options.tuning};
  if (!options.lanes.empty()) request.lanes = lanes::require_target(options.lanes);
  if (options.lanes == "packed") request.tuning.packed_only = true;
  return request;
}

}  // namespace

Matcher::Matcher(Pattern pattern, const MatcherOptions& options)
    : pattern_(std::move(pattern)), id_(next_id()) {
  auto choice = std::make_shared<Choice>(request_for(pattern_, options));
  Selection selection = select_form(choice->request, options.form);
  name_ = selection.name;
  why_ = selection.best.reason;
  rejected_ = selection.rejected();
  reasons_ = selection.reasons();
  choice->offer = std::move(selection.best);
  constexpr size_t kLong = 64;  // bytes; shorter rows are few where this many are requested
  if (const size_t shortest = pattern_.compiled().lengths.shortest; shortest >= kLong) {
    choice->offer.form = forms::long_rows(std::move(choice->offer.form), shortest);
    why_ += ", rows of at least " + std::to_string(shortest) + " bytes only";
  }
  choice->adapts = options.form.empty() && choice->offer.cost.on_candidates > 0;
  if (choice->adapts) reasons_ += "where more is found: the cheapest of the forms that look at every byte\n";
  choice_ = std::move(choice);
}

forms::FormState* Matcher::state_in(MatchContext& context) const {
  if (context.owner_ != id_) {
    context.state_ = choice_->offer.form->make_state();
    context.steady_state_.reset();
    context.steady_batches_ = context.patience_ = 0;
    context.owner_ = id_;
    context.pattern_ = pattern_;
  }
  context.state_->stats = context.stats;
  return context.state_.get();
}

void Matcher::match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
                    MatchContext& context) const {
  constexpr size_t kTelling = 1 << 12;  // bytes; smaller batches prove nothing
  constexpr int kPatience = 31;  // after at most this many batches, the first strategy gets another chance
  const size_t asked =
      active ? bits::count(active, rows.count) : rows.count;  // before hits is written, which may be active
  context.rows += asked;
  context.bytes += rows.byte_count();
  forms::FormState* state = state_in(context);
  if (context.steady_batches_ > 0) {
    --context.steady_batches_;
    context.steady_state_->stats = context.stats;
    choice_->steadiest().form->match(rows, active, hits, context.steady_state_.get());
  } else {
    state->on_candidates = 0;
    choice_->offer.form->match(rows, active, hits, state);
    if (choice_->adapts && rows.byte_count() >= kTelling) {
      const double spent =
          choice_->offer.cost.per_byte * static_cast<double>(rows.byte_count()) + state->on_candidates;
      if (choice_->is_too_dear(spent, rows, asked)) {
        if (!context.steady_state_) context.steady_state_ = choice_->steadiest().form->make_state();
        context.patience_ = std::min(2 * context.patience_ + 1, kPatience);
        context.steady_batches_ = context.patience_;
      } else {
        context.patience_ = 0;
      }
    }
  }
  context.hits += bits::count(hits, rows.count);
}

bool Matcher::match(std::string_view text, MatchContext& context) const {
  return choice_->offer.form->match(text, state_in(context));
}

bool Matcher::match(std::string_view text) const {
  return choice_->offer.form->match(text, choice_->offer.form->make_state().get());
}

double Matcher::cost() const { return choice_->offer.cost.per_usual_byte(); }

std::string_view Matcher::form() const { return name_; }

std::string Matcher::describe() const { return reasons_; }

std::vector<std::string_view> Matcher::form_names() {
  std::vector<std::string_view> names;
  for (const forms::FormKind* kind : forms::all_forms()) names.push_back(kind->name);
  return names;
}

}  // namespace lanewise::text
