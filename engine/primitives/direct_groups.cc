#include "primitives/direct_groups.h"

#include <algorithm>

#include "primitives/hash_table.h"

namespace lanewise {

namespace {

constexpr uint32_t kNone = HashTable::kNone;
constexpr uint32_t kAwaited = kNone - 1;                // a row before this one brings the group
constexpr uint64_t kLargestDomain = uint64_t{1} << 20;  // 4 MiB of group numbers: far below a table's cost

bool is_dictionary(const KeyWords& key) {
  return key.text != nullptr && key.text->form == Vector::Form::kDictionary && !key.text->constant;
}

}  // namespace

std::span<const uint32_t> DirectGroups::find(std::span<const KeyWords> keys, const ActiveSet& rows,
                                             uint32_t* groups) {
  codes_ = nullptr;
  waiting_ = {};
  missing_ = false;
  const bool applies = !hopeless_ && std::all_of(keys.begin(), keys.end(), [](const KeyWords& key) {
    return key.integer || is_dictionary(key);
  });
  if (!applies) return rows.list();
  windows_.resize(keys.size());
  codes_ = rows.arena().allocate<uint32_t>(rows.rows());
  const bool one = keys.size() == 1 && keys[0].integer && keys[0].validity == nullptr;
  if (!(one ? find_integers(keys[0], rows, groups) : find_codes(keys, rows, groups))) {
    codes_ = nullptr;
    return rows.list();
  }
  if (!missing_) return {};
  uint32_t* unknown = rows.arena().allocate<uint32_t>(size_t{rows.count()} + 1);
  uint32_t* waiting = rows.arena().allocate<uint32_t>(size_t{rows.count()} + 1);
  uint32_t unknowns = 0, waits = 0;
  rows.for_each([&](uint32_t row) {
    if (groups[row] != kNone) return;
    uint32_t& known = cache_[codes_[row]];
    const bool awaited = known == kAwaited;
    unknown[unknowns] = waiting[waits] = row;
    waits += awaited;
    unknowns += !awaited;
    if (codes_[row] < domain_) known = kAwaited;
  });
  waiting_ = {waiting, waits};
  return {unknown, unknowns};
}

void DirectGroups::learn(std::span<const uint32_t> rows, uint32_t* groups) {
  if (codes_ == nullptr) return;
  for (const uint32_t row : rows) {
    if (codes_[row] < domain_) cache_[codes_[row]] = groups[row];
  }
  for (const uint32_t row : waiting_) groups[row] = cache_[codes_[row]];
}

/// One column of integers without NULLs. A few rows outside the window are left to the table.
bool DirectGroups::find_integers(const KeyWords& key, const ActiveSet& rows, uint32_t* groups) {
  Window& window = windows_[0];
  for (;;) {
    uint32_t outside = rows.count();
    if (window.size != 0) {
      if (dictionaries_ || domain_ != window.size + 1) clear(window.size + 1);
      dictionaries_ = false;
      const auto base = static_cast<uint64_t>(window.base);
      const uint64_t size = window.size;
      const uint32_t* cache = cache_.data() + 1;  // after that of NULL
      uint32_t largest = 0;
      outside = 0;
      rows.for_each([&](uint32_t row) {
        const uint64_t code = std::min(key.words[row] - base, size);
        const uint32_t group = cache[code];
        outside += code == size;
        largest = std::max(largest, group);
        codes_[row] = static_cast<uint32_t>(code) + 1;
        groups[row] = group;
      });
      missing_ = largest == kNone;
    }
    if (outside == 0) return true;
    if (!window.full && widen(window, key, rows)) {
      domain_ = 0;
      continue;
    }
    window.full = true;
    hopeless_ = outside > rows.count() / 8;
    return !hopeless_;
  }
}

/// Any number of columns; 0 is the code of NULL.
bool DirectGroups::find_codes(std::span<const KeyWords> keys, const ActiveSet& rows, uint32_t* groups) {
  const bool dictionaries = std::any_of(keys.begin(), keys.end(), is_dictionary);
  std::fill_n(codes_, rows.rows(), 0);
  uint64_t domain = 1;
  for (size_t column = 0; column < keys.size(); ++column) {
    const bool dictionary = is_dictionary(keys[column]);
    domain =
        dictionary ? add_codes(keys[column], rows, domain) : add_integers(column, keys[column], rows, domain);
    if (domain == 0) return false;
  }
  if (dictionaries && domain > 4 * uint64_t{rows.count()} + 256) return false;
  if (domain != domain_ || dictionaries || dictionaries_) clear(domain);
  dictionaries_ = dictionaries;
  const uint32_t* cache = cache_.data();
  uint32_t largest = 0;
  rows.for_each([&](uint32_t row) {
    const uint32_t group = cache[codes_[row]];
    largest = std::max(largest, group);
    groups[row] = group;
  });
  missing_ = largest == kNone;
  return true;
}

/// codes = codes * (entries + 1) + dictionary code + 1; returns the new domain, 0 if it is too large.
uint64_t DirectGroups::add_codes(const KeyWords& key, const ActiveSet& rows, uint64_t domain) {
  const uint64_t size = static_cast<uint64_t>(key.text->dictionary->rows) + 1;
  if (size * domain > kLargestDomain) return 0;
  const uint32_t* entries = key.text->as<uint32_t>();
  const auto factor = static_cast<uint32_t>(size);
  rows.for_each(
      [&](uint32_t row) { codes_[row] = codes_[row] * factor + (key.is_null(row) ? 0 : entries[row] + 1); });
  return size * domain;
}

/// codes = codes * (window + 1) + value - base + 1; returns the new domain, 0 if it is too large.
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
    domain_ = 0;  // the cache's codes mean something else now
  }
  const uint64_t size = window.size + 1;
  if (size * domain > kLargestDomain) return 0;
  const auto factor = static_cast<uint32_t>(size);
  rows.for_each([&](uint32_t row) {
    const auto code = static_cast<uint32_t>(key.words[row] - base + 1);
    codes_[row] = codes_[row] * factor + (key.is_null(row) ? 0 : code);
  });
  return size * domain;
}

/// Makes the window hold all active keys, from the second time on with room to spare; false if that is too
/// much.
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
  if (low < old_low) {  // the room is on the side to which the keys grow
    window.base =
        low >= INT64_MIN + static_cast<int64_t>(spare) ? low - static_cast<int64_t>(spare) : INT64_MIN;
    window.size = static_cast<uint64_t>(high) - static_cast<uint64_t>(window.base) + 1;
  } else {
    window.base = low;
    window.size = range + 1 + std::min(spare, uint64_t{INT64_MAX} - static_cast<uint64_t>(high));
  }
  return true;
}

/// Forgets all groups and makes room for codes below `domain`.
void DirectGroups::clear(uint64_t domain) {
  cache_.resize(domain + 1);
  std::fill_n(cache_.data(), domain + 1, kNone);
  domain_ = domain;
}

}  // namespace lanewise
