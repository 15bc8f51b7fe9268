#include <algorithm>
#include <iterator>
#include <span>

#include "pram/meta/optimise.h"
#include "pram/meta/shape.h"

namespace lanewise::pram {

namespace {

using Kind = Meta::Kind;

bool is_known(const Meta& meta);

bool all_known(const std::vector<Meta>& list) { return std::all_of(list.begin(), list.end(), is_known); }

/// Whether the host knows each step of a node in advance.
bool is_known(const Meta& meta) {
  switch (meta.kind) {
    case Kind::kHost:
      return std::all_of(meta.statements.begin(), meta.statements.end(), [](const Statement& statement) {
        return is_of_host(statement) || writes_shared_only(statement);
      });
    case Kind::kHostIf:
    case Kind::kHostWhile:
      return is_of_host(*meta.condition) && all_known(meta.body) && all_known(meta.otherwise);
    case Kind::kAll:
      return all_known(meta.body);
    case Kind::kKernel:
      return meta.writing == Writing::kInPlace && meta.from == 0;
    default:
      return false;
  }
}

bool has(const Meta& meta, Kind kind) {
  const auto within = [&](const Meta& inner) { return inner.kind == kind || has(inner, kind); };
  return std::any_of(meta.body.begin(), meta.body.end(), within) ||
         std::any_of(meta.otherwise.begin(), meta.otherwise.end(), within);
}

/// The first loop of kernels among known nodes and their children; null if there is none.
const Meta* loop_of_kernels(std::span<const Meta> list) {
  for (const Meta& meta : list) {
    if (meta.kind == Kind::kHostWhile && has(meta, Kind::kKernel)) return &meta;
    for (const std::vector<Meta>* inner : {&meta.body, &meta.otherwise}) {
      if (const Meta* const found = loop_of_kernels(*inner)) return found;
    }
  }
  return nullptr;
}

/// Merges adjacent nodes into a batch if all are known and one of them loops.
void batch(std::vector<Meta>& list, std::vector<MetaNote>& notes) {
  std::vector<Meta> result;
  for (size_t first = 0; first < list.size();) {
    size_t last = first;
    while (last < list.size() && is_known(list[last])) ++last;
    const std::span<Meta> known = std::span(list).subspan(first, last - first);
    if (const Meta* const loop = loop_of_kernels(known)) {
      notes.push_back({Pass::kBatch, loop->place.line,
                       "the host knows all steps beforehand: nothing that kernels write decides about them"});
      Meta made{.kind = Kind::kBatch, .place = known.front().place};
      std::move(known.begin(), known.end(), std::back_inserter(made.body));
      result.push_back(std::move(made));
    } else {
      std::move(known.begin(), known.end(), std::back_inserter(result));
    }
    if (last < list.size()) {
      batch(list[last].body, notes);
      batch(list[last].otherwise, notes);
      result.push_back(std::move(list[last++]));
    }
    first = last;
  }
  list = std::move(result);
}

}  // namespace

void batch_steps(MetaProgram& meta) { batch(meta.body, meta.notes); }

}  // namespace lanewise::pram
