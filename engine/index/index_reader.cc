#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bits.h"
#include "base/error.h"
#include "index/index.h"
#include "index/state.h"

namespace lanewise {

using index::Path;
using index::Place;
using index::Probes;
using index::Root;
using index::State;
using index::Tree;
using index::u32;
using index::u64;
using index::u8;

namespace {

constexpr size_t kChunk = 1024;  // keys encoded and searched for at a time

/// Calls f(first, probes) for each chunk of the batch.
template <class F>
void for_each_chunk(const index::KeyLayout& layout, const Keys& keys, F f) {
  layout.check(keys);
  index::KeyLayout::Encoder encoder(layout);
  for (size_t first = 0; first < keys.size(); first += kChunk) {
    f(first, encoder.encode(keys, first, std::min(kChunk, keys.size() - first)));
  }
}

/// Appends entries, leaf by leaf, to columns.
class EntryCollector {
 public:
  EntryCollector(const State& state)
      : tree_(*state.tree),
        geometry_(state.pool->geometry()),  // NOLINT
        plain_(state.budget, "index: a range of keys"),
        values_(state.budget, "index: a range of values") {
    for (const KeyField& field : geometry_.keys.fields()) {
      builders_.emplace_back(field.type, state.budget, "index: a range of keys");
    }
  }

  /// `some` entries of the path's leaf, from its slot on.
  void take(const Path& path, u32 some) {
    const auto leaf = tree_.leaf(path.nodes[0]);
    const u32 slot = path.slots[0];
    const u8* keys = reinterpret_cast<const u8*>(leaf.samples()) + geometry_.leaf.keys_at;
    if (!geometry_.keys.decode_plane(keys + slot * geometry_.leaf.word, some, plain_)) {
      Path entry = path;
      u64 words[index::kMaxPlanes];
      std::string text;
      for (u32 i = 0; i < some; ++i, ++entry.slots[0]) {
        geometry_.keys.decode(tree_.key_at(entry, words, text), builders_);
      }
    }
    values_.append(leaf.payload(slot), size_t{some} * geometry_.value_bytes);
    count_ += some;
  }
  size_t count() const { return count_; }
  void reserve(size_t entries) {
    plain_.reserve(entries * geometry_.leaf.word);
    values_.reserve(entries * geometry_.value_bytes);
  }

  IndexEntries finish() {
    IndexEntries entries;
    entries.count = count_;
    entries.values = values_.finish();
    for (ColumnBuilder& builder : builders_) {
      std::shared_ptr<Column> column = builder.finish();
      if (plain_.size() != 0) {
        column->rows = static_cast<int64_t>(count_);
        column->values = plain_.finish();
      }
      entries.key.push_back(std::move(column));
    }
    return entries;
  }

