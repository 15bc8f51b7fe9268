#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lanes/rows.h"
#include "lanes/target.h"
#include "text/compiled_pattern.h"
#include "text/string_rows.h"

namespace lanewise::text::forms {

/// What one thread keeps between calls of one form, e.g. a cache.
class FormState {
 public:
  virtual ~FormState() = default;
  lanes::Stats* stats = nullptr;  ///< where lanes count what they did, if somebody asks
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
  std::string reason;  ///< of the choice, or of the refusal

  static Offer of(std::unique_ptr<Form> f, std::string why) { return {std::move(f), std::move(why)}; }
  static Offer refusal(std::string why) { return {nullptr, std::move(why)}; }
};

struct Request {
  const detail::CompiledPattern& pattern;
  std::optional<lanes::Target> lanes;  ///< forced; otherwise the form takes the one that suits it
  bool forced = false;                 ///< the user named the form: offer it even where it makes little sense
};

/// A row of the table of forms.
struct FormKind {
  std::string_view name;
  Offer (*offer)(const Request& request);
};

/// All forms; the first that is offered is taken, so cheaper ones stand in front.
std::span<const FormKind> all_forms();

// One per file of this folder.
Offer offer_all(const Request& request);
Offer offer_equality(const Request& request);
Offer offer_prefix(const Request& request);
Offer offer_suffix(const Request& request);
Offer offer_contains(const Request& request);
Offer offer_pieces(const Request& request);
Offer offer_packed(const Request& request);
Offer offer_filtered(const Request& request);
Offer offer_rows(const Request& request);
Offer offer_lazy(const Request& request);

}  // namespace lanewise::text::forms
