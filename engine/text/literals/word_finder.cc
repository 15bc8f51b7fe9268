#include "text/literals/word_finder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/bits.h"
#include "text/captures/engines/start_condition.h"
#include "text/unicode/utf8.h"

namespace lanewise::text::literals {

namespace {

constexpr size_t kHead = sizeof(uint64_t);
constexpr uint64_t kOnes = 0x0101010101010101;

uint64_t first_bytes(uint64_t head, size_t bytes) {
  return bytes >= kHead ? head : head & ((uint64_t{1} << (8 * bytes)) - 1);
}

/// 24 bits. Constant shifts are faster than variable ones.
uint64_t hash(uint64_t bytes) { return bytes * 0x9E3779B97F4A7C15 >> 40; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

/// lower() of eight bytes.
uint64_t lower(uint64_t bytes) {
  const uint64_t low = bytes & (kOnes * 0x7F);
  const uint64_t from_a = low + kOnes * (0x80 - 'A'), beyond_z = low + kOnes * (0x7F - 'Z');
  return bytes | ((from_a ^ beyond_z) & ~bytes & (kOnes * 0x80)) >> 2;
}

/// The bytes at a position, padded with 0 after the text's end.
uint64_t load(const char* at, size_t left) {
  uint64_t head = 0;
  std::memcpy(&head, at, std::min(left, kHead));
  return head;
}

constexpr size_t kWindows[] = {1, 2, 4, 6, 8, SIZE_MAX};
constexpr size_t kHashBits = 24;

uint64_t hashes_for(size_t words, int more) {
  return uint64_t{1} << std::clamp<size_t>(std::bit_width(words) + more, 10, kHashBits);
}

}  // namespace

WordFinder::WordFinder(const WordSet& set)
    : count_(set.words.size()),
      fold_(set.fold),
      before_(set.before),
      after_(set.after),
      case_bits_(set.fold == Fold::kNone ? 0 : kOnes * 0x20),
      start_hashes_(hashes_for(count_, 5)),
      starts_(bits::words(start_hashes_)) {
  for (size_t i = 0; i < tables_.size(); ++i) fill(i, set);
}

void WordFinder::fill(size_t number, const WordSet& set) {
  Table& table = tables_[number];
  table.window = kWindows[number];
  for (uint32_t order = 0; order < set.words.size(); ++order) {
    const std::string& word = set.words[order];
    if (word.size() < table.window || word.size() >= kWindows[number + 1]) continue;
    table.words.push_back({load(word.data(), word.size()), static_cast<uint32_t>(text_.size()),
                           static_cast<uint32_t>(word.size()), order});
    text_ += word;
  }
  if (table.words.empty()) return;
  // Six bytes are as selective as eight.
  const bool has_six = table.window == 8 && !tables_[number - 1].words.empty();
  const uint64_t mask = first_bytes(~uint64_t{0}, has_six ? 6 : std::max<size_t>(table.window, 2));
  if (masks_.empty() || masks_.back() != mask) masks_.push_back(mask);
  for (const Word& word : table.words) {
    const uint64_t head = (word.head | case_bits_) & mask;
    // Any byte may follow a word of one byte.
    for (uint64_t next = 0; next < (table.window == 1 ? 256 : 1); ++next)
      bits::set(starts_.data(),
                hash(table.window == 1 ? (head & 0xFF) | next << 8 : head) & (start_hashes_ - 1));
  }
  table.hashes = hashes_for(table.words.size(), 2);
  const auto key = [&](const Word& word) {
    return hash(first_bytes(word.head | case_bits_, table.window)) & (table.hashes - 1);
  };
  std::ranges::stable_sort(table.words, {}, key);
  table.first.resize(table.hashes + 1);
  for (const Word& word : table.words) ++table.first[key(word) + 1];
  for (size_t i = 1; i < table.first.size(); ++i) table.first[i] += table.first[i - 1];
}

/// The first position of [from, size) where a word may start; npos if there is none.
template <size_t kMasks>
size_t WordFinder::scan(std::string_view text, size_t from) const {
  const uint64_t* starts = starts_.data();
  const uint64_t last_hash = start_hashes_ - 1;
  const uint64_t case_bits = case_bits_;
  uint64_t masks[kMasks];
  std::copy_n(masks_.begin(), kMasks, masks);
  const auto passes = [&](uint64_t head) {
    head |= case_bits;
    for (size_t i = 0; i < kMasks; ++i) {
      if (bits::test(starts, hash(head & masks[i]) & last_hash)) return true;
    }
    return false;
  };
  size_t at = from;
  for (; at + kHead <= text.size(); ++at) {
    uint64_t head;
    std::memcpy(&head, text.data() + at, kHead);
    if (passes(head)) return at;
  }
  for (; at < text.size(); ++at) {
    if (passes(load(text.data() + at, text.size() - at))) return at;
  }
  return std::string_view::npos;
}

size_t WordFinder::candidate(std::string_view text, size_t from) const {
  switch (masks_.size()) {
    case 1:
      return scan<1>(text, from);
    case 2:
      return scan<2>(text, from);
    default:
      return scan<3>(text, from);
  }
}

bool WordFinder::same(const Word& word, const char* text) const {
  const char* rest = text_.data() + word.at + kHead;
  const size_t size = word.size - kHead;
  if (fold_ == Fold::kNone) return std::memcmp(text + kHead, rest, size) == 0;
  return std::equal(rest, rest + size, text + kHead, [](char a, char b) { return a == lower(b); });
}

size_t WordFinder::end_at(std::string_view text, size_t at) const {
  const size_t left = text.size() - at;
  uint64_t head = load(text.data() + at, left);
  const uint64_t hashed = head | case_bits_;
  if (fold_ != Fold::kNone) head = lower(head);
  uint32_t order = UINT32_MAX;
  size_t end = 0;
  for (const Table& table : tables_) {
    if (table.words.empty() || left < table.window) continue;
    const uint64_t key = hash(first_bytes(hashed, table.window)) & (table.hashes - 1);
    for (uint32_t i = table.first[key]; i < table.first[key + 1]; ++i) {
      const Word& word = table.words[i];
      if (word.order > order || word.size > left || word.head != first_bytes(head, word.size)) continue;
      if (word.size > kHead && !same(word, text.data() + at)) continue;
      const size_t after = at + word.size;
      if (after_ != 0 && (captures::assertions_at(text, after, after_) & after_) != after_) continue;
      order = word.order;
      end = after;
    }
  }
  return end;
}

bool WordFinder::matches_at(std::string_view text, size_t at) const {
  const bool begins = before_ == 0 || (captures::assertions_at(text, at, before_) & before_) == before_;
  return begins && end_at(text, at) > 0;
}

std::optional<WordFinder::Match> WordFinder::next_folded(std::string_view text, size_t from) const {
  if (before_ & syntax::kBeginText) {
    const size_t end = from == 0 && !text.empty() ? end_at(text, 0) : 0;
    return end > 0 ? std::optional(Match{0, end}) : std::nullopt;
  }
  for (size_t at = candidate(text, from); at < text.size(); at = candidate(text, at + 1)) {
    if (before_ != 0 && (captures::assertions_at(text, at, before_) & before_) != before_) continue;
    if (const size_t end = end_at(text, at); end > 0) return Match{at, end};
  }
  return std::nullopt;
}

bool WordFinder::folds(std::string_view text) const {
  return fold_ == Fold::kUnicode && !unicode::is_ascii(text);
}

std::optional<WordFinder::Match> WordFinder::next(std::string_view text, size_t from) const {
  if (!folds(text)) return next_folded(text, from);
  std::string folded;
  std::vector<size_t> places;
  fold_text(text, folded, &places);
  const auto first = static_cast<size_t>(std::ranges::lower_bound(places, from) - places.begin());
  const std::optional<Match> match = next_folded(folded, first);
  if (!match) return std::nullopt;
  return Match{places[match->begin], places[match->end]};
}

bool WordFinder::in(std::string_view text) const {
  if (!folds(text)) return next_folded(text, 0).has_value();
  thread_local std::string folded;
  folded.clear();
  fold_text(text, folded, nullptr);
  return next_folded(folded, 0).has_value();
}

bool WordFinder::takes_lines(char line_end) const { return text_.find(line_end) == std::string::npos; }

void WordFinder::match_lines(const uint8_t* bytes, size_t size, char line_end,
                             std::vector<lanes::Line>& lines) const {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const bool at_begin = (before_ & (syntax::kBeginText | syntax::kBeginLine)) != 0;
  const bool sees_line = before_ != 0 || after_ != 0;
  size_t begin = 0, end = 0;  // of a line
  const auto find_line = [&](size_t at) {
    if (at < end) return;
    const size_t before = at == 0 ? std::string_view::npos : text.rfind(line_end, at - 1);
    begin = before == std::string_view::npos ? 0 : before + 1;
    end = text.find(line_end, at) + 1;
  };
  for (size_t at = 0; (at = at_begin ? at : candidate(text, at)) < size;) {
    bool found;
    if (sees_line) {
      find_line(at);
      found = at + 1 < end && matches_at(text.substr(begin, end - 1 - begin), at - begin);
    } else {
      found = end_at(text, at) > 0;
    }
    if (found) {
      find_line(at);
      lines.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    }
    at = found || at_begin ? end : at + 1;
  }
}

}  // namespace lanewise::text::literals
