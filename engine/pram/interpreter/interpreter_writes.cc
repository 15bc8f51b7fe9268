#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "pram/interpreter/interpreter.h"
#include "pram/machine/columns.h"

/// Resolves a step's writes: conflicts, winners, combined values.
namespace lanewise::pram {

Writes Interpreter::shared_writes(const Statement& statement) {
  Writes writes{{}, lanes()};
  for (size_t t = 0; t < statement.targets.size(); ++t) {
    const Target& target = statement.targets[t];
    if (target.shared) {
      writes.columns.push_back({target.index, target.place, cells_[t].data(), values_[t].data()});
    }
  }
  if (writes.columns.size() * uint64_t{writes.lanes.count} > UINT32_MAX) {
    fail(statement.place, "too many writes in one step", lanes()[0]);
  }
  return writes;
}

bool Interpreter::resolve(const Writes& writes) {
  write_stamps_.begin_epoch();
  bool met = false;
  bool unequal = false;
  const uint32_t count = writes.lanes.count;
  for (size_t column = 0; column < writes.columns.size(); ++column) {
    const Writes::Column& written = writes.columns[column];
    for (uint32_t i = 0; i < count; ++i) {
      const auto writer = static_cast<uint32_t>(column * count + i);
      const auto cell = static_cast<uint64_t>(written.cells[i]);
      const uint32_t other = write_stamps_.mark(written.variable, cell, writer);
      if (other == writer) continue;
      met = true;
      const uint32_t a = writes.processor(other);
      const uint32_t b = writes.lanes[i];
      unequal |= writes.value(other) != written.values[i];
      if (mode_ == Mode::kCombining) continue;  // it does not matter who wins
      const bool wins =
          mode_ == Mode::kPriority ? b < a : rank_of(b, options_.seed) < rank_of(a, options_.seed);
      if (wins) write_stamps_.replace(written.variable, cell, writer);
    }
  }
  if (!met) return false;
  const bool twice = meets_itself(writes);
  const bool exclusive = options_.survey ? !survey_.write : mode_ == Mode::kErew || mode_ == Mode::kCrew;
  const bool common = unequal && (options_.survey ? !survey_.unequal : mode_ == Mode::kCommon);
  if (!twice && !exclusive && !common) return true;
  std::vector<Access> accesses;
  for (size_t column = 0; column < writes.columns.size(); ++column) {
    const Writes::Column& written = writes.columns[column];
    for (uint32_t i = 0; i < count; ++i) {
      accesses.push_back({written.variable, static_cast<uint64_t>(written.cells[i]), writes.lanes[i],
                          written.place, written.values[i]});
    }
  }
  if (twice) meet(find_conflict(accesses, Conflict::Kind::kTwice, step_number()));
  if (exclusive) meet(find_conflict(accesses, Conflict::Kind::kWrite, step_number()));
  if (common) meet(find_conflict(accesses, Conflict::Kind::kUnequal, step_number()));
  return true;
}

bool Interpreter::meets_itself(const Writes& writes) {
  for (size_t a = 0; a < writes.columns.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (writes.columns[a].variable != writes.columns[b].variable) continue;
      for (uint32_t i = 0; i < writes.lanes.count; ++i) {
        if (writes.columns[a].cells[i] == writes.columns[b].cells[i]) return true;
      }
    }
  }
  return false;
}

void Interpreter::meet(const std::optional<Conflict>& conflict) {
  if (!conflict) return;
  if (!options_.survey || conflict->kind == Conflict::Kind::kTwice) {
    const std::string message = describe(*conflict, program_.tree(), memory_, mode_);
    throw ConflictError(program_.render({.place = conflict->place,
                                         .message = message,
                                         .advice = fmt::format("in step {}", conflict->step)}),
                        *conflict);
  }
  if (conflict->kind == Conflict::Kind::kRead) survey_.read = conflict;
  if (conflict->kind == Conflict::Kind::kWrite) survey_.write = conflict;
  if (conflict->kind == Conflict::Kind::kUnequal) survey_.unequal = conflict;
}

