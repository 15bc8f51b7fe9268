#include "text/matcher.h"

#include <atomic>

#include "base/bits.h"
#include "base/error.h"
#include "text/forms/form.h"

namespace lanewise::text {

MatchContext::MatchContext() = default;
MatchContext::~MatchContext() = default;
MatchContext::MatchContext(MatchContext&&) noexcept = default;
MatchContext& MatchContext::operator=(MatchContext&&) noexcept = default;

namespace {

lanes::Target parse_lanes(const std::string& lanes) {
  std::string known;
  for (lanes::Target target : lanes::kTargets)
    known.append(known.empty() ? "" : ", ").append(lanes::name(target));
  const std::optional<lanes::Target> target = lanes::parse_target(lanes);
  if (!target) throw UserError("unknown lanes '" + lanes + "'; known are " + known + ", simd");
  if (!lanes::supported(*target)) throw UserError("this machine does not support the lanes '" + lanes + "'");
  return *target;
}

uint64_t next_id() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace

Matcher::Matcher(Pattern pattern, const MatcherOptions& options)
    : pattern_(std::move(pattern)), id_(next_id()) {
  forms::Request request{pattern_.compiled(), std::nullopt, !options.form.empty()};
  if (!options.lanes.empty()) request.lanes = parse_lanes(options.lanes);
  bool known = options.form.empty();
  for (const forms::FormKind& kind : forms::all_forms()) {
    const std::string line = std::string(kind.name) + ": ";
    if (!options.form.empty() && kind.name != options.form) continue;
    known = true;
    if (form_) {
      reasons_ += line + "not needed\n";
      continue;
    }
    forms::Offer offer = kind.offer(request);
    if (!offer.form && !options.form.empty()) {
      throw UserError("form '" + options.form + "' is not offered for this pattern: " + offer.reason);
    }
    reasons_ += line + (offer.form ? "chosen, " : "no, ") + offer.reason + '\n';
    if (offer.form) {
      form_ = std::move(offer.form);
      name_ = kind.name;
      why_ = offer.reason;
    }
  }
  if (!known) {
    std::string names;
    for (std::string_view name : form_names()) names.append(names.empty() ? "" : ", ").append(name);
    throw UserError("unknown form '" + options.form + "'; known are " + names);
  }
  invariant(form_ != nullptr, "some form is offered for each pattern");
}

forms::FormState* Matcher::state_in(MatchContext& context) const {
  if (context.owner_ != id_) {
    context.state_ = form_->make_state();
    context.owner_ = id_;
    context.pattern_ = pattern_;
  }
  context.state_->stats = context.stats;
  return context.state_.get();
}

void Matcher::match(const StringRows& rows, const uint64_t* active, uint64_t* hits,
                    MatchContext& context) const {
  context.rows +=
      active ? bits::count(active, rows.size()) : rows.size();  // before hits, which may be active
  form_->match(rows, active, hits, state_in(context));
  context.bytes += rows.byte_count();
  context.hits += bits::count(hits, rows.size());
}

bool Matcher::match(std::string_view text, MatchContext& context) const {
  return form_->match(text, state_in(context));
}

bool Matcher::match(std::string_view text) const { return form_->match(text, form_->make_state().get()); }

std::string_view Matcher::form() const { return name_; }

std::string Matcher::describe() const { return reasons_; }

std::vector<std::string_view> Matcher::form_names() {
  std::vector<std::string_view> names;
  for (const forms::FormKind& kind : forms::all_forms()) names.push_back(kind.name);
  return names;
}

}  // namespace lanewise::text
