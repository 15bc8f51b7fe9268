#include "primitives/grouping.h"

#include <algorithm>
#include <cstring>

#include "primitives/hash.h"

namespace lanewise {

namespace {

constexpr uint32_t kNullTag = 0x5bd1e995;

uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

struct Kept {
  uint64_t size;
  const uint8_t* bytes;
};
Kept kept_at(uint64_t word) {
  const auto* at = reinterpret_cast<const uint8_t*>(word);
  return {hash::load8(at), at + 8};
}

bool same(uint64_t word, const uint8_t* bytes, uint64_t size) {
  const Kept kept = kept_at(word);
  return kept.size == size && hash::same_bytes(kept.bytes, bytes, size);
}

}  // namespace

Grouping::Grouping(std::vector<Type> types, MemoryBudget* budget, std::string_view what)
    : types_(std::move(types)),
      budget_(budget),
      what_(what),
      form_(types_.size() != 1          ? Form::kRow
            : key_width(types_[0]) == 1 ? Form::kWord
            : key_width(types_[0]) == 0 ? Form::kText
                                        : Form::kRow),
      layout_(types_),
      table_(budget, what),
      direct_(budget, what),
      kept_(budget, what),
      words_(budget, what),
      tags_(budget, what) {
  for (size_t i = 0; i < types_.size(); ++i) first_values_.emplace_back(budget, what);
}

void Grouping::find_or_add(std::span<const Vector> keys, const ActiveSet& rows, uint32_t* groups) {
  std::vector<KeyWords> words;
  for (const Vector& key : keys) words.push_back(key_words(key, rows));
  const std::span<const uint32_t> unknown = direct_.find(words, rows, groups);
  if (unknown.empty()) return;
  Arena& arena = rows.arena();
  const uint32_t* list = unknown.data();
  size_t count = unknown.size();
  if (form_ != Form::kRow && words[0].validity != nullptr) {
    auto* left = arena.allocate<uint32_t>(count);
    std::copy_n(list, count, left);
    count = take_nulls(words[0], keys, left, count, groups);
    list = left;
  } else if (count == rows.rows()) {
    list = nullptr;
  }
  if (form_ == Form::kWord) {
    find_words(words[0], keys, list, count, arena, groups);
  } else {
    find_bytes(words, keys, list, count, arena, groups);
  }
  direct_.learn(unknown, groups);
}

size_t Grouping::take_nulls(const KeyWords& key, std::span<const Vector> keys, uint32_t* rows, size_t count,
                            uint32_t* groups) {
  size_t left = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t row = rows[i];
    if (!key.is_null(row)) {
      rows[left++] = row;
      continue;
    }
    if (null_group_ == HashTable::kNone) null_group_ = append(kNullTag, 0, keys, row).group;
    groups[row] = null_group_;
  }
  return left;
}

void Grouping::find_words(const KeyWords& key, std::span<const Vector> keys, const uint32_t* rows,
                          size_t count, Arena& arena, uint32_t* groups) {
  const uint64_t* words = key.words;
  uint32_t* found = groups;
  if (rows != nullptr) {
    auto* list = arena.allocate<uint64_t>(count);
    for (size_t i = 0; i < count; ++i) list[i] = key.words[rows[i]];
    words = list;
    found = arena.allocate<uint32_t>(count);
  }
  auto* tags = arena.allocate<uint32_t>(count);
  for (size_t i = 0; i < count; ++i) tags[i] = tag_of(hash::of_word(words[i]));
  table_.find_or_add<false>(
      tags, count, [&](size_t i, uint64_t word) { return words[i] == word; },
      [&](size_t i) {
        return append(tags[i], words[i], keys, rows != nullptr ? rows[i] : static_cast<uint32_t>(i));
      },
      found);
  if (rows == nullptr) return;
  for (size_t i = 0; i < count; ++i) groups[rows[i]] = found[i];
}

