#include "ops/join/lookup_choice.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/int128.h"

namespace lanewise::ops {

namespace {

using Reason = LookupReason::Kind;

constexpr std::pair<std::string_view, LookupForm> kLookupForms[] = {{"", LookupForm::automatic},
                                                                    {"hash", LookupForm::hash},
                                                                    {"bytes", LookupForm::bytes},
                                                                    {"direct", LookupForm::direct},
                                                                    {"bitmap", LookupForm::bitmap}};
constexpr uint64_t kMostForced = uint64_t{1} << 20;  // numbers

/// Whether an entry for each number, 4 bytes or a bit, takes no more than a hash table would.
bool is_narrow(uint64_t span, size_t rows, bool existence) {
  return span < (existence ? 32 : 8) * rows + 1024;
}

bool allows(const KeyFacts& keys, LookupForm form) {
  switch (form) {
    case LookupForm::automatic:
    case LookupForm::bytes:
      return true;
    case LookupForm::hash:
      return keys.are_words;
    case LookupForm::bitmap:
      if (!keys.existence) return false;
      [[fallthrough]];
    case LookupForm::direct:
      return keys.are_words && keys.are_integers && keys.span && *keys.span < kMostForced;
  }
  return false;
}

LookupChoice fastest(const KeyFacts& keys) {
  if (!keys.are_words) return {LookupForm::bytes, keys.reason(Reason::kNotWords)};
  if (!keys.are_integers) return {LookupForm::hash, keys.reason(Reason::kNotIntegers)};
  if (!keys.span) return {LookupForm::hash, keys.reason(Reason::kNoKey)};
  if (!is_narrow(*keys.span, keys.rows, keys.existence))
    return {LookupForm::hash, keys.reason(Reason::kWide)};
  if (keys.existence) return {LookupForm::bitmap, keys.reason(Reason::kExistence)};
  return {LookupForm::direct, keys.reason(Reason::kNarrow)};
}

}  // namespace

LookupForm require_lookup_form(std::string_view text) {
  for (const auto& [name, form] : kLookupForms)
    if (text == name) return form;
  throw UserError(fmt::format("unknown lookup of joins '{}'; known are hash, bytes, direct, bitmap", text));
}

LookupChoice choose_lookup(const KeyFacts& keys, LookupForm forced) {
  if (forced != LookupForm::automatic && allows(keys, forced)) return {forced, keys.reason(Reason::kForced)};
  LookupChoice choice = fastest(keys);
  choice.reason.impossible = forced != LookupForm::automatic;
  return choice;
}

std::string LookupReason::text() const {
  const auto of_kind = [this]() -> std::string {
    switch (kind) {
      case Kind::kForced:
        return "forced";
      case Kind::kImpossible:
        return "the forced lookup is not possible";
      case Kind::kExistence:
        return "the join needs only whether a key is there";
      case Kind::kNarrow:
        return "their range is narrow";
      case Kind::kWide:
        return fmt::format("their range of {} numbers is too wide", static_cast<uint128_t>(span) + 1);
      case Kind::kNotIntegers:
        return "they are not integers";
      case Kind::kNotWords:
        return "they do not fit in 64 bits";
      case Kind::kSeveralKeys:
        return "they are several columns";
      case Kind::kNoKey:
        return "there are none";
      case Kind::kAscending:
        return "they ascend";
      case Kind::kPlaced:
        return "rows are placed by number";
      case Kind::kFull:
        return "each number is a key";
      case Kind::kRepeated:
        return "they repeat in a narrow range";
    }
    return "unknown";
  };
  if (!impossible) return of_kind();
  return LookupReason{Kind::kImpossible}.text() + ", and " + of_kind();
}

}  // namespace lanewise::ops
