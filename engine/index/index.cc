#include "index/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "base/new_file.h"
#include "index/image/image.h"
#include "index/sorted_batch.h"
#include "index/state.h"

namespace lanewise {

using index::Existing;
using index::Path;
using index::Probe;
using index::Root;
using index::SortedBatch;
using index::State;
using index::u32;
using index::u64;
using index::u8;

namespace {

/// A cache line of samples per node, so that a search reads two lines of a node.
constexpr u32 kDefaultNodeKeys[] = {256, 128};  // for words of 4 and of 8 bytes

u32 or_default(u32 given, const std::vector<KeyField>& fields, u32 less) {
  if (given != 0) return given;
  return kDefaultNodeKeys[index::KeyLayout(fields).word() == 4 ? 0 : 1] - less;
}

std::shared_ptr<State> new_state(const IndexOptions& options, MemoryBudget* budget) {
  auto state = std::make_shared<State>();
  state->budget = budget;
  const index::Header header = index::make_header(
      options.key, options.value_bytes, or_default(options.leaf_keys, options.key, 0),
      or_default(options.inner_keys, options.key, 1), options.fill_percent, options.unique);
  state->pool = std::make_unique<index::Pool>(header, budget);
  state->tree = index::make_tree(*state->pool);
  state->tree->start();
  return state;
}

void check_writable(const State& state) {
  if (state.storage != nullptr && !state.storage->writable()) {
    throw UserError(fmt::format("'{}' is open for reading only", state.pool->name()));
  }
}

/// Called before the change at each key of a batch in order.
void warm(const State& state, const index::Probes& keys, size_t i) {
  if (i % index::Tree::kWarm == 0) state.tree->warm(keys, i);
}

/// The writer's lock: for each call that changes the index.
std::lock_guard<std::mutex> begin_change(State& state) {
  check_writable(state);
  return std::lock_guard(state.writing);
}

}  // namespace

Index::Index(const std::shared_ptr<State>& state) : IndexReader(state, &state->pool->header().root) {}
Index::Index(const IndexOptions& options, MemoryBudget* budget) : Index(new_state(options, budget)) {}
Index::~Index() = default;

Index Index::open(const std::string& path, Mode mode, MemoryBudget* budget, double wait) {
  auto state = std::make_shared<State>();
  state->budget = budget;
  using File = index::FileStorage;
  state->storage =
      std::make_unique<File>(path, mode == Mode::kRead ? File::Mode::kRead : File::Mode::kWrite, wait);
  state->pool = index::open_image(*state->storage, budget);
  state->tree = index::make_tree(*state->pool);
  return Index(state);
}

bool Index::is_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[sizeof index::kMagic] = {};
  return file.read(magic, sizeof magic) && std::memcmp(magic, index::kMagic, sizeof magic) == 0;
}

void Index::load(const Keys& keys, const void* values) {
  const auto turn = begin_change(*state_);
  if (size() != 0) throw UserError("load() fills an empty index; insert() adds to one");
  const index::KeyLayout& layout = state_->pool->geometry().keys;
  SortedBatch batch(layout, keys, state_->budget);
  if (state_->pool->geometry().unique) {
    for (size_t i = 1; i < keys.size(); ++i) {
      if (index::compare(layout, batch.probes()[i - 1], batch.probes()[i]) == 0) {
        throw UserError(fmt::format("keys {} and {} are equal, but the keys of this index are unique",
                                    batch.row(i - 1), batch.row(i)));
      }
    }
  }
  state_->pool->collect();
  state_->tree->load(batch.probes(), batch.sort_values(values, value_bytes()));
}

