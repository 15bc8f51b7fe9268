#include "lanes/targets/pair_form.h"

#include <string>

#include "base/error.h"

namespace lanewise::lanes {

std::string_view name(PairForm form) {
  switch (form) {
    case PairForm::automatic:
      return "auto";
    case PairForm::naive:
      return "naive";
    case PairForm::refill:
      return "refill";
    case PairForm::balanced:
      return "balanced";
    case PairForm::whole:
      return "whole";
    case PairForm::mixed:
      return "mixed";
  }
  return "unknown";
}

PairForm require_pair_form(std::string_view text) {
  if (text.empty() || text == name(PairForm::automatic)) return PairForm::automatic;
  for (PairForm form : kPairForms) {
    if (text == name(form)) return form;
  }
  throw UserError("unknown form of pairs '" + std::string(text) +
                  "'; known are auto, naive, refill, balanced, whole, mixed");
}

}  // namespace lanewise::lanes