 private:
  const Tree& tree_;
  const index::Geometry& geometry_;
  BufferBuilder<uint8_t> plain_;  // of keys of one number
  BufferBuilder<uint8_t> values_;
  std::vector<ColumnBuilder> builders_;
  size_t count_ = 0;
};

}  // namespace

IndexReader::IndexReader(std::shared_ptr<State> state, const Root* root)
    : state_(std::move(state)), root_(root) {}
IndexReader::IndexReader(IndexReader&&) noexcept = default;
IndexReader& IndexReader::operator=(IndexReader&&) noexcept = default;
IndexReader::~IndexReader() = default;

uint64_t IndexReader::size() const { return root_->entries; }
const std::vector<KeyField>& IndexReader::key_fields() const {
  return state_->pool->geometry().keys.fields();
}
uint32_t IndexReader::value_bytes() const { return state_->pool->geometry().value_bytes; }

void IndexReader::check_value(size_t bytes) const {
  if (bytes != value_bytes()) {
    throw UserError(fmt::format("values of this index have {} bytes, not {}", value_bytes(), bytes));
  }
}

void IndexReader::use_strategy(std::string_view name) {
  const auto strategy = index::parse_strategy(name);
  if (!strategy) throw UserError(fmt::format("unknown look-up strategy '{}'", name));
  if (!index::supported(*strategy)) {
    throw UserError(
        fmt::format("the strategy '{}' needs instructions that this machine does not have", name));
  }
  state_->strategy.store(*strategy);
}

size_t IndexReader::find(const Keys& keys, void* values, uint64_t* found) const {
  const Tree& tree = *state_->tree;
  // This many lookups read most of the image anyway: one check of the whole replaces the checks on the way.
  if (keys.size() >= state_->pool->groups()) state_->pool->trust(*root_);
  if (found != nullptr) std::fill(found, found + bits::words(keys.size()), 0);
  const size_t bytes = value_bytes();
  u8* to = static_cast<u8*>(bytes == 0 ? nullptr : values);
  Place places[kChunk];
  bool there[kChunk];
  size_t hits = 0;
  for_each_chunk(state_->pool->geometry().keys, keys, [&](size_t first, const Probes& probes) {
    tree.seek_all(*root_, probes, state_->strategy.load(std::memory_order_relaxed), places);
    const auto copy = [&](auto copy_value) {
      const auto value_of = [&](size_t i) { return tree.leaf(places[i].leaf).payload(places[i].slot); };
      for (size_t i = 0; i < probes.count; ++i) {
        there[i] = tree.settle(*root_, probes[i], places[i]);
        if (to != nullptr && there[i]) __builtin_prefetch(value_of(i));
        hits += there[i];
      }
      for (size_t i = 0; i < probes.count; ++i) {
        if (!there[i]) continue;
        if (found != nullptr) bits::set(found, first + i);
        if (to != nullptr) copy_value(to + (first + i) * bytes, value_of(i));
      }
    };
    if (bytes == 4) {
      copy([](u8* a, const u8* b) { std::memcpy(a, b, 4); });
    } else if (bytes == 8) {
      copy([](u8* a, const u8* b) { std::memcpy(a, b, 8); });
    } else {
      copy([bytes](u8* a, const u8* b) { std::memcpy(a, b, bytes); });
    }
  });
  return hits;
}

std::vector<uint64_t> IndexReader::positions(const Keys& keys, bool behind_equal) const {
  std::vector<uint64_t> positions(keys.size());
  const Tree& tree = *state_->tree;
  for_each_chunk(state_->pool->geometry().keys, keys, [&](size_t first, const Probes& probes) {
    Path path;
    for (size_t i = 0; i < probes.count; ++i) {
      tree.seek(*root_, probes[i], behind_equal, path);
      positions[first + i] = tree.rank(path);
    }
  });
  return positions;
}

std::vector<uint64_t> IndexReader::count(const Keys& keys) const {
  std::vector<uint64_t> counts = positions(keys, true);
  const std::vector<uint64_t> first = positions(keys, false);
  for (size_t i = 0; i < counts.size(); ++i) counts[i] -= first[i];
  return counts;
}

std::vector<uint64_t> IndexReader::count(const Keys& lows, const Keys& highs) const {
  if (lows.size() != highs.size()) throw UserError("the numbers of lower and upper bounds differ");
  std::vector<uint64_t> counts = positions(highs, false);
  const std::vector<uint64_t> first = positions(lows, false);
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = std::max(counts[i], first[i]) - first[i];
  return counts;
}

IndexRanges IndexReader::ranges(const Keys& lows, const Keys& highs, bool behind_highs,
                                uint64_t limit) const {
  if (lows.size() != highs.size()) throw UserError("the numbers of lower and upper bounds differ");
  const Tree& tree = *state_->tree;
  const index::KeyLayout& layout = state_->pool->geometry().keys;
  layout.check(highs);
  if (lows.size() >= state_->pool->groups()) state_->pool->trust(*root_);
  index::KeyLayout::Encoder encoder(layout);
  Place places[kChunk];
  EntryCollector collector(*state_);
  IndexRanges result;
  result.offsets.reserve(lows.size() + 1);
  result.offsets.push_back(0);
  result.cut.assign(bits::words(lows.size()), 0);
  for_each_chunk(layout, lows, [&](size_t first, const Probes& from) {
    const Probes to = encoder.encode(highs, first, from.count);
    tree.seek_all(*root_, from, state_->strategy.load(std::memory_order_relaxed), places);
    for (size_t i = 0; i < from.count; ++i) {
      // Most ranges end in the leaf where they start: otherwise a second descent is needed.
      Path path;
      path.height = 0;
      path.nodes[0] = places[i].leaf;
      path.slots[0] = places[i].slot;
      bool whole_path = false;
      for (uint64_t left = std::min(limit, size());;) {
        const u32 here = tree.leaf(path.nodes[0]).count() - path.slots[0];
        const u32 run = tree.run_below(path, to[i], behind_highs);
        const u32 some = static_cast<u32>(std::min<uint64_t>(run, left));
        if (some != 0) collector.take(path, some);
        left -= some;
        if (some < run) bits::set(result.cut.data(), first + i);
        if (some < here) break;
        if (!whole_path) {
          tree.seek(*root_, from[i], false, path);
          whole_path = true;
          if (path.nodes[0] != places[i].leaf) continue;
        }
        if (!tree.next_leaf(path)) break;
      }
      result.offsets.push_back(collector.count());
    }
  });
  result.entries = collector.finish();
  return result;
}

IndexRanges IndexReader::range(const Keys& lows, const Keys& highs, uint64_t limit) const {
  return ranges(lows, highs, false, limit);
}

IndexRanges IndexReader::equal(const Keys& keys, uint64_t limit) const {
  return ranges(keys, keys, true, limit);
}

IndexEntries IndexReader::at(uint64_t first, uint64_t count) const {
  const Tree& tree = *state_->tree;
  EntryCollector collector(*state_);
  Path path;
  tree.seek_rank(*root_, first, path);
  count = std::min(count, size() - std::min(first, size()));
  collector.reserve(count);
  while (count > 0) {
    const u32 here = tree.leaf(path.nodes[0]).count() - path.slots[0];
    const u32 some = static_cast<u32>(std::min<uint64_t>(here, count));
    if (count > here) tree.fetch_next_leaf(path);
    if (some != 0) collector.take(path, some);
    count -= some;
    if (!tree.next_leaf(path)) break;
  }
  return collector.finish();
}

IndexCursor IndexReader::cursor(const Keys& key, bool behind_equal) const {
  if (key.size() != 1) throw UserError(fmt::format("a cursor needs one key, not {}", key.size()));
  auto path = std::make_unique<Path>();
  for_each_chunk(state_->pool->geometry().keys, key, [&](size_t, const Probes& probes) {
    state_->tree->seek(*root_, probes[0], behind_equal, *path);
  });
  return {state_, std::move(path)};
}

IndexCursor IndexReader::at_position(uint64_t position) const {
  auto path = std::make_unique<Path>();
  state_->tree->seek_rank(*root_, position, *path);
  return {state_, std::move(path)};
}

IndexCursor IndexReader::first() const { return at_position(0); }

IndexCursor IndexReader::last() const {
  IndexCursor cursor = at_position(size());
  cursor.previous();
  return cursor;
}

IndexCursor IndexReader::predecessor(const Keys& key) const {
  IndexCursor found = cursor(key, false);
  found.previous();
  return found;
}

IndexCursor::IndexCursor(std::shared_ptr<State> state, std::unique_ptr<Path> path)
    : state_(std::move(state)), path_(std::move(path)) {}
IndexCursor::IndexCursor(IndexCursor&&) noexcept = default;
IndexCursor::~IndexCursor() = default;

bool IndexCursor::valid() const { return !before_first_ && !state_->tree->at_end(*path_); }

void IndexCursor::next() {
  if (before_first_) {
    before_first_ = false;
  } else if (!state_->tree->at_end(*path_)) {
    ++path_->slots[0];
    if (state_->tree->at_end(*path_)) state_->tree->next_leaf(*path_);
  }
}

void IndexCursor::previous() {
  if (path_->slots[0] > 0) {
    --path_->slots[0];
  } else if (!state_->tree->previous_leaf(*path_)) {
    before_first_ = true;
  }
}

std::vector<Value> IndexCursor::key() const {
  const index::KeyLayout& layout = state_->pool->geometry().keys;
  std::vector<ColumnBuilder> builders;
  for (const KeyField& field : layout.fields()) builders.emplace_back(field.type);
  u64 words[index::kMaxPlanes];
  std::string text;
  layout.decode(state_->tree->key_at(*path_, words, text), builders);
  std::vector<Value> key;
  for (ColumnBuilder& builder : builders) key.push_back(builder.finish()->value(0));
  return key;
}

const void* IndexCursor::value() const { return state_->tree->value(*path_); }

}  // namespace lanewise
