#include "primitives/groups/grouping.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "data/packed.h"
#include "primitives/groups/hash.h"
#include "primitives/groups/kept_bytes.h"

namespace lanewise {

namespace {

uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

/// A nested value's bytes, equal for equal values.
std::string_view normal_text(Type type, std::string_view text, Arena& arena) {
  char* const to = arena.allocate<char>(text.size());
  std::copy(text.begin(), text.end(), to);
  packed::normalize(type, {to, text.size()});
  return {to, text.size()};
}

uint64_t hash_of(uint64_t word, uint64_t high) { return hash::of_word(word ^ hash::of_word(high)); }

}  // namespace

Grouping::Form Grouping::form_of(std::span<const Type> types) {
  if (types.size() != 1) return PackedKeys::words(types) != 0 ? Form::kPacked : Form::kRow;
  const int words = key_width(types[0]);
  return words == 1 ? Form::kWord : words == 0 ? Form::kText : Form::kRow;
}

Grouping::Grouping(std::vector<Type> types, Form form, MemoryBudget* budget, std::string_view what)
    : types_(std::move(types)),
      budget_(budget),
      what_(what),
      form_(form),
      layout_(types_),
      table_(budget, what),
      direct_(budget, what),
      kept_(budget, what),
      words_(budget, what),
      tags_(budget, what),
      first_texts_(budget, what),
      high_(budget, what) {
  for (size_t i = 0; i < types_.size(); ++i) first_values_.emplace_back(budget, what);
  if (form_ == Form::kPacked) {
    packed_.emplace(types_);
    wide_ = PackedKeys::words(types_) == 2;
  }
}

void Grouping::reserve(size_t keys) {
  table_.reserve(keys);
  words_.reserve(keys);
  if (wide_) high_.reserve(keys);
  tags_.reserve(keys);
}

void Grouping::clear() {
  table_.clear();
  direct_ = DirectGroups(budget_, what_);
  kept_ = ByteStore(budget_, what_);
  words_.resize(0);
  high_.resize(0);
  tags_.resize(0);
  for (auto& values : first_values_) values.resize(0);
  first_texts_ = ByteStore(budget_, what_);
  null_group_ = HashTable::kNone;
  nulls_.reset();
  null_groups_.clear();
}

std::unique_ptr<Grouping> Grouping::take() {
  std::unique_ptr<Grouping> taken(new Grouping(types_, form_, budget_, what_));
  std::swap(taken->kept_, kept_);
  std::swap(taken->words_, words_);
  std::swap(taken->high_, high_);
  std::swap(taken->tags_, tags_);
  std::swap(taken->first_values_, first_values_);
  std::swap(taken->first_texts_, first_texts_);
  std::swap(taken->null_group_, null_group_);
  std::swap(taken->nulls_, nulls_);
  std::swap(taken->null_groups_, null_groups_);
  table_.clear();
  direct_ = DirectGroups(budget_, what_);
  return taken;
}

std::vector<Vector> Grouping::comparable(std::span<const Vector> keys, const ActiveSet& rows) const {
  std::vector<Vector> result(keys.begin(), keys.end());
  for (Vector& key : result) {
    if (!key.type.is_nested() || !key_is_lossy(key.type)) continue;
    const uint32_t count = key.constant ? 1 : rows.rows();
    auto* texts = rows.arena().allocate<std::string_view>(count);
    std::fill_n(texts, count, std::string_view());
    const ActiveSet wanted = key.constant ? ActiveSet(1, rows.arena()) : rows;
    wanted.for_each([&](uint32_t row) {
      if (!key.is_null(row)) texts[row] = normal_text(key.type, key.text(row), rows.arena());
    });
    key.values = texts;
    key.form = Vector::Form::kValues;
  }
  return result;
}

void Grouping::find_or_add(std::span<const Vector> keys, const ActiveSet& rows, uint32_t* groups) {
  const std::vector<Vector> compared = comparable(keys, rows);
  std::vector<KeyWords> words;
  for (const Vector& key : compared) words.push_back(key_words(key, rows));
  const std::span<const uint32_t> unknown = direct_.find(words, rows, groups);
  if (unknown.empty()) return;
  Arena& arena = rows.arena();
  const uint32_t* list = unknown.data();
  size_t count = unknown.size();
  if (form_ == Form::kPacked) {
    const auto complete = take_null_rows(words, keys, rows, unknown, groups);
    list = complete.size() == rows.rows() ? nullptr : complete.data();
    count = complete.size();
  } else if (form_ != Form::kRow && words[0].validity != nullptr) {
    auto* left = arena.allocate<uint32_t>(count);
    std::copy_n(list, count, left);
    count = take_nulls(words[0], keys, left, count, groups);
    list = left;
  } else if (count == rows.rows()) {
    list = nullptr;
  }
  if (form_ == Form::kWord) {
    find_words(words[0].words, nullptr, keys, list, count, arena, groups);
  } else if (form_ == Form::kPacked) {
    auto* packed = arena.allocate<uint64_t>(rows.rows());
    packed_->pack(words, rows.rows(), 0, packed);
    uint64_t* high = wide_ ? arena.allocate<uint64_t>(rows.rows()) : nullptr;
    if (wide_) packed_->pack(words, rows.rows(), 1, high);
    find_words(packed, high, keys, list, count, arena, groups);
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

std::span<const uint32_t> Grouping::take_null_rows(std::span<const KeyWords> words,
                                                   std::span<const Vector> keys, const ActiveSet& rows,
                                                   std::span<const uint32_t> list, uint32_t* groups) {
  Arena& arena = rows.arena();
  uint64_t* has_null = nullptr;
  const size_t size = bits::words(rows.rows());
  for (const KeyWords& key : words) {
    if (key.validity == nullptr) continue;
    if (has_null == nullptr) {
      has_null = arena.allocate<uint64_t>(size);
      std::fill_n(has_null, size, 0);
    }
    for (size_t i = 0; i < size; ++i) has_null[i] |= ~key.validity[i];
  }
  if (has_null == nullptr) return list;
  auto* complete = arena.allocate<uint32_t>(list.size());
  auto* of_list = arena.allocate<uint64_t>(size);
  std::fill_n(of_list, size, 0);
  size_t count = 0;
  for (const uint32_t row : list) {
    complete[count] = row;
    if (bits::test(has_null, row)) {
      bits::set(of_list, row);
    } else {
      ++count;
    }
  }
  const ActiveSet incomplete = rows.narrowed(of_list);
  if (incomplete.none()) return list;
  if (nulls_ == nullptr) nulls_.reset(new Grouping(types_, Form::kRow, budget_, what_));
  auto* numbers = arena.allocate<uint32_t>(rows.rows());
  nulls_->find_or_add(keys, incomplete, numbers);
  number_nulls();
  incomplete.for_each([&](uint32_t row) { groups[row] = null_groups_[numbers[row]]; });
  return {complete, count};
}

void Grouping::number_nulls() {
  while (null_groups_.size() < nulls_->size()) {
    if (wide_) high_.push_back(0);
    null_groups_.push_back(append(nulls_->tags_[null_groups_.size()], 0, {}, 0).group);
  }
}

std::optional<uint32_t> Grouping::null_number(uint32_t group) const {
  const auto found = std::lower_bound(null_groups_.begin(), null_groups_.end(), group);
  if (found == null_groups_.end() || *found != group) return std::nullopt;
  return static_cast<uint32_t>(found - null_groups_.begin());
}

void Grouping::find_words(const uint64_t* all_words, const uint64_t* all_high, std::span<const Vector> keys,
                          const uint32_t* rows, size_t count, Arena& arena, uint32_t* groups) {
  const uint64_t* words = all_words;
  const uint64_t* high = all_high;
  uint32_t* found = groups;
  if (rows != nullptr) {
    auto* list = arena.allocate<uint64_t>(count);
    for (size_t i = 0; i < count; ++i) list[i] = all_words[rows[i]];
    words = list;
    if (high != nullptr) {
      auto* high_list = arena.allocate<uint64_t>(count);
      for (size_t i = 0; i < count; ++i) high_list[i] = all_high[rows[i]];
      high = high_list;
    }
    found = arena.allocate<uint32_t>(count);
  }
  auto* tags = arena.allocate<uint32_t>(count);
  const auto add = [&](size_t i) {
    if (high != nullptr) high_.push_back(high[i]);
    return append(tags[i], words[i], keys, rows != nullptr ? rows[i] : static_cast<uint32_t>(i));
  };
  if (high == nullptr) {
    for (size_t i = 0; i < count; ++i) tags[i] = tag_of(hash::of_word(words[i]));
    table_.find_or_add<false>(
        tags, count, [&](size_t i, const HashTable::Key& key) { return words[i] == key.word; }, add, found);
  } else {
    for (size_t i = 0; i < count; ++i) tags[i] = tag_of(hash_of(words[i], high[i]));
    table_.find_or_add<true, false>(
        tags, count,
        [&](size_t i, const HashTable::Key& key) {
          return words[i] == key.word && high[i] == high_[key.group];
        },
        add, found);
  }
  if (rows == nullptr) return;
  for (size_t i = 0; i < count; ++i) groups[rows[i]] = found[i];
}

KeyRows::Encoded Grouping::encoded(std::span<const KeyWords> words, const uint32_t* rows, size_t count,
                                   Arena& arena) const {
  if (form_ == Form::kRow) return layout_.encode(words, rows, count, arena);
  const KeyRows::Encoded result{arena.allocate<const uint8_t*>(count), arena.allocate<uint64_t>(count)};
  for (size_t i = 0; i < count; ++i) {
    const std::string_view text = words[0].text->text(rows != nullptr ? rows[i] : static_cast<uint32_t>(i));
    result.bytes[i] = reinterpret_cast<const uint8_t*>(text.data());
    result.sizes[i] = text.size();
  }
  return result;
}

void Grouping::append_rows(std::span<const Vector> keys, const ActiveSet& rows, uint32_t* groups) {
  const std::vector<Vector> compared = comparable(keys, rows);
  std::vector<KeyWords> words;
  for (const Vector& key : compared) words.push_back(key_words(key, rows));
  Arena& arena = rows.arena();
  std::span<const uint32_t> list = rows.list();
  if (form_ == Form::kPacked) {
    list = take_null_rows(words, keys, rows, list, groups);
  } else if (form_ != Form::kRow && words[0].validity != nullptr) {
    auto* left = arena.allocate<uint32_t>(list.size());
    std::copy(list.begin(), list.end(), left);
    list = {left, take_nulls(words[0], keys, left, list.size(), groups)};
  }
  const auto first = size();
  for (size_t i = 0; i < list.size(); ++i) groups[list[i]] = first + static_cast<uint32_t>(i);
  if (form_ == Form::kText || form_ == Form::kRow) {
    const KeyRows::Encoded bytes = encoded(words, list.data(), list.size(), arena);
    for (size_t i = 0; i < list.size(); ++i) {
      append(tag_of(hash::of_bytes(bytes.bytes[i], bytes.sizes[i])), keep(bytes.bytes[i], bytes.sizes[i]),
             keys, list[i]);
    }
    return;
  }
  const uint64_t* low = words[0].words;
  uint64_t* high = nullptr;
  if (form_ == Form::kPacked) {
    auto* packed = arena.allocate<uint64_t>(rows.rows());
    packed_->pack(words, rows.rows(), 0, packed);
    low = packed;
    if (wide_) high = arena.allocate<uint64_t>(rows.rows());
    if (wide_) packed_->pack(words, rows.rows(), 1, high);
  }
  if (key_is_lossy(types_[0])) {  // of one column: packed ones are not
    for (const uint32_t row : list) append(tag_of(hash::of_word(low[row])), low[row], keys, row);
    return;
  }
  tags_.resize(first + list.size());
  words_.resize(first + list.size());
  uint32_t* tags = tags_.data() + first;
  uint64_t* words_to = words_.data() + first;
  for (size_t i = 0; i < list.size(); ++i) words_to[i] = low[list[i]];
  if (high == nullptr) {
    for (size_t i = 0; i < list.size(); ++i) tags[i] = tag_of(hash::of_word(words_to[i]));
    return;
  }
  high_.resize(first + list.size());
  uint64_t* high_to = high_.data() + first;
  for (size_t i = 0; i < list.size(); ++i) {
    high_to[i] = high[list[i]];
    tags[i] = tag_of(hash_of(words_to[i], high_to[i]));
  }
}

void Grouping::find_bytes(std::span<const KeyWords> words, std::span<const Vector> keys, const uint32_t* rows,
                          size_t count, Arena& arena, uint32_t* groups) {
  const KeyRows::Encoded rows_bytes = encoded(words, rows, count, arena);
  const auto* const bytes = rows_bytes.bytes;
  const auto* const sizes = rows_bytes.sizes;
  auto* tags = arena.allocate<uint32_t>(count);
  for (size_t i = 0; i < count; ++i) tags[i] = tag_of(hash::of_bytes(bytes[i], sizes[i]));
  uint32_t* found = rows == nullptr ? groups : arena.allocate<uint32_t>(count);
  table_.find_or_add<true>(
      tags, count,
      [&](size_t i, const HashTable::Key& key) { return same_kept(key.word, bytes[i], sizes[i]); },
      [&](size_t i) {
        return append(tags[i], keep(bytes[i], sizes[i]), keys,
                      rows != nullptr ? rows[i] : static_cast<uint32_t>(i));
      },
      found);
  if (rows == nullptr) return;
  for (size_t i = 0; i < count; ++i) groups[rows[i]] = found[i];
}

void Grouping::copy_first_values(const Grouping& from, uint32_t group) {
  for (size_t k = 0; k < types_.size(); ++k) {
    if (!key_is_lossy(types_[k])) continue;
    const size_t size = first_size(k);
    first_values_[k].append(from.first_values_[k].data() + group * size, size);
  }
}

HashTable::Key Grouping::append(uint32_t tag, uint64_t word, std::span<const Vector> keys, uint32_t row) {
  for (size_t k = 0; k < keys.size(); ++k) {
    if (!key_is_lossy(types_[k])) continue;
    const Vector& key = keys[k];
    if (types_[k].is_nested()) {
      keep_first_text(k, word, key, row);
      continue;
    }
    const size_t size = width(types_[k].physical());
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

void Grouping::keep_first_text(size_t key, uint64_t word, const Vector& values, uint32_t row) {
  FirstText text;
  if (!values.is_null(row) && values.text(row) != kept_text(key, word))
    text = first_texts_.copy(values.text(row));
  first_values_[key].append(reinterpret_cast<const uint8_t*>(&text), sizeof(FirstText));
}

uint64_t Grouping::keep(const uint8_t* bytes, size_t size) {
  uint8_t* to = kept_.allocate(size + 8);
  const uint64_t stored = size;
  std::memcpy(to, &stored, 8);
  if (size != 0) std::memcpy(to + 8, bytes, size);
  return reinterpret_cast<uint64_t>(to);
}

}  // namespace lanewise