size_t Index::insert(const Keys& keys, const void* values) {
  const auto turn = begin_change(*state_);
  state_->pool->collect();
  SortedBatch batch(state_->pool->geometry().keys, keys, state_->budget);
  const u8* sorted = batch.sort_values(values, value_bytes());
  const u64 before = size();
  if (!state_->pool->geometry().unique) {
    state_->tree->insert_sorted(batch.probes(), sorted);
  } else {
    for (size_t i = 0; i < keys.size(); ++i) {
      warm(*state_, batch.probes(), i);
      state_->tree->insert(batch.probes()[i], sorted + i * value_bytes(), Existing::kKeep);
    }
  }
  return size() - before;
}

size_t Index::upsert(const Keys& keys, const void* values) {
  const auto turn = begin_change(*state_);
  state_->pool->collect();
  SortedBatch batch(state_->pool->geometry().keys, keys, state_->budget);
  const u8* sorted = batch.sort_values(values, value_bytes());
  const u64 before = size();
  for (size_t i = 0; i < keys.size(); ++i) {
    warm(*state_, batch.probes(), i);
    state_->tree->insert(batch.probes()[i], sorted + i * value_bytes(), Existing::kReplace);
  }
  return size() - before;
}

namespace {

/// Removes all entries of the key, or the first one with the value. Returns their number.
size_t erase_key(State& state, const Probe& key, const u8* value) {
  const Root& root = state.pool->header().root;
  const size_t bytes = state.pool->geometry().value_bytes;
  Path path;
  size_t erased = 0;
  for (;;) {
    state.tree->seek(root, key, false, path);
    const auto is_other = [&] {
      return value != nullptr && bytes != 0 && std::memcmp(state.tree->value(path), value, bytes) != 0;
    };
    bool there = !state.tree->at_end(path) && state.tree->is_at(path, key);
    while (there && is_other()) {
      ++path.slots[0];
      there = (!state.tree->at_end(path) || state.tree->next_leaf(path)) && state.tree->is_at(path, key);
    }
    if (!there) return erased;
    state.tree->erase(path);
    ++erased;
    if (value != nullptr) return erased;
  }
}

}  // namespace

size_t Index::erase(const Keys& keys) {
  const auto turn = begin_change(*state_);
  state_->pool->collect();
  const SortedBatch batch(state_->pool->geometry().keys, keys, state_->budget);
  size_t erased = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    warm(*state_, batch.probes(), i);
    erased += erase_key(*state_, batch.probes()[i], nullptr);
  }
  return erased;
}

size_t Index::erase(const Keys& keys, const void* values) {
  const auto turn = begin_change(*state_);
  state_->pool->collect();
  SortedBatch batch(state_->pool->geometry().keys, keys, state_->budget);
  static constexpr u8 kNoValue = 0;  // any address: values of 0 bytes are all equal
  const u8* sorted = value_bytes() == 0 ? nullptr : batch.sort_values(values, value_bytes());
  size_t erased = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    erased +=
        erase_key(*state_, batch.probes()[i], sorted == nullptr ? &kNoValue : sorted + i * value_bytes());
  }
  return erased;
}

size_t Index::apply(std::span<const Change> changes, const Keys& keys, const void* values) {
  const auto turn = begin_change(*state_);
  if (changes.size() != keys.size()) throw UserError("the numbers of keys and changes differ");
  state_->pool->collect();
  SortedBatch batch(state_->pool->geometry().keys, keys, state_->budget);
  const u8* sorted = batch.sort_values(values, value_bytes());
  const Existing existing = state_->pool->geometry().unique ? Existing::kKeep : Existing::kAdd;
  size_t changed = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    warm(*state_, batch.probes(), i);
    const Probe key = batch.probes()[i];
    const Change change = changes[batch.row(i)];
    if (change == Change::kErase) {
      changed += erase_key(*state_, key, nullptr);
    } else {
      const Existing what = change == Change::kUpsert ? Existing::kReplace : existing;
      changed += state_->tree->insert(key, sorted + i * value_bytes(), what);
    }
  }
  return changed;
}

