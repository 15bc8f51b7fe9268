#include "primitives/groups/packed_keys.h"

#include <algorithm>

namespace lanewise {

namespace {

constexpr int kWordBits = 64;

int bits_of(Type type) { return static_cast<int>(width(type.physical())) * 8; }

}  // namespace

int PackedKeys::words(std::span<const Type> types) {
  if (!std::all_of(types.begin(), types.end(),
                   [](Type type) { return key_width(type) == 1 && !key_is_lossy(type); }))
    return 0;
  const std::vector<int> words = PackedKeys(types).words_;
  const int count = words.empty() ? 0 : *std::max_element(words.begin(), words.end()) + 1;
  return count <= 2 ? count : 0;
}

PackedKeys::PackedKeys(std::span<const Type> types) {
  std::vector<int> used;  // bits, by word
  for (const Type type : types) {
    const int bits = bits_of(type);
    size_t word = 0;  // the first with room
    while (word < used.size() && used[word] + bits > kWordBits) ++word;
    if (word == used.size()) used.push_back(0);
    words_.push_back(static_cast<int>(word));
    shifts_.push_back(used[word]);
    bits_.push_back(bits);
    used[word] += bits;
  }
}

void PackedKeys::pack(std::span<const KeyWords> keys, size_t rows, int word, uint64_t* to) const {
  std::fill_n(to, rows, 0);
  for (size_t k = 0; k < keys.size(); ++k) {
    if (words_[k] != word) continue;
    const uint64_t mask = bits_[k] == kWordBits ? ~uint64_t{0} : (uint64_t{1} << bits_[k]) - 1;
    for (size_t i = 0; i < rows; ++i) to[i] |= (keys[k].words[i] & mask) << shifts_[k];
  }
}

}  // namespace lanewise
