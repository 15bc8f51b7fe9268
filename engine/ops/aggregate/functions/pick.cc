#include <cstring>

#include "expr/vectors/vectors.h"
#include "ops/aggregate/accumulators/kept_text.h"
#include "ops/aggregate/accumulators/position.h"
#include "ops/aggregate/accumulators/ranks.h"
#include "ops/aggregate/accumulators/states.h"
#include "ops/aggregate/functions/function_groups.h"

namespace lanewise::ops {

namespace {

/// One value per group, of any type, that may be replaced.
class KeptValues {
 public:
  KeptValues(Type type, MemoryBudget* budget)
      : type_(type),
        width_(type.is_string() ? 0 : width(type.physical())),
        budget_(budget),
        texts_(budget),
        numbers_(budget, kGroupBy) {}

  void resize(uint32_t groups) {
    if (width_ == 0) texts_.resize(groups);
    numbers_.resize(groups * width_);
  }
  void keep(const Vector& vector, uint32_t row, uint32_t group) {
    if (width_ == 0) {
      texts_.put(group, vector.text(row));
    } else {
      std::memcpy(numbers_.data() + group * width_, vector.as<uint8_t>() + row * width_, width_);
    }
  }
  void keep(const KeptValues& other, uint32_t theirs, uint32_t group) {
    if (width_ == 0) {
      texts_.put(group, other.texts_[theirs]);
    } else {
      std::memcpy(numbers_.data() + group * width_, other.numbers_.data() + theirs * width_, width_);
    }
  }
  template <class Valid>
  ColumnPtr column(uint32_t first, uint32_t count, Valid valid) const {
    return visit(type_.physical(), [&](auto zero) -> ColumnPtr {
      using T = decltype(zero);
      if constexpr (std::is_same_v<T, std::string_view>) {
        return text_column(type_, count, budget_, valid, [&](uint32_t i) { return texts_[first + i]; });
      } else {
        const T* values = reinterpret_cast<const T*>(numbers_.data()) + first;
        return number_column<T>(type_, count, budget_, valid, [&](uint32_t i) { return values[i]; });
      }
    });
  }

 private:
  Type type_;
  size_t width_;
  MemoryBudget* budget_;
  KeptText texts_;
  BufferBuilder<uint8_t> numbers_;
};

template <class Ranks>
class PickedRow : public Accumulator {
 public:
  PickedRow(Type type, RowChoice choice, Ranks ranks, MemoryBudget* budget)
      : choice_(choice), ranks_(std::move(ranks)), values_(type, budget), states_(budget) {}

  void resize(uint32_t groups) override {
    ranks_.resize(groups);
    values_.resize(groups);
    states_.resize(groups);
  }

  void update(const AggregateInput& input) override {
    ActiveSet rows = choice_.skip_nulls ? present(input) : input.rows;
    std::vector<Vector> keys;
    if (choice_.by) {
      rows.narrow(present(input, 1).bitmap());
      keys.push_back(input.args[1]);
    }
    keys.insert(keys.end(), input.order.begin(), input.order.end());
    if (rows.none()) return;
    ranks_.read(keys, rows);
    const Vector values = expr::flatten(input.args[0], rows);
    size_t i = 0;
    const auto offer = [&](uint32_t row, uint32_t group) {
      State& state = states_[group];
      const Position position{input.chunk_order, input.first_row + row};
      if (!state.set || beats(ranks_.compare(i, row, group), position, state.position)) {
        ranks_.keep(i, row, group);
        const bool null = values.is_null(row);
        if (!null) values_.keep(values, row, group);
        state = {position, true, null};
      }
      ++i;
    };
    if (input.groups == nullptr && keys.empty()) {  // the other rows of the chunk cannot win
      const uint32_t end = choice_.last ? rows.count() - 1 : 0;
      offer(rows.all() ? end : rows.list()[end], 0);
    } else {
      for_each_row(input, rows, offer);
    }
  }

  void merge(const Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    const auto& theirs = static_cast<const PickedRow&>(other);
    for (size_t i = 0; i < from.size(); ++i) {
      const State& candidate = theirs.states_[from[i]];
      State& state = states_[to[i]];
      if (!candidate.set) continue;
      if (state.set &&
          !beats(ranks_.compare(theirs.ranks_, from[i], to[i]), candidate.position, state.position)) {
        continue;
      }
      ranks_.keep(theirs.ranks_, from[i], to[i]);
      if (!candidate.null) values_.keep(theirs.values_, from[i], to[i]);
      state = candidate;
    }
  }

  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation*) const override {
    return values_.column(first, count, [&](uint32_t i) {
      const State& state = states_[first + i];
      return state.set && !state.null;
    });
  }

 private:
  struct State {
    Position position;
    bool set = false;
    bool null = false;
  };

