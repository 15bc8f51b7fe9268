#pragma once

#include "lanes/search/find_set.h"
#include "text/forms/form.h"

namespace lanewise::text::forms {

/// Finds the rows that contain one of several sequences, searching all rows at once with lanes.
class SequenceSearch final : public Form {
 public:
  SequenceSearch(const Request& request, const std::vector<lanes::Sequence>& sequences);

  void match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
             FormState* state) const override;
  bool match(std::string_view text, FormState*) const override {
    return on_lanes_.in(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  }

  const Cost& cost() const { return cost_; }
  /// "one of 5 sequences of bytes".
  std::string what() const;

 private:
  const size_t count_;
  lanes::SequenceFinder on_lanes_;
  Cost cost_;
};

}  // namespace lanewise::text::forms