IndexSnapshot Index::snapshot() const {
  std::lock_guard lock(state_->writing);
  index::Header& header = state_->pool->header();
  const u64 version = header.version++;
  state_->pool->versions().open(version);
  return {state_, std::make_unique<Root>(header.root), version};
}

IndexSnapshot::IndexSnapshot(std::shared_ptr<State> state, std::unique_ptr<Root> root, uint64_t version)
    : IndexReader(std::move(state), root.get()), own_root_(std::move(root)), version_(version) {}
IndexSnapshot::IndexSnapshot(IndexSnapshot&&) noexcept = default;
IndexSnapshot& IndexSnapshot::operator=(IndexSnapshot&& other) noexcept {
  std::swap(state_, other.state_);
  std::swap(root_, other.root_);
  std::swap(own_root_, other.own_root_);
  std::swap(version_, other.version_);
  return *this;
}
IndexSnapshot::~IndexSnapshot() {
  if (state_ != nullptr) state_->pool->versions().close(version_);
}

void Index::save(const std::string& path) {
  std::lock_guard lock(state_->writing);
  state_->pool->trust(*root_);  // Damaged groups must not be rewritten with valid checksums.
  NewFile renamed(path);
  auto file = std::make_unique<index::FileStorage>(renamed.temporary(), path);
  state_->pool->collect();
  index::write_image(*state_->pool, *file);
  renamed.commit();
  state_->pool->set_name(path);
  state_->storage = std::move(file);
  state_->stuck = false;
}

void Index::commit() {
  const auto turn = begin_change(*state_);
  if (state_->storage == nullptr) throw UserError("this index has no file to commit to: call save() first");
  if (state_->stuck) {
    throw UserError(fmt::format("'{}': a commit failed half-way; open the file again", state_->pool->name()));
  }
  state_->pool->collect();
  index::commit_image(*state_->pool, *state_->storage, state_->stuck);
}

void IndexReader::verify() const {
  std::lock_guard lock(state_->writing);
  const index::Pool& pool = *state_->pool;
  state_->tree->verify(*root_);
  if (root_ != &pool.header().root || pool.has_waiting()) return;  // Slots may belong to other states.
  u64 used[index::kSlotClasses] = {};
  u64 slots[index::kSlotClasses] = {};
  state_->tree->for_each_slot(*root_, [&](u64, u32 slot_class) { ++used[slot_class]; });
  for (u64 number = 1; number < pool.groups(); ++number) {
    const u32 slot_class = pool.trailer(number).slot_class;
    slots[slot_class] += pool.geometry().slots_of(slot_class);
  }
  for (u32 c = 0; c < index::kSlotClasses; ++c) {
    const index::FreeSlots& free = pool.header().free[c];
    if (used[c] + free.returned + free.fresh_left != slots[c]) {
      throw UserError(fmt::format("{}: of {} slots of class {}, {} are in use and {} free", pool.name(),
                                  slots[c], c, used[c], free.returned + free.fresh_left));
    }
  }
}

IndexStats IndexReader::stats() const {
  std::lock_guard lock(state_->writing);
  const index::Pool& pool = *state_->pool;
  const index::Header& header = pool.header();
  pool.trust(*root_);
  IndexStats stats;
  stats.entries = size();
  stats.height = root_->height;
  stats.leaf_keys = header.leaf_keys;
  stats.inner_keys = header.inner_keys;
  stats.value_bytes = header.value_bytes;
  stats.unique = header.unique != 0;
  stats.commits = header.commit;
  stats.image_bytes = pool.groups() * header.group_bytes;
  state_->tree->for_each_slot(*root_, [&](u64, u32 slot_class) {
    ++(slot_class == index::kLeaves       ? stats.leaves
       : slot_class == index::kInnerNodes ? stats.inner_nodes
                                          : stats.texts);
    stats.used_bytes += pool.geometry().slot_bytes[slot_class];
  });
  return stats;
}

}  // namespace lanewise
