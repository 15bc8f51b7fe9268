#include <algorithm>

#include "base/bits.h"
#include "text/forms/form.h"

namespace lanewise::text::forms {
namespace {

template <class Offset>
void keep_long_offsets(const Offset* offsets, size_t count, Offset shortest, uint64_t* active) {
  for (size_t first = 0; first < count; first += 64) {
    const size_t rows = std::min<size_t>(64, count - first);
    uint64_t word = 0;
    for (size_t i = 0; i < rows; ++i) {
      const Offset* at = offsets + first + i;
      word |= uint64_t{at[1] - at[0] >= shortest} << i;
    }
    active[first / 64] &= word;
  }
}

class LongRows final : public Form {
 public:
  LongRows(std::unique_ptr<Form> form, size_t shortest) : form_(std::move(form)), shortest_(shortest) {}
  std::unique_ptr<FormState> make_state() const override { return form_->make_state(); }
  void match(const lanes::StringRows& rows, const uint64_t* active, uint64_t* hits,
             FormState* state) const override {
    const size_t words = bits::words(rows.count);
    std::vector<uint64_t> asked(words, ~uint64_t{0});
    if (active) std::copy_n(active, words, asked.data());
    const size_t all = active ? bits::count(active, rows.count) : rows.count;
    forms::keep_long(rows, shortest_, asked.data());
    const size_t left = bits::count(asked.data(), rows.count);
    if (left == 0) {
      std::fill_n(hits, words, 0);
    } else if (2 * left > all) {
      form_->match(rows, active, hits, state);  // excluding a few rows does not pay
    } else {
      form_->match(rows, asked.data(), hits, state);
    }
  }
  bool match(std::string_view text, FormState* state) const override {
    return text.size() >= shortest_ && form_->match(text, state);
  }

 private:
  const std::unique_ptr<Form> form_;
  const size_t shortest_;
};

}  // namespace

void keep_long(const lanes::StringRows& rows, size_t shortest, uint64_t* active) {
  shortest += rows.gap;
  if (rows.offsets64 != nullptr) {
    keep_long_offsets<uint64_t>(rows.offsets64, rows.count, shortest, active);
  } else {
    keep_long_offsets<uint32_t>(rows.offsets32, rows.count, static_cast<uint32_t>(shortest), active);
  }
}

std::unique_ptr<Form> long_rows(std::unique_ptr<Form> form, size_t shortest) {
  return std::make_unique<LongRows>(std::move(form), shortest);
}

}  // namespace lanewise::text::forms