void Grouping::find_bytes(std::span<const KeyWords> words, std::span<const Vector> keys, const uint32_t* rows,
                          size_t count, Arena& arena, uint32_t* groups) {
  KeyRows::Encoded rows_bytes{};
  if (form_ == Form::kRow) {
    rows_bytes = layout_.encode(words, rows, count, arena);
  } else {
    rows_bytes = {arena.allocate<const uint8_t*>(count), arena.allocate<uint64_t>(count)};
    for (size_t i = 0; i < count; ++i) {
      const std::string_view text = words[0].text->text(rows != nullptr ? rows[i] : static_cast<uint32_t>(i));
      rows_bytes.bytes[i] = reinterpret_cast<const uint8_t*>(text.data());
      rows_bytes.sizes[i] = text.size();
    }
  }
  const auto* const bytes = rows_bytes.bytes;
  const auto* const sizes = rows_bytes.sizes;
  auto* tags = arena.allocate<uint32_t>(count);
  for (size_t i = 0; i < count; ++i) tags[i] = tag_of(hash::of_bytes(bytes[i], sizes[i]));
  uint32_t* found = rows == nullptr ? groups : arena.allocate<uint32_t>(count);
  table_.find_or_add<true>(
      tags, count, [&](size_t i, uint64_t word) { return same(word, bytes[i], sizes[i]); },
      [&](size_t i) {
        return append(tags[i], keep(bytes[i], sizes[i]), keys,
                      rows != nullptr ? rows[i] : static_cast<uint32_t>(i));
      },
      found);
  if (rows == nullptr) return;
  for (size_t i = 0; i < count; ++i) groups[rows[i]] = found[i];
}

void Grouping::absorb(const Grouping& other, std::span<const uint32_t> from, uint32_t* to) {
  std::vector<uint32_t> tags(from.size());
  for (size_t i = 0; i < from.size(); ++i) tags[i] = other.tags_[from[i]];
  const auto add = [&](size_t i, uint64_t word) {
    const uint32_t group = append(tags[i], word, {}, 0).group;
    for (size_t k = 0; k < types_.size(); ++k) {
      if (!key_is_lossy(types_[k])) continue;
      const size_t size = width(types_[k].physical());
      first_values_[k].append(other.first_values_[k].data() + from[i] * size, size);
    }
    return HashTable::Key{word, group};
  };
  // The group of a lone NULL is not in the table: the rows before it and after it are.
  const auto null = std::find(from.begin(), from.end(), other.null_group_);
  const auto null_at = static_cast<size_t>(null - from.begin());
  const auto absorb_range = [&](size_t first, size_t last) {
    const auto word_of = [&](size_t i) { return other.words_[from[first + i]]; };
    if (form_ == Form::kWord) {
      table_.find_or_add<false>(
          tags.data() + first, last - first, [&](size_t i, uint64_t word) { return word == word_of(i); },
          [&](size_t i) { return add(first + i, word_of(i)); }, to + first);
    } else {
      table_.find_or_add<true>(
          tags.data() + first, last - first,
          [&](size_t i, uint64_t word) {
            const Kept kept = kept_at(word_of(i));
            return same(word, kept.bytes, kept.size);
          },
          [&](size_t i) { return add(first + i, word_of(i)); }, to + first);
    }
  };
  absorb_range(0, null_at);
  if (null == from.end()) return;
  if (null_group_ == HashTable::kNone) null_group_ = add(null_at, 0).group;
  to[null_at] = null_group_;
  absorb_range(null_at + 1, from.size());
}

HashTable::Key Grouping::append(uint32_t tag, uint64_t word, std::span<const Vector> keys, uint32_t row) {
  for (size_t k = 0; k < keys.size(); ++k) {
    if (!key_is_lossy(types_[k])) continue;
    const size_t size = width(types_[k].physical());
    const Vector& key = keys[k];
    const auto* values = static_cast<const uint8_t*>(key.values);
    size_t at = key.constant ? 0 : row;
    if (key.form == Vector::Form::kDictionary) {
      values = key.dictionary->values.data();
      at = key.is_null(row) ? 0 : key.as<uint32_t>()[row];
    }
    first_values_[k].append(values + at * size, size);
  }
  words_.push_back(word);
  tags_.push_back(tag);
  return {word, size() - 1};
}

uint64_t Grouping::keep(const uint8_t* bytes, size_t size) {
  uint8_t* to = kept_.allocate(size + 8);
  const uint64_t stored = size;
  std::memcpy(to, &stored, 8);
  if (size != 0) std::memcpy(to + 8, bytes, size);
  return reinterpret_cast<uint64_t>(to);
}

Partitions partition(std::span<const uint32_t> tags, int bits) {
  Partitions result;
  result.starts.assign((size_t{1} << bits) + 1, 0);
  const auto part = [bits](uint32_t tag) { return size_t{tag & ((uint32_t{1} << bits) - 1)}; };
  for (const uint32_t tag : tags) ++result.starts[part(tag) + 1];
  for (size_t p = 1; p < result.starts.size(); ++p) result.starts[p] += result.starts[p - 1];
  std::vector<uint32_t> next = result.starts;
  result.groups.resize(tags.size());
  for (uint32_t group = 0; group < tags.size(); ++group) result.groups[next[part(tags[group])]++] = group;
  return result;
}

}  // namespace lanewise