void Interpreter::set(bool shared, uint32_t index, uint64_t cell, Word& word, Word value) {
  if (word == value) return;
  if (!undo_.empty()) undo_.back().changes.push_back({shared, index, cell, word, value});
  word = value;
}

void Interpreter::write(const Writes& writes) {
  for (size_t column = 0; column < writes.columns.size(); ++column) {
    const Writes::Column& written = writes.columns[column];
    std::vector<Word>& words = memory_.variables[written.variable].words;
    for (uint32_t i = 0; i < writes.lanes.count; ++i) {
      const auto cell = static_cast<uint64_t>(written.cells[i]);
      const auto writer = static_cast<uint32_t>(column * writes.lanes.count + i);
      if (!write_stamps_.holds(written.variable, cell, writer)) continue;
      set(true, written.variable, cell, words[cell], written.values[i]);
    }
  }
}

bool Interpreter::combine_into_winners(const Writes& writes) {
  const Tree& tree = program_.tree();
  for (const Writes::Column& column : writes.columns) {
    if (!any_order(tree.combine_of(column.variable), tree.variables[column.variable].type)) return false;
  }
  const uint32_t count = writes.lanes.count;
  for (size_t column = 0; column < writes.columns.size(); ++column) {
    const Writes::Column& written = writes.columns[column];
    for (uint32_t i = 0; i < count; ++i) {
      const auto writer = static_cast<uint32_t>(column * count + i);
      const uint32_t winner =
          write_stamps_.mark(written.variable, static_cast<uint64_t>(written.cells[i]), writer);
      if (winner == writer) continue;
      Word& value = writes.columns[winner / count].values[winner % count];
      value = combine_two(tree.combine_of(written.variable), value, written.values[i]);
    }
  }
  return true;
}

void Interpreter::write_combined(const Writes& writes) {
  // Writers of one cell adjacent, ordered by processor.
  std::vector<uint32_t> writers(writes.columns.size() * writes.lanes.count);
  std::iota(writers.begin(), writers.end(), 0u);
  const auto key = [&](uint32_t writer) {
    return std::tuple(writes.columns[writer / writes.lanes.count].variable, writes.cell(writer),
                      writes.processor(writer));
  };
  std::sort(writers.begin(), writers.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  struct Combined {
    uint32_t variable;
    uint64_t cell;
    Word value;
  };
  std::vector<Combined> results;
  std::vector<Word> values;
  for (size_t first = 0; first < writers.size();) {
    const uint32_t writer = writers[first];
    const Writes::Column& column = writes.columns[writer / writes.lanes.count];
    const uint64_t cell = writes.cell(writer);
    values.clear();
    size_t next = first;
    for (; next < writers.size(); ++next) {
      if (writes.columns[writers[next] / writes.lanes.count].variable != column.variable) break;
      if (writes.cell(writers[next]) != cell) break;
      values.push_back(writes.value(writers[next]));
    }
    const Type type = program_.tree().variables[column.variable].type;
    const std::optional<Word> value = combine(program_.tree().combine_of(column.variable), type, values);
    if (!value) {
      const std::string name =
          cell_name(program_.tree().variables[column.variable], memory_.variables[column.variable], cell);
      fail(column.place,
           fmt::format("the combined writes of {} processors to {} overflow {}", next - first, name,
                       pram::name(type)),
           writes.processor(writer));
    }
    results.push_back({column.variable, cell, *value});
    first = next;
  }
  for (const Combined& result : results) {
    set(true, result.variable, result.cell, memory_.variables[result.variable].words[result.cell],
        result.value);
  }
}

void Interpreter::write_private(const Target& target, const std::vector<Word>& values) {
  std::vector<Word>& column = columns_[target.index];
  const Lanes all = lanes();
  if (undo_.empty()) {
    for (uint32_t i = 0; i < all.count; ++i) column[all[i]] = values[i];
  } else {
    for (uint32_t i = 0; i < all.count; ++i) set(false, target.index, all[i], column[all[i]], values[i]);
  }
}

}  // namespace lanewise::pram
