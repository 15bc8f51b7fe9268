#include "text/literals/word_finder.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"

namespace lanewise::text::literals {

namespace {

constexpr int kHashBits = 20;
constexpr size_t kLongestWindow = 8;

size_t block(const uint8_t* at) { return size_t{at[0]} << 8 | at[1]; }

}  // namespace

uint32_t WordFinder::hash(const uint8_t* head) const {
  uint64_t bytes = 0;
  std::memcpy(&bytes, head, window_);
  return static_cast<uint32_t>(bytes * 0x9E3779B97F4A7C15u >> (64 - kHashBits));
}

WordFinder::WordFinder(std::vector<std::string> words) : words_(std::move(words)), window_(kLongestWindow) {
  for (const std::string& word : words_) window_ = std::min(window_, word.size());
  const auto hash_of = [&](const std::string& word) {
    return hash(reinterpret_cast<const uint8_t*>(word.data()));
  };
  std::ranges::sort(words_, {}, hash_of);
  shift_.assign(size_t{1} << 16, static_cast<uint8_t>(window_ - 1));
  first_.assign((size_t{1} << kHashBits) + 1, 0);
  heads_.assign(bits::words(size_t{1} << kHashBits), 0);
  for (const std::string& word : words_) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(word.data());
    for (size_t i = 0; i + 2 <= window_; ++i) {
      uint8_t& shift = shift_[block(bytes + i)];
      shift = std::min(shift, static_cast<uint8_t>(window_ - 2 - i));
    }
    const uint32_t key = hash_of(word);
    ++first_[key + 1];
    bits::set(heads_.data(), key);
  }
  for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
}

bool WordFinder::any_at(const uint8_t* text, size_t size, size_t begin) const {
  const uint32_t key = hash(text + begin);
  if (!bits::test(heads_.data(), key)) return false;
  for (uint32_t i = first_[key]; i < first_[key + 1]; ++i) {
    const std::string& word = words_[i];
    if (word.size() <= size - begin && std::memcmp(text + begin, word.data(), word.size()) == 0) return true;
  }
  return false;
}

void WordFinder::match_lines(const uint8_t* text, size_t size, char line_end,
                             std::vector<lanes::Line>& lines) const {
  for (size_t end = window_; end <= size;) {  // of the window
    const uint8_t shift = shift_[block(text + end - 2)];
    if (shift > 0) {
      end += shift;
      continue;
    }
    const size_t begin = end - window_;
    if (!any_at(text, size, begin)) {
      ++end;
      continue;
    }
    const void* before = begin == 0 ? nullptr : memrchr(text, line_end, begin);
    const size_t from =
        before == nullptr ? 0 : static_cast<size_t>(static_cast<const uint8_t*>(before) - text) + 1;
    const void* after = std::memchr(text + begin, line_end, size - begin);
    const size_t to =
        after == nullptr ? size : static_cast<size_t>(static_cast<const uint8_t*>(after) - text) + 1;
    lines.push_back({static_cast<uint32_t>(from), static_cast<uint32_t>(to)});
    end = to + window_;
  }
}

}  // namespace lanewise::text::literals
