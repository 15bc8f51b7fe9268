#include "ops/join/parts.h"

#include <fmt/format.h>

#include <bit>

#include "ops/ordered_rows.h"
#include "primitives/groups/hash.h"
#include "primitives/groups/key_rows.h"

namespace lanewise::ops {

namespace {

constexpr int64_t kPartBatchRows = int64_t{1} << 15;  // each thread has one growing batch per part

/// Bitmaps of the active rows, by part.
std::vector<ActiveSet> split(const ActiveSet& active, std::span<const Vector> keys, size_t parts,
                             Arena& arena) {
  std::vector<Type> types;
  std::vector<KeyWords> words;
  for (const Vector& key : keys) {
    types.push_back(key.type);
    words.push_back(key_words(key, active));
  }
  const std::span<const uint32_t> list = active.list();
  const KeyRows::Encoded encoded = KeyRows(types).encode(words, list.data(), list.size(), arena);
  const size_t bitmap_words = bits::words(active.rows());
  auto* const bitmaps = arena.allocate<uint64_t>(parts * bitmap_words);
  std::fill_n(bitmaps, parts * bitmap_words, 0);
  for (size_t i = 0; i < list.size(); ++i) {
    const uint64_t hash = hash::of_bytes(encoded.bytes[i], encoded.sizes[i]);
    bits::set(bitmaps + hash % parts * bitmap_words, list[i]);
  }
  std::vector<ActiveSet> sets;
  for (size_t part = 0; part < parts; ++part) sets.push_back(active.narrowed(bitmaps + part * bitmap_words));
  return sets;
}

}  // namespace

RowsInParts::RowsInParts(const Schema& schema, size_t parts) {
  for (size_t part = 0; part < parts; ++part)
    parts_.push_back(std::make_unique<OrderedRows>(schema, kJoin, kPartBatchRows));
}

void RowsInParts::append(const Chunk& chunk, std::span<const Vector> keys, Arena& arena,
                         MemoryBudget* budget) {
  const std::vector<ActiveSet> sets = split(chunk.active, keys, parts_.size(), arena);
  Chunk rows = chunk;
  for (size_t part = 0; part < sets.size(); ++part) {
    rows.active = sets[part];
    static_cast<OrderedRows&>(*parts_[part]).append(rows, budget);
  }
}

std::vector<Table> RowsInParts::merge(const Schema& schema, std::vector<std::unique_ptr<Sink::Local>>& locals,
                                      size_t parts, MemoryBudget* budget) {
  std::vector<Table> tables;
  for (size_t part = 0; part < parts; ++part) {
    std::vector<std::unique_ptr<Sink::Local>> of_part;
    for (auto& local : locals) of_part.push_back(std::move(static_cast<RowsInParts&>(*local).parts_[part]));
    tables.push_back(OrderedRows::merge(schema, of_part, 0, -1, budget, kJoin));
  }
  return tables;
}

LeftPartsSink::LeftPartsSink(const plan::Join& join, const Schema& left, size_t parts)
    : join_(join), left_(left), count_(parts) {}

std::unique_ptr<Sink::Local> LeftPartsSink::local() const {
  return std::make_unique<RowsInParts>(left_, count_);
}

void LeftPartsSink::consume(Local& local, const Chunk& chunk, EvalContext& context) const {
  std::vector<Vector> keys;
  for (const plan::JoinKey& key : join_.keys)
    keys.push_back(evaluate(*key.left, chunk.columns, chunk.active, context));
  static_cast<RowsInParts&>(local).append(chunk, keys, *context.arena, context.budget);
}

Table LeftPartsSink::finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) {
  parts_ = RowsInParts::merge(left_, locals, count_, context.budget);
  return {};
}

BuildParts::BuildParts(BuildForm form, std::vector<Table> parts, MemoryBudget* budget)
    : form_(std::move(form)), parts_(std::move(parts)), budget_(budget) {}

int64_t BuildParts::rows() const {
  int64_t rows = 0;
  for (const Table& part : parts_) rows += part.rows();
  return rows;
}

std::string BuildParts::describe() const {
  return build_ == nullptr ? "" : fmt::format("part {} of {}: {}", opened_ + 1, count(), build_->describe());
}

std::shared_ptr<const Build> BuildParts::open(size_t part) {
  if (part != opened_) {
    build_.reset();
    build_ = form_.make(parts_[part], budget_);
    opened_ = part;
  }
  return build_;
}

}  // namespace lanewise::ops
