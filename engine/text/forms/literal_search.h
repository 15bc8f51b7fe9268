#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lanes/search/find.h"
#include "text/forms/finder.h"
#include "text/forms/form.h"

namespace lanewise::text::forms {

/// Finds the rows that contain a non-empty string, searching all rows at once with lanes.
class LiteralSearch final : public Form {
 public:
  LiteralSearch(const Request& request, const std::string& needle);

  void match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
             FormState* state) const override;
  bool match(std::string_view text, FormState*) const override { return finder_.in(text); }

  const Cost& cost() const { return cost_; }

 private:
  Finder finder_;
  lanes::LiteralFinder on_lanes_;
  Cost cost_;
};

}  // namespace lanewise::text::forms
