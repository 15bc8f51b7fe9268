#include <cstring>
#include <numeric>
#include <utility>

#include "primitives/groups/grouping.h"
#include "primitives/groups/kept_bytes.h"

/// Merges the keys of several threads into one Grouping.
namespace lanewise {

/// Keys of several Groupings, concatenated, so that slots are prefetched however short a part is.
struct Grouping::Gathered {
  static constexpr size_t kKeys = 4096;  // within a core's cache

  size_t size = 0;
  std::vector<uint32_t> tags = std::vector<uint32_t>(kKeys);
  std::vector<uint64_t> words = std::vector<uint64_t>(kKeys), high = std::vector<uint64_t>(kKeys);
  std::vector<std::pair<const Grouping*, uint32_t>> origins;  // for copies of first values
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
          const KeptBytes kept = kept_at(words[i]);
          return same_kept(key.word, kept.bytes, kept.size);
        },
        add, to);
  }
}

void Grouping::absorb_with_nulls(const Part& part, Gathered& keys, uint32_t* to) {
  const Grouping& from = *part.keys;
  std::vector<uint32_t> complete, complete_at, incomplete, incomplete_at;
  for (uint32_t i = 0; i < part.groups.size(); ++i) {
    const uint32_t group = part.groups[i];
    if (group == from.null_group_) {  // a lone NULL is in no table
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

void Grouping::arrange_kept() {
  constexpr size_t kAhead = 16;  // keys to prefetch ahead
  const ByteStore before = std::exchange(kept_, ByteStore(budget_, what_));
  for (size_t i = 0; i < words_.size(); ++i) {
    if (i + kAhead < words_.size()) __builtin_prefetch(reinterpret_cast<const void*>(words_[i + kAhead]));
    if (words_[i] == 0) continue;  // NULL
    const KeptBytes kept = kept_at(words_[i]);
    words_[i] = keep(kept.bytes, kept.size);
  }
}

Partitions Grouping::arrange(int bits, std::vector<uint32_t>* from) {
  Partitions result = partition(tags(), bits);
  if (nulls_ != nullptr) return result;  // their numbers are also stored elsewhere
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
    if (key_is_lossy(types_[k])) arranged(first_values_[k], first_size(k));
  }
  for (uint32_t i = 0; i < result.groups.size(); ++i) {
    if (result.groups[i] == null_group_) {
      null_group_ = i;
      break;
    }
  }
  if (form_ == Form::kText || form_ == Form::kRow) arrange_kept();
  from->resize(size());
  std::iota(from->begin(), from->end(), 0);
  std::swap(result.groups, *from);
  result.in_order = true;
  return result;
}

}  // namespace lanewise
