#include "pram/executor/writes.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "pram/interpreter/conflicts.h"

namespace lanewise::pram {

namespace {

constexpr Word kNobody = -1;  // the greatest rank, as an unsigned number

/// The neutral element of the operator.
Word neutral(Op op) {
  switch (op) {
    case Op::kMin:
      return std::numeric_limits<Word>::max();
    case Op::kMax:
      return std::numeric_limits<Word>::min();
    case Op::kAnd:
      return -1;
    default:
      return 0;  // of kAdd, kOr, kXor
  }
}

Word least(Word a, Word b) { return static_cast<uint64_t>(a) < static_cast<uint64_t>(b) ? a : b; }

}  // namespace

void Pending::resize(uint32_t parts, const std::vector<uint32_t>& variables) {
  const size_t size = size_t{parts} * kLanes;
  counts.assign(parts, 0);
  if (size_ < size) {
    processors = std::make_unique_for_overwrite<uint32_t[]>(size);
    size_ = size;
  }
  used_ = variables.size();
  if (held_.size() < used_) held_.resize(used_);
  for (size_t i = 0; i < used_; ++i) {
    Column& column = held_[i];
    column.variable = variables[i];
    if (column.size >= size) continue;
    column.cells = std::make_unique_for_overwrite<Word[]>(size);
    column.values = std::make_unique_for_overwrite<Word[]>(size);
    column.size = size;
  }
}

Writer::Writer(const Tree& tree, Memory& memory, const Options& options, const Team& team)
    : tree_(tree),
      memory_(memory),
      options_(options),
      team_(team),
      gathered_(tree.variables.size()),
      reservation_(options.budget, "the marks that resolve conflicts of a PRAM program") {}

/// Calls f(column, place) for every write.
template <class F>
void Writer::for_all(const Pending& pending, F f) const {
  team_.run(static_cast<uint32_t>(pending.counts.size()), [&](size_t, uint32_t part) {
    const size_t begin = size_t{part} * kLanes;
    for (const Pending::Column& column : pending.columns()) {
      for (size_t i = begin; i < begin + pending.counts[part]; ++i) f(column, i);
    }
  });
}

/// Merges value(column, place) of all writers of each cell. Adjacent writers of one cell merge theirs
/// before they access shared memory.
template <class V, class M>
void Writer::gather(const Pending& pending, V value, M merge) {
  team_.run(static_cast<uint32_t>(pending.counts.size()), [&](size_t, uint32_t part) {
    const size_t begin = size_t{part} * kLanes;
    const size_t end = begin + pending.counts[part];
    for (const Pending::Column& column : pending.columns()) {
      std::vector<Word>& words = gathered_[column.variable];
      for (size_t i = begin; i < end;) {
        const Word cell = column.cells[i];
        Word own = value(column, i);
        for (++i; i < end && column.cells[i] == cell; ++i) own = merge(own, value(column, i));
        const std::atomic_ref<Word> word(words[static_cast<size_t>(cell)]);
        Word seen = word.load(std::memory_order_relaxed);
        for (Word both = merge(seen, own); both != seen; both = merge(seen, own)) {
          if (word.compare_exchange_weak(seen, both, std::memory_order_relaxed)) break;
        }
      }
    }
  });
}

void Writer::reserve(const Pending& pending, Word empty) {
  for (const Pending::Column& column : pending.columns()) {
    std::vector<Word>& words = gathered_[column.variable];
    const size_t cells = memory_.variables[column.variable].words.size();
    if (words.size() == cells) continue;
    reservation_.resize(reservation_.bytes() + cells * sizeof(Word));
    words.assign(cells, empty);
  }
}

void Writer::clear(const Pending& pending, Word empty) {
  for_all(pending, [&](const Pending::Column& column, size_t i) {
    store(gathered_[column.variable][static_cast<size_t>(column.cells[i])], empty);
  });
}

void Writer::write(const Pending& pending) {
  for_all(pending, [&](const Pending::Column& column, size_t i) {
    store(memory_.variables[column.variable].words[static_cast<size_t>(column.cells[i])], column.values[i]);
  });
}

void Writer::resolve(const Pending& pending) {
  switch (tree_.mode) {
    case Mode::kErew:
    case Mode::kCrew:
    case Mode::kCommon:
      return write(pending);
    case Mode::kArbitrary:
      return options_.race ? write(pending) : claim(pending);
    case Mode::kPriority:
      return claim(pending);
    case Mode::kCombining:
      return may_overflow(pending) ? combine_in_order(pending) : combine_quickly(pending);
  }
}

uint64_t Writer::rank(uint32_t processor) const {
  return tree_.mode == Mode::kArbitrary ? rank_of(processor, options_.seed) : processor;
}

void Writer::claim(const Pending& pending) {
  const auto rank_at = [&](const Pending::Column&, size_t i) {
    return static_cast<Word>(rank(pending.processors[i]));
  };
  reserve(pending, kNobody);
  gather(pending, rank_at, least);
  for_all(pending, [&](const Pending::Column& column, size_t i) {
    const auto cell = static_cast<size_t>(column.cells[i]);
    if (gathered_[column.variable][cell] != rank_at(column, i)) return;
    memory_.variables[column.variable].words[cell] = column.values[i];
  });
  clear(pending, kNobody);
}

void Writer::check_exclusive(const Pending& pending) {
  reserve(pending, kNobody);
  gather(pending, [&](const Pending::Column&, size_t i) { return Word{pending.processors[i]}; }, least);
  for_all(pending, [&](const Pending::Column& column, size_t i) {
    const auto cell = static_cast<size_t>(column.cells[i]);
    if (gathered_[column.variable][cell] != Word{pending.processors[i]}) throw Failed();
  });
  clear(pending, kNobody);
}

void Writer::check_common(const Pending& pending) const {
  for_all(pending, [&](const Pending::Column& column, size_t i) {
    const std::vector<Word>& words = memory_.variables[column.variable].words;
    if (words[static_cast<size_t>(column.cells[i])] != column.values[i]) throw Failed();
  });
}

/// Whether values must be combined in order; so must sums whose partial results may overflow.
bool Writer::may_overflow(const Pending& pending) const {
  const std::optional<uint64_t> limit = limit_of_any_order(tree_, pending.columns());
  if (!limit || *limit == kNoLimit) return !limit;
  std::vector<uint64_t> most(pending.counts.size());
  team_.run(static_cast<uint32_t>(most.size()), [&](size_t, uint32_t part) {
    const size_t begin = size_t{part} * kLanes;
    for (const Pending::Column& column : pending.columns()) {
      for (size_t i = begin; i < begin + pending.counts[part]; ++i) {
        const Word value = column.values[i];
        const uint64_t size = value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
        most[part] = std::max(most[part], size);
      }
    }
  });
  uint64_t writers = 0;
  for (const uint32_t count : pending.counts) writers += count;
  uint64_t sum = 0;
  const uint64_t greatest = most.empty() ? 0 : *std::max_element(most.begin(), most.end());
  return __builtin_mul_overflow(greatest, writers * pending.columns().size(), &sum) || sum > *limit;
}

void Writer::combine_quickly(const Pending& pending) {
  const Op op = tree_.combine_of(pending.columns()[0].variable);
  const auto value = [](const Pending::Column& column, size_t i) { return column.values[i]; };
  reserve(pending, neutral(op));
  if (op == Op::kMin) {
    gather(pending, value, [](Word a, Word b) { return std::min(a, b); });
  } else if (op == Op::kMax) {
    gather(pending, value, [](Word a, Word b) { return std::max(a, b); });
  } else {
    gather(pending, value, [op](Word a, Word b) { return combine_two(op, a, b); });
  }
  for_all(pending, [&](const Pending::Column& column, size_t i) {
    const auto cell = static_cast<size_t>(column.cells[i]);
    store(memory_.variables[column.variable].words[cell], gathered_[column.variable][cell]);
  });
  clear(pending, neutral(op));
}

void Writer::combine_in_order(const Pending& pending) {
  std::vector<Access> writes;
  for (const Pending::Column& column : pending.columns()) {
    for (size_t part = 0; part < pending.counts.size(); ++part) {
      for (size_t i = part * kLanes; i < part * kLanes + pending.counts[part]; ++i) {
        writes.push_back({column.variable,
                          static_cast<uint64_t>(column.cells[i]),
                          pending.processors[i],
                          {},
                          column.values[i]});
      }
    }
  }
  parallel_sort(writes.begin(), writes.end(), [](const Access& a, const Access& b) {
    return std::tie(a.variable, a.cell, a.processor) < std::tie(b.variable, b.cell, b.processor);
  });
  std::vector<Word> values;
  for (size_t first = 0; first < writes.size();) {
    const auto [variable, cell] = std::tie(writes[first].variable, writes[first].cell);
    values.clear();
    size_t next = first;
    for (; next < writes.size() && writes[next].variable == variable && writes[next].cell == cell; ++next) {
      values.push_back(writes[next].value);
    }
    const std::optional<Word> value =
        combine(tree_.combine_of(variable), tree_.variables[variable].type, values);
    if (!value) throw Failed();
    memory_.variables[variable].words[cell] = *value;
    first = next;
  }
}

}  // namespace lanewise::pram
