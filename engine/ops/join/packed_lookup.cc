#include "ops/join/packed_lookup.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <mutex>

#include "ops/join/key_slices.h"
#include "ops/take.h"

namespace lanewise::ops {

namespace {

class PackedLookup : public Lookup {
 public:
  PackedLookup(KeyPacking packing, std::unique_ptr<Lookup> lookup)
      : Lookup(lookup->choice()), packing_(std::move(packing)), lookup_(std::move(lookup)) {
    order_ = lookup_->order();
  }
  void find_rows(std::span<const Vector> keys, const ActiveSet& rows, uint32_t* matches) const override {
    const auto [packed, inside] = pack(keys, rows);
    if (inside.count() != rows.count()) rows.for_each([&](uint32_t row) { matches[row] = kNoRow; });
    lookup_->find_rows({&packed, 1}, inside, matches);
  }
  void hold(const Column& values) override {
    lookup_->hold(values);
    holds_values_ = lookup_->holds_values();
  }

  void find(std::span<const Vector> keys, const ActiveSet& rows, Runs runs) const override {
    const auto [packed, inside] = pack(keys, rows);
    if (inside.count() != rows.count()) rows.for_each([&](uint32_t row) { runs.count[row] = 0; });
    lookup_->find({&packed, 1}, inside, runs);
  }
  std::string name() const override { return "packed in a word, " + lookup_->name(); }
  size_t bytes() const override { return lookup_->bytes(); }
  bool is_array() const override { return lookup_->is_array(); }

 private:
  /// The words of the rows, and which of these have one.
  std::pair<Vector, ActiveSet> pack(std::span<const Vector> keys, const ActiveSet& rows) const {
    auto* const words = rows.arena().allocate<uint64_t>(rows.rows());
    ActiveSet inside = packing_.pack(words_of(keys, rows), rows, words);
    Vector packed;
    packed.type = TypeId::kInt64;
    packed.values = words;
    return {packed, inside};
  }

  const KeyPacking packing_;
  const std::unique_ptr<Lookup> lookup_;
};

/// The keys' bounds, of the rows that can be found.
std::vector<KeyPacking::Key> packed_keys_of(const std::vector<ColumnPtr>& keys,
                                            const std::vector<bool>& finds_nulls, size_t rows,
                                            const uint64_t* findable, MemoryBudget* budget) {
  std::vector<WordBounds> all(keys.size());
  std::mutex mutex;
  for_slices(keys, rows, budget,
             [&](size_t first, std::span<const KeyWords> words, const ActiveSet& slice, Arena&) {
               std::vector<WordBounds> mine;
               for (const KeyWords& key : words)
                 mine.push_back(bounds_of(key, first, slice.rows(), findable));
               const std::lock_guard lock(mutex);
               for (size_t k = 0; k < mine.size(); ++k) all[k].add(mine[k]);
             });
  std::vector<KeyPacking::Key> made;
  for (size_t k = 0; k < keys.size(); ++k) {
    const auto [least, greatest] = all[k].empty() ? WordBounds{0, 0} : all[k];
    const auto from = static_cast<uint64_t>(least);
    made.push_back({from, static_cast<uint64_t>(greatest) - from, finds_nulls[k]});
  }
  return made;
}

}  // namespace

std::optional<KeyPacking> KeyPacking::of(std::vector<Key> keys) {
  int used = 0;
  for (Key& key : keys) {
    if (key.has_null && key.span == std::numeric_limits<uint64_t>::max()) return std::nullopt;
    const int bits = std::bit_width(key.span + key.has_null);
    key.shift = bits == 0 ? 0 : used;
    used += bits;
    if (used > 64) return std::nullopt;
  }
  return KeyPacking(std::move(keys));
}

ActiveSet KeyPacking::pack(std::span<const KeyWords> keys, const ActiveSet& rows, uint64_t* to) const {
  const uint32_t count = rows.rows();
  std::fill_n(to, count, 0);
  auto* const inside = rows.arena().allocate<uint64_t>(bits::words(count));
  std::fill_n(inside, bits::words(count), ~uint64_t{0});
  for (size_t k = 0; k < keys.size(); ++k) {
    const Key& key = keys_[k];
    for (uint32_t first = 0; first < count; first += 64) {
      const uint32_t end = std::min(count, first + 64);
      const uint64_t valid = keys[k].validity == nullptr ? ~uint64_t{0} : keys[k].validity[first / 64];
      uint64_t within = 0;
      for (uint32_t row = first; row < end; ++row) {
        const uint64_t distance = keys[k].words[row] - key.least;
        const uint64_t is_valid = valid >> row % 64 & 1;
        within |= (is_valid != 0 ? uint64_t{distance <= key.span} : uint64_t{key.has_null}) << row % 64;
        to[row] |= is_valid != 0 ? (distance + key.has_null) << key.shift : 0;
      }
      inside[first / 64] &= within;
    }
  }
  return rows.narrowed(inside);
}

std::optional<PackedColumn> pack_keys(const std::vector<ColumnPtr>& keys,
                                      const std::vector<bool>& finds_nulls, size_t rows,
                                      const Buffer& findable, MemoryBudget* budget) {
  const auto is_word = [](const ColumnPtr& key) { return key_width(key->type) == 1; };
  if (!std::ranges::all_of(keys, is_word)) return std::nullopt;
  const auto* const valid = findable ? findable.as<uint64_t>() : nullptr;
  auto packing = KeyPacking::of(packed_keys_of(keys, finds_nulls, rows, valid, budget));
  if (!packing) return std::nullopt;
  auto packed = std::make_shared<Column>();
  packed->type = TypeId::kInt64;
  packed->rows = static_cast<int64_t>(rows);
  packed->values = Buffer::allocate(rows * sizeof(uint64_t), budget, kJoin);
  auto* const to = packed->values.mutable_as<uint64_t>();
  for_slices(keys, rows, budget,
             [&](size_t first, std::span<const KeyWords> words, const ActiveSet& slice, Arena&) {
               packing->pack(words, slice, to + first);
             });
  if (valid != nullptr) {
    packed->validity = findable;
    packed->nulls = packed->rows - static_cast<int64_t>(bits::count(valid, rows));
  }
  return PackedColumn{std::move(*packing), std::move(packed)};
}

std::unique_ptr<Lookup> lookup_of_packed(PackedColumn packed, size_t rows, bool existence, LookupForm forced,
                                         MemoryBudget* budget) {
  auto lookup = make_lookup({std::move(packed.words)}, {false}, rows, existence, forced, budget);
  return std::make_unique<PackedLookup>(std::move(packed.packing), std::move(lookup));
}

}  // namespace lanewise::ops
