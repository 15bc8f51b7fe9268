#include "ops/sort/gpu/sort_words.h"

#include "data/type.h"
#include "expr/codegen/emitter.h"

namespace lanewise::ops {

namespace {

using What = SortWord::What;

constexpr unsigned kWordBits = 64;
constexpr unsigned kSizeBits = 32;

/// Puts parts into words, as many as fit into each.
class Words {
 public:
  void add(const SortWord::Part& part) {
    if (words_.empty() || words_.back().text || words_.back().bits + part.bits > kWordBits)
      words_.emplace_back();
    words_.back().parts.push_back(part);
    words_.back().bits += part.bits;
  }
  void add_text(size_t key) { words_.push_back({{}, key, kWordBits}); }
  std::vector<SortWord> take() { return std::move(words_); }

 private:
  std::vector<SortWord> words_;
};

}  // namespace

std::vector<SortWord> sort_words(const std::vector<plan::SortKey>& keys,
                                 const std::vector<bool>& may_be_null) {
  Words words;
  for (size_t key = 0; key < keys.size(); ++key) {
    const Type type = keys[key].expr->type;
    if (may_be_null[key]) words.add({What::kNull, key, 1});
    if (type.is_string()) {
      words.add_text(key);
      words.add({What::kSize, key, kSizeBits});  // zeros after a string look like its own
      continue;
    }
    const auto bits = static_cast<unsigned>(width(type.physical())) * 8;
    if (bits <= kWordBits) {
      words.add({What::kValue, key, type.id == TypeId::kBool ? 1 : bits});
    } else {
      words.add({What::kHigh, key, kWordBits});
      words.add({What::kLow, key, kWordBits});
    }
  }
  return words.take();
}

}  // namespace lanewise::ops
