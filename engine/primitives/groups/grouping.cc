#include "primitives/groups/grouping.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "primitives/groups/hash.h"

namespace lanewise {

namespace {

constexpr uint32_t kNullTag = 0x5bd1e995;

uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

uint64_t hash_of(uint64_t word, uint64_t high) { return hash::of_word(word ^ hash::of_word(high)); }

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
  std::swap(taken->null_group_, null_group_);
  std::swap(taken->nulls_, nulls_);
  std::swap(taken->null_groups_, null_groups_);
  table_.clear();
  direct_ = DirectGroups(budget_, what_);
  return taken;
}

void Grouping::find_or_add(std::span<const Vector> keys, const ActiveSet& rows, uint32_t* groups) {
  std::vector<KeyWords> words;
  for (const Vector& key : keys) words.push_back(key_words(key, rows));
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
  std::vector<KeyWords> words;
  for (const Vector& key : keys) words.push_back(key_words(key, rows));
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
      tags, count, [&](size_t i, const HashTable::Key& key) { return same(key.word, bytes[i], sizes[i]); },
      [&](size_t i) {
        return append(tags[i], keep(bytes[i], sizes[i]), keys,
                      rows != nullptr ? rows[i] : static_cast<uint32_t>(i));
      },
      found);
  if (rows == nullptr) return;
  for (size_t i = 0; i < count; ++i) groups[rows[i]] = found[i];
}

/// Keys of several Groupings, side by side, so that slots are fetched ahead however short a part is.
struct Grouping::Gathered {
  static constexpr size_t kKeys = 4096;  // within a core's cache

  size_t size = 0;
  std::vector<uint32_t> tags = std::vector<uint32_t>(kKeys);
  std::vector<uint64_t> words = std::vector<uint64_t>(kKeys), high = std::vector<uint64_t>(kKeys);
  std::vector<std::pair<const Grouping*, uint32_t>> origins;  // where first values are to be copied
};

namespace {

/// to[i] = from[groups[i]].
template <class T>
void gather(const T* from, std::span<const uint32_t> groups, bool in_order, T* to) {
  if (in_order && !groups.empty()) {
    std::memcpy(to, from + groups[0], groups.size() * sizeof(T));
  } else {
    for (size_t i = 0; i < groups.size(); ++i) to[i] = from[groups[i]];
  }
}

}  // namespace

void Grouping::absorb(std::span<const Part> parts, uint32_t* to) {
  Gathered keys;
  for (size_t p = 0; p < parts.size();) {
    const auto has_nulls = [](const Part& part) {
      return part.keys->nulls_ != nullptr || part.keys->null_group_ != HashTable::kNone;
    };
    size_t end = p;
    size_t count = 0;
    while (end < parts.size() && !has_nulls(parts[end])) count += parts[end++].groups.size();
    absorb_complete(parts.subspan(p, end - p), keys, to);
    to += count;
    p = end;
    if (p == parts.size()) break;
    absorb_with_nulls(parts[p], keys, to);
    to += parts[p++].groups.size();
  }
}

void Grouping::absorb_complete(std::span<const Part> parts, Gathered& keys, uint32_t* to) {
  const bool lossy = std::any_of(types_.begin(), types_.end(), [](Type type) { return key_is_lossy(type); });
  const auto flush = [&] {
    absorb_gathered(keys, to);
    to += keys.size;
    keys.size = 0;
    keys.origins.clear();
  };
  for (size_t p = 0; p < parts.size(); ++p) {
    const Grouping& from = *parts[p].keys;
    if (p + 1 < parts.size() && !parts[p + 1].groups.empty()) {
      const Grouping& next = *parts[p + 1].keys;
      const uint32_t first = parts[p + 1].groups[0];
      __builtin_prefetch(next.tags_.data() + first);
      __builtin_prefetch(next.words_.data() + first);
      if (wide_) __builtin_prefetch(next.high_.data() + first);
    }
    for (auto groups = parts[p].groups; !groups.empty();) {
      const auto now = groups.first(std::min(groups.size(), Gathered::kKeys - keys.size));
      groups = groups.subspan(now.size());
      gather(from.tags_.data(), now, parts[p].in_order, keys.tags.data() + keys.size);
      gather(from.words_.data(), now, parts[p].in_order, keys.words.data() + keys.size);
      if (wide_) gather(from.high_.data(), now, parts[p].in_order, keys.high.data() + keys.size);
      for (size_t i = 0; lossy && i < now.size(); ++i) keys.origins.emplace_back(&from, now[i]);
      keys.size += now.size();
      if (keys.size == Gathered::kKeys) flush();
    }
  }
  flush();
}

