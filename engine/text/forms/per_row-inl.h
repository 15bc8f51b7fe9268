#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/bits.h"
#include "text/forms/form.h"

namespace lanewise::text::forms {

/// Calls test(text) for the active rows among up to 64 that start at row `first`; returns their word of the
/// bitmap.
template <class Offset, class Test>
uint64_t match_word(const uint8_t* bytes, const Offset* offsets, uint32_t gap, size_t first, size_t count,
                    uint64_t active, const Test& test) {
  const char* text = reinterpret_cast<const char*>(bytes);
  const Offset* at = offsets + first;
  uint64_t hits = 0;
  if (active == ~uint64_t{0} && count == 64) {
    for (size_t i = 0; i < 64; ++i) {
      hits |= uint64_t{test(std::string_view(text + at[i], at[i + 1] - at[i] - gap))} << i;
    }
    return hits;
  }
  for (uint64_t rest = active & bits::low_mask(count); rest != 0; rest &= rest - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(rest));
    hits |= uint64_t{test(std::string_view(text + at[i], at[i + 1] - at[i] - gap))} << i;
  }
  return hits;
}

template <class Offset, class Test>
void match_each_of(const uint8_t* bytes, const Offset* offsets, uint32_t gap, size_t rows,
                   const uint64_t* active, uint64_t* hits, const Test& test) {
  for (size_t word = 0; word < bits::words(rows); ++word) {
    const size_t first = word * 64;
    const uint64_t asked = active ? active[word] : ~uint64_t{0};
    hits[word] = match_word(bytes, offsets, gap, first, std::min<size_t>(64, rows - first), asked, test);
  }
}

/// Form::match by test(text) of each active row.
template <class Test>
void match_each(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits, const Test& test) {
  if (rows.offsets64 != nullptr) {
    match_each_of(rows.bytes, rows.offsets64, rows.gap, rows.count, active, hits, test);
  } else {
    match_each_of(rows.bytes, rows.offsets32, rows.gap, rows.count, active, hits, test);
  }
}

/// A strategy that tests one row after the other with a function object.
template <class Test>
class PerRow final : public Form {
 public:
  explicit PerRow(Test test) : test_(std::move(test)) {}
  void match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
             FormState*) const override {
    match_each(rows, active, hits, test_);
  }
  bool match(std::string_view text, FormState*) const override { return test_(text); }

 private:
  const Test test_;
};

template <class Test>
std::unique_ptr<Form> per_row(Test test) {
  return std::make_unique<PerRow<Test>>(std::move(test));
}

}  // namespace lanewise::text::forms
