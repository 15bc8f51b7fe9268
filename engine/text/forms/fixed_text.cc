#include "text/forms/fixed_text.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"

namespace lanewise::text::forms {
namespace {

template <Place kPlace>
class FixedText final : public Form {
 public:
  explicit FixedText(std::string text) : text_(std::move(text)) {
    const size_t size = std::min<size_t>(text_.size(), 8);
    std::memcpy(&head_, text_.data(), size);
    mask_ = size == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * size) - 1;
  }
  void match(const StringRows& rows, const uint64_t* active, uint64_t* hits, FormState*) const override {
    if (rows.has_wide_offsets()) {
      match(rows, rows.wide_offsets(), active, hits);
    } else {
      match(rows, rows.narrow_offsets(), active, hits);
    }
  }
  bool match(std::string_view text, FormState*) const override {
    if constexpr (kPlace == Place::kWhole) return text == text_;
    return kPlace == Place::kBegin ? text.starts_with(text_) : text.ends_with(text_);
  }

 private:
  template <class Offset>
  void match(const StringRows& rows, const Offset* offsets, const uint64_t* active, uint64_t* hits) const {
    static constexpr uint8_t kNoBytes[8] = {};
    const uint8_t* bytes = rows.bytes() == nullptr ? kNoBytes : rows.bytes();
    for (size_t word = 0; word < bits::words(rows.size()); ++word) {
      const size_t first = 64 * word, count = std::min<size_t>(64, rows.size() - first);
      const uint64_t asked = active ? active[word] : ~uint64_t{0};
      hits[word] = asked == 0 ? 0 : asked & match_word(bytes, offsets + first, count, rows.gap());
    }
  }

  template <class Offset>
  uint64_t match_word(const uint8_t* bytes, const Offset* offsets, size_t count, uint32_t gap) const {
    uint64_t found = 0;
    for (size_t i = 0; i < count; ++i) {
      const size_t begin = offsets[i], size = offsets[i + 1] - gap - begin;
      const bool fits = kPlace == Place::kWhole ? size == text_.size() : size >= text_.size();
      const uint8_t* at = bytes + begin + (kPlace == Place::kEnd && fits ? size - text_.size() : 0);
      uint64_t head;
      std::memcpy(&head, at, 8);  // readable behind every row
      found |= static_cast<uint64_t>(fits & (((head ^ head_) & mask_) == 0)) << i;
    }
    if (text_.size() <= 8) return found;
    for (uint64_t rest = found; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(rest));
      const uint8_t* at = bytes + (kPlace == Place::kEnd ? offsets[i + 1] - gap - text_.size() : offsets[i]);
      if (std::memcmp(at + 8, text_.data() + 8, text_.size() - 8) != 0) found &= ~(uint64_t{1} << i);
    }
    return found;
  }

  const std::string text_;
  uint64_t head_ = 0, mask_;  // its first 8 bytes
};

}  // namespace

Offer fixed_text(std::string text, Place place, std::string why) {
  std::unique_ptr<Form> form;
  switch (place) {
    case Place::kWhole:
      form = std::make_unique<FixedText<Place::kWhole>>(std::move(text));
      break;
    case Place::kBegin:
      form = std::make_unique<FixedText<Place::kBegin>>(std::move(text));
      break;
    case Place::kEnd:
      form = std::make_unique<FixedText<Place::kEnd>>(std::move(text));
      break;
  }
  return Offer::of(std::move(form), std::move(why), {.per_row = kTestCost});
}

}  // namespace lanewise::text::forms