  bool beats(int rank, const Position& position, const Position& kept) const {
    if (rank != 0) return rank < 0;
    return choice_.last ? position > kept : position < kept;
  }

  RowChoice choice_;
  Ranks ranks_;
  KeptValues values_;
  States<State> states_;
};

template <RowChoice kChoice>
std::unique_ptr<Accumulator> make_pick(const plan::AggregateCall& call, MemoryBudget* budget) {
  RowChoice choice = kChoice;
  std::vector<Type> types;
  std::vector<SortDirection> directions;
  if (choice.by) {
    types.push_back(call.args[1]->type);
    directions.push_back({choice.greatest, false});
  }
  for (const plan::SortKey& key : call.order) {
    // The last row in an order is the first of the reversed one; ties keep the input's order.
    types.push_back(key.expr->type);
    directions.push_back({key.descending != choice.last, key.nulls_first != choice.last});
  }
  if (!call.order.empty()) choice.last = false;
  if (choice.by && types.size() == 1 && key_width(types[0]) == 1) {
    return std::make_unique<PickedRow<WordRanks>>(call.type, choice, WordRanks(types, directions, budget),
                                                  budget);
  }
  return std::make_unique<PickedRow<ByteRanks>>(call.type, choice, ByteRanks(types, directions, budget),
                                                budget);
}

std::optional<Type> two_arguments(std::span<const Type> args) {
  return args.size() == 2 ? std::optional<Type>(args[0]) : std::nullopt;
}

constexpr RowChoice kFirst{};
constexpr RowChoice kLast{.last = true};
constexpr RowChoice kAnyValue{.skip_nulls = true};
constexpr RowChoice kMinBy{.skip_nulls = true, .by = true};
constexpr RowChoice kMaxBy{.skip_nulls = true, .by = true, .greatest = true};
constexpr RowChoice kMinByNull{.by = true};
constexpr RowChoice kMaxByNull{.by = true, .greatest = true};

constexpr AggregateFunction kPickFunctions[] = {
    {.name = "any_value",
     .distinct_matters = false,
     .order_matters = true,
     .resolve = same_type,
     .make = make_pick<kAnyValue>,
     .documentation = "The first value that is not NULL.",
     .example = "SELECT any_value(x) FROM (VALUES (NULL), (2), (3)) t(x) -- 2",
     .compares_values = false,
     .choice = kAnyValue},
    {.name = "arg_max_null",
     .distinct_matters = false,
     .order_matters = true,
     .resolve = two_arguments,
     .make = make_pick<kMaxByNull>,
     .documentation = "The value, NULL or not, of the row where the second argument is greatest.",
     .example = "SELECT arg_max_null(x, y) FROM (VALUES (1, 5), (NULL, 9)) t(x, y) -- NULL",
     .choice = kMaxByNull},
    {.name = "arg_min_null",
     .distinct_matters = false,
     .order_matters = true,
     .resolve = two_arguments,
     .make = make_pick<kMinByNull>,
     .documentation = "The value, NULL or not, of the row where the second argument is least.",
     .example = "SELECT arg_min_null(x, y) FROM (VALUES (1, 5), (NULL, 2)) t(x, y) -- NULL",
     .choice = kMinByNull},
    {.name = "first",
     .distinct_matters = false,
     .order_matters = true,
     .resolve = same_type,
     .make = make_pick<kFirst>,
     .documentation = "The value of the first row, NULL or not.",
     .example = "SELECT first(x ORDER BY y) FROM (VALUES (1, 2), (2, 1)) t(x, y) -- 2",
     .compares_values = false,
     .choice = kFirst},
    {.name = "last",
     .distinct_matters = false,
     .order_matters = true,
     .resolve = same_type,
     .make = make_pick<kLast>,
     .documentation = "The value of the last row, NULL or not.",
     .example = "SELECT last(x ORDER BY y) FROM (VALUES (1, 2), (2, 1)) t(x, y) -- 1",
     .compares_values = false,
     .choice = kLast},
    {.name = "max_by",
     .distinct_matters = false,
     .order_matters = true,
     .resolve = two_arguments,
     .make = make_pick<kMaxBy>,
     .documentation = "The value of the row where the second argument is greatest; neither is NULL.",
     .example = "SELECT max_by(x, y) FROM (VALUES (1, 5), (2, 9)) t(x, y) -- 2",
     .choice = kMaxBy},
    {.name = "min_by",
     .distinct_matters = false,
     .order_matters = true,
     .resolve = two_arguments,
     .make = make_pick<kMinBy>,
     .documentation = "The value of the row where the second argument is least; neither is NULL.",
     .example = "SELECT min_by(x, y) FROM (VALUES (1, 5), (2, 9)) t(x, y) -- 1",
     .choice = kMinBy},
};

}  // namespace

std::span<const AggregateFunction> pick_functions() { return kPickFunctions; }

}  // namespace lanewise::ops
