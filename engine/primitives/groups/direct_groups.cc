#include "primitives/groups/direct_groups.h"

#include <algorithm>

#include "primitives/groups/hash_table.h"

namespace lanewise {

namespace {

constexpr uint32_t kNone = HashTable::kNone;
constexpr uint32_t kAwaited = kNone - 1;                // an earlier row gives the group
constexpr uint64_t kLargestDomain = uint64_t{1} << 20;  // 4 MiB of group numbers: far cheaper than a table

bool is_dictionary(const KeyWords& key) {
  return key.text != nullptr && key.text->form == Vector::Form::kDictionary && !key.text->constant;
}

}  // namespace

std::span<const uint32_t> DirectGroups::find(std::span<const KeyWords> keys, const ActiveSet& rows,
                                             uint32_t* groups) {
  codes_ = nullptr;
  unknown_ = waiting_ = {};
  const bool applies = !hopeless_ && std::all_of(keys.begin(), keys.end(), [](const KeyWords& key) {
    return key.integer || is_dictionary(key);
  });
  if (!applies) return rows.list();
  windows_.resize(keys.size());
  recall(keys);
  const bool one = keys.size() == 1 && keys[0].integer && keys[0].validity == nullptr;
  const bool found = one ? find_integers(keys[0], rows, groups) : find_codes(keys, rows, groups);
  return found ? unknown_ : rows.list();
}

void DirectGroups::learn(std::span<const uint32_t> rows, uint32_t* groups) {
  if (codes_ == nullptr) return;
  for (const uint32_t row : rows) {
    if (codes_[row] < domain_) cache_[codes_[row]] = groups[row];
  }
  for (const uint32_t row : waiting_) groups[row] = cache_[codes_[row]];
}

/// groups[row] = the cached group of the row's code; true if all are known.
template <class CodeOf>
bool DirectGroups::look_up(const ActiveSet& rows, CodeOf code_of, uint32_t* groups) const {
  const uint32_t* cache = cache_.data();
  uint32_t largest = 0;
  rows.for_each([&](uint32_t row) {
    const uint32_t group = cache[code_of(row)];
    largest = std::max(largest, group);
    groups[row] = group;
  });
  return largest != kNone;
}

/// Splits the rows that look_up() did not find into those that the caller must find and those that wait for
/// them.
template <class CodeOf>
void DirectGroups::leave(const ActiveSet& rows, CodeOf code_of, const uint32_t* groups) {
  Arena& arena = rows.arena();
  codes_ = arena.allocate<uint32_t>(rows.rows());
  uint32_t* unknown = arena.allocate<uint32_t>(size_t{rows.count()} + 1);
  uint32_t* waiting = arena.allocate<uint32_t>(size_t{rows.count()} + 1);
  uint32_t unknowns = 0, waits = 0;
  rows.for_each([&](uint32_t row) {
    if (groups[row] != kNone) return;
    const auto code = static_cast<uint32_t>(code_of(row));
    codes_[row] = code;
    const bool awaited = cache_[code] == kAwaited;
    unknown[unknowns] = waiting[waits] = row;
    waits += awaited;
    unknowns += !awaited;
    if (code < domain_) cache_[code] = kAwaited;
  });
  unknown_ = {unknown, unknowns};
  waiting_ = {waiting, waits};
}

/// For one column of integers without NULLs. A few rows outside the window are left to the table.
bool DirectGroups::find_integers(const KeyWords& key, const ActiveSet& rows, uint32_t* groups) {
  Window& window = windows_[0];
  for (;;) {
    const auto base = static_cast<uint64_t>(window.base);
    const uint64_t size = window.size;
    const auto code_of = [&](uint32_t row) { return std::min(key.words[row] - base, size) + 1; };
    uint32_t outside = rows.count();
    if (size != 0) {
      if (domain_ != size + 1) clear(size + 1);
      if (look_up(rows, code_of, groups)) return true;
      outside = 0;
      rows.for_each([&](uint32_t row) { outside += code_of(row) > size; });
    }
    if (outside != 0 && !window.full && widen(window, key, rows)) {
      domain_ = 0;
      continue;
    }
    window.full |= outside != 0;
    hopeless_ = outside > rows.count() / 8;
    if (!hopeless_) leave(rows, code_of, groups);
    return !hopeless_;
  }
}

/// For any number of columns; 0 is the code of NULL.
bool DirectGroups::find_codes(std::span<const KeyWords> keys, const ActiveSet& rows, uint32_t* groups) {
  const auto find = [&](uint64_t domain, auto code_of) {
    if (!prepare(domain, rows)) return false;
    if (!look_up(rows, code_of, groups)) leave(rows, code_of, groups);
    return true;
  };
  if (keys.size() == 1 && is_dictionary(keys[0]) && keys[0].validity == nullptr) {
    const uint32_t* entries = keys[0].text->as<uint32_t>();
    return find(static_cast<uint64_t>(keys[0].text->dictionary->rows) + 1,
                [entries](uint32_t row) { return entries[row] + 1; });
  }
  combined_ = rows.arena().allocate<uint32_t>(rows.rows());
  std::fill_n(combined_, rows.rows(), 0);
  uint64_t domain = 1;
  for (size_t column = 0; column < keys.size() && domain != 0; ++column) {
    domain = is_dictionary(keys[column]) ? add_codes(keys[column], rows, domain)
                                         : add_integers(column, keys[column], rows, domain);
  }
  return domain != 0 && find(domain, [codes = combined_](uint32_t row) { return codes[row]; });
}

/// Drops the cache if a dictionary differs from that of the previous chunk.
void DirectGroups::recall(std::span<const KeyWords> keys) {
  dictionaries_.resize(keys.size());
  any_dictionary_ = false;
  for (size_t column = 0; column < keys.size(); ++column) {
    Dictionary now;
    if (is_dictionary(keys[column])) {
      const Column& dictionary = *keys[column].text->dictionary;
      now = {dictionary.values, dictionary.offsets, dictionary.rows};
      any_dictionary_ = true;
    }
    Dictionary& before = dictionaries_[column];
    if (now.text.data() == before.text.data() && now.offsets.data() == before.offsets.data() &&
        now.rows == before.rows) {
      continue;
    }
    before = std::move(now);
    domain_ = 0;
  }
}

/// Prepares the cache for codes below `domain`; false if a new dictionary is too large to pay.
bool DirectGroups::prepare(uint64_t domain, const ActiveSet& rows) {
  if (domain == domain_) return true;
  if (domain > kLargestDomain || (any_dictionary_ && domain > 4 * uint64_t{rows.count()} + 256)) return false;
  clear(domain);
  return true;
}

/// combined_ = combined_ * (entries + 1) + dictionary code + 1; returns the new domain, 0 if it is too large.
uint64_t DirectGroups::add_codes(const KeyWords& key, const ActiveSet& rows, uint64_t domain) {
  const uint64_t size = static_cast<uint64_t>(key.text->dictionary->rows) + 1;
  if (size * domain > kLargestDomain) return 0;
  const uint32_t* entries = key.text->as<uint32_t>();
  const auto factor = static_cast<uint32_t>(size);
  rows.for_each([&](uint32_t row) {
    combined_[row] = combined_[row] * factor + (key.is_null(row) ? 0 : entries[row] + 1);
  });
  return size * domain;
}

/// combined_ = combined_ * (window + 1) + value - base + 1; returns the new domain, 0 if it is too large.
uint64_t DirectGroups::add_integers(size_t column, const KeyWords& key, const ActiveSet& rows,
                                    uint64_t domain) {
  Window& window = windows_[column];
  auto base = static_cast<uint64_t>(window.base);
  bool outside = false;
  rows.for_each([&](uint32_t row) { outside |= !key.is_null(row) && key.words[row] - base >= window.size; });
  if (outside) {
    if (!widen(window, key, rows)) {
      hopeless_ = true;
      return 0;
    }
    base = static_cast<uint64_t>(window.base);
    domain_ = 0;  // the cached codes are obsolete
  }
  const uint64_t size = window.size + 1;
  if (size * domain > kLargestDomain) return 0;
  const auto factor = static_cast<uint32_t>(size);
  rows.for_each([&](uint32_t row) {
    const auto code = static_cast<uint32_t>(key.words[row] - base + 1);
    combined_[row] = combined_[row] * factor + (key.is_null(row) ? 0 : code);
  });
  return size * domain;
}

/// Extends the window to all active keys, from the second time on with some spare room; false if it becomes
/// too much.
bool DirectGroups::widen(Window& window, const KeyWords& key, const ActiveSet& rows) {
  const bool first = window.size == 0;
  int64_t low = first ? INT64_MAX : window.base;
  int64_t high =
      first ? INT64_MIN : static_cast<int64_t>(static_cast<uint64_t>(window.base) + window.size - 1);
  const int64_t old_low = low;
  rows.for_each([&](uint32_t row) {
    if (key.is_null(row)) return;
    low = std::min(low, static_cast<int64_t>(key.words[row]));
    high = std::max(high, static_cast<int64_t>(key.words[row]));
  });
  if (low > high) return true;
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (range >= kLargestDomain / 2) return false;
  const uint64_t spare = first ? 0 : range / 2;
  if (low < old_low) {  // the spare room is on the side to which the keys grow
    window.base =
        low >= INT64_MIN + static_cast<int64_t>(spare) ? low - static_cast<int64_t>(spare) : INT64_MIN;
    window.size = static_cast<uint64_t>(high) - static_cast<uint64_t>(window.base) + 1;
  } else {
    window.base = low;
    window.size = range + 1 + std::min(spare, uint64_t{INT64_MAX} - static_cast<uint64_t>(high));
  }
  return true;
}

/// Drops all groups and makes room for codes below `domain`.
void DirectGroups::clear(uint64_t domain) {
  cache_.resize(domain + 1);
  std::fill_n(cache_.data(), domain + 1, kNone);
  domain_ = domain;
}

}  // namespace lanewise