void Grouping::absorb_gathered(const Gathered& keys, uint32_t* to) {
  const uint64_t* words = keys.words.data();
  const uint64_t* high = keys.high.data();
  const auto add = [&](size_t i) {
    if (wide_) high_.push_back(high[i]);
    if (!keys.origins.empty()) copy_first_values(*keys.origins[i].first, keys.origins[i].second);
    return append(keys.tags[i], words[i], {}, 0);
  };
  const uint32_t* tags = keys.tags.data();
  if (wide_) {
    table_.find_or_add<true, false>(
        tags, keys.size,
        [&](size_t i, const HashTable::Key& key) {
          return key.word == words[i] && high_[key.group] == high[i];
        },
        add, to);
  } else if (form_ == Form::kWord || form_ == Form::kPacked) {
    table_.find_or_add<false>(
        tags, keys.size, [&](size_t i, const HashTable::Key& key) { return key.word == words[i]; }, add, to);
  } else {
    table_.find_or_add<true>(
        tags, keys.size,
        [&](size_t i, const HashTable::Key& key) {
          const Kept kept = kept_at(words[i]);
          return same(key.word, kept.bytes, kept.size);
        },
        add, to);
  }
}

void Grouping::absorb_with_nulls(const Part& part, Gathered& keys, uint32_t* to) {
  const Grouping& from = *part.keys;
  std::vector<uint32_t> complete, complete_at, incomplete, incomplete_at;
  for (uint32_t i = 0; i < part.groups.size(); ++i) {
    const uint32_t group = part.groups[i];
    if (group == from.null_group_) {  // a lone NULL: no table has it
      if (null_group_ == HashTable::kNone) {
        copy_first_values(from, group);
        null_group_ = append(kNullTag, 0, {}, 0).group;
      }
      to[i] = null_group_;
      continue;
    }
    const std::optional<uint32_t> null = from.null_number(group);
    (null ? incomplete : complete).push_back(null.value_or(group));
    (null ? incomplete_at : complete_at).push_back(i);
  }
  std::vector<uint32_t> found(part.groups.size());
  const Part without{&from, complete};
  absorb_complete({&without, 1}, keys, found.data());
  for (size_t i = 0; i < complete.size(); ++i) to[complete_at[i]] = found[i];
  if (incomplete.empty()) return;
  if (nulls_ == nullptr) nulls_.reset(new Grouping(types_, Form::kRow, budget_, what_));
  const Part with{from.nulls_.get(), incomplete};
  nulls_->absorb({&with, 1}, found.data());
  number_nulls();
  for (size_t i = 0; i < incomplete.size(); ++i) to[incomplete_at[i]] = null_groups_[found[i]];
}

void Grouping::copy_first_values(const Grouping& from, uint32_t group) {
  for (size_t k = 0; k < types_.size(); ++k) {
    if (!key_is_lossy(types_[k])) continue;
    const size_t size = width(types_[k].physical());
    first_values_[k].append(from.first_values_[k].data() + group * size, size);
  }
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

Partitions Grouping::arrange(int bits, std::vector<uint32_t>* from) {
  Partitions result = partition(tags(), bits);
  if (nulls_ != nullptr) return result;  // their numbers stand elsewhere, too
  const auto arranged = [&]<class T>(BufferBuilder<T>& values, size_t width) {
    BufferBuilder<T> sorted(budget_, what_);
    sorted.resize(values.size());
    if (width == 1) {
      gather(values.data(), result.groups, false, sorted.data());
    } else {
      T* to = sorted.data();
      for (const uint32_t group : result.groups) {
        std::memcpy(to, values.data() + group * width, width * sizeof(T));
        to += width;
      }
    }
    values = std::move(sorted);
  };
  arranged(words_, 1);
  if (wide_) arranged(high_, 1);
  arranged(tags_, 1);
  for (size_t k = 0; k < types_.size(); ++k) {
    if (key_is_lossy(types_[k])) arranged(first_values_[k], width(types_[k].physical()));
  }
  for (uint32_t i = 0; i < result.groups.size(); ++i) {
    if (result.groups[i] == null_group_) {
      null_group_ = i;
      break;
    }
  }
  from->resize(size());
  std::iota(from->begin(), from->end(), 0);
  std::swap(result.groups, *from);
  result.in_order = true;
  return result;
}

}  // namespace lanewise
