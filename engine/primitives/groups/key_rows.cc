#include "primitives/groups/key_rows.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"

namespace lanewise {

KeyRows::KeyRows(const std::vector<Type>& types)
    : mask_words_(bits::words(types.size())), head_(mask_words_) {
  for (const Type type : types) {
    widths_.push_back(key_width(type));
    at_.push_back(head_);
    head_ += static_cast<size_t>(std::max(1, widths_.back()));
  }
}

KeyRows::Encoded KeyRows::encode(std::span<const KeyWords> keys, const uint32_t* rows, size_t count,
                                 Arena& arena) const {
  Encoded result{arena.allocate<const uint8_t*>(count), arena.allocate<uint64_t>(count)};
  std::fill_n(result.sizes, count, head_ * 8);
  const auto row_of = [rows](size_t i) { return rows != nullptr ? rows[i] : static_cast<uint32_t>(i); };
  for (const KeyWords& key : keys) {
    if (key.text == nullptr) continue;
    for (size_t i = 0; i < count; ++i) {
      if (!key.is_null(row_of(i))) result.sizes[i] += key.text->text(row_of(i)).size();
    }
  }
  size_t total = 0;
  for (size_t i = 0; i < count; ++i) total += (result.sizes[i] + 7) / 8 * 8;
  auto* next = arena.allocate<uint64_t>(total / 8);
  auto** heads = arena.allocate<uint64_t*>(count);
  auto** tails = arena.allocate<uint8_t*>(count);
  for (size_t i = 0; i < count; ++i) {
    heads[i] = next;
    tails[i] = reinterpret_cast<uint8_t*>(next + head_);
    result.bytes[i] = reinterpret_cast<uint8_t*>(next);
    next += (result.sizes[i] + 7) / 8;
    std::fill_n(heads[i], head_, 0);
  }
  for (size_t k = 0; k < keys.size(); ++k) {
    const KeyWords& key = keys[k];
    for (size_t i = 0; i < count; ++i) {
      const uint32_t row = row_of(i);
      if (key.is_null(row)) {
        heads[i][k / 64] |= uint64_t{1} << (k % 64);
      } else if (key.width == 1) {
        heads[i][at_[k]] = key.words[row];
      } else if (key.width == 2) {
        std::copy_n(key.words + size_t{row} * 2, 2, heads[i] + at_[k]);
      } else {
        const std::string_view text = key.text->text(row);
        heads[i][at_[k]] = text.size();
        if (!text.empty()) std::memcpy(tails[i], text.data(), text.size());
        tails[i] += text.size();
      }
    }
  }
  return result;
}

}  // namespace lanewise
