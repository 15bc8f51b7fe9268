#include "pram/gpu/writes.h"

#include <bit>
#include <limits>
#include <map>

#include "base/error.h"
#include "pram/interpreter/conflicts.h"

namespace lanewise::pram {

namespace {

constexpr Word kNoWriter = -1;           // the greatest rank, as an unsigned number
constexpr uint64_t kMultiplyNumber = 6;  // in preludes/tools.c

/// The operator's number in preludes/tools.c, and its neutral element.
struct Combination {
  uint64_t number;
  Word neutral;
};

Combination combination(Op op) {
  switch (op) {
    case Op::kMin:
      return {1, std::numeric_limits<Word>::max()};
    case Op::kMax:
      return {2, std::numeric_limits<Word>::min()};
    case Op::kAnd:
      return {3, -1};
    case Op::kOr:
      return {4, 0};
    case Op::kXor:
      return {5, 0};
    default:
      return {0, 0};
  }
}

uint64_t form_of(const DeviceSet& set) { return static_cast<uint64_t>(set.form); }

}  // namespace

DeviceWriter::DeviceWriter(const DeviceTools& tools, const Tree& tree, const Options& options,
                           const std::vector<Buffer>& variables)
    : tools_(tools),
      tree_(tree),
      options_(options),
      variables_(variables),
      gathered_(tree.variables.size()) {}

void DeviceWriter::write(const DeviceSet& set, std::span<const DeviceColumn> columns) const {
  for (const DeviceColumn& column : columns) {
    tools_.launch(
        "write_values", set.positions(),
        {set.positions(), column.cells.handle, column.values.handle, variables_[column.variable].handle});
  }
}

void DeviceWriter::resolve(const DeviceSet& set, std::span<const DeviceColumn> columns,
                           const Buffer& status) {
  switch (tree_.mode) {
    case Mode::kErew:
    case Mode::kCrew:
    case Mode::kCommon:
      return write(set, columns);
    case Mode::kArbitrary:
      return options_.race ? write(set, columns) : write_winners(set, columns);
    case Mode::kPriority:
      return write_winners(set, columns);
    case Mode::kCombining:
      return may_overflow(set, columns) ? combine_in_order(set, columns, status)
                                        : combine_quickly(set, columns);
  }
}

void DeviceWriter::gather(std::span<const DeviceColumn> columns, Word empty) {
  for (const DeviceColumn& column : columns) {
    Buffer& words = gathered_[column.variable];
    if (words.held != nullptr) continue;
    words = tools_.backend().allocate(variables_[column.variable].bytes);
    const uint64_t size = words.bytes / sizeof(Word);
    tools_.launch("set_all", size, {size, words.handle, static_cast<uint64_t>(empty)});
  }
}

void DeviceWriter::clear(const DeviceSet& set, std::span<const DeviceColumn> columns, Word empty) const {
  for (const DeviceColumn& column : columns) {
    tools_.launch("clear_cells", set.positions(),
                  {set.positions(), column.cells.handle, gathered_[column.variable].handle,
                   static_cast<uint64_t>(empty)});
  }
}

void DeviceWriter::claim(const DeviceSet& set, std::span<const DeviceColumn> columns, bool drawn) {
  gather(columns, kNoWriter);
  for (const DeviceColumn& column : columns) {
    tools_.launch("claim", set.positions(),
                  {set.positions(), form_of(set), set.members.handle, column.cells.handle,
                   gathered_[column.variable].handle, drawn, options_.seed});
  }
}

void DeviceWriter::write_winners(const DeviceSet& set, std::span<const DeviceColumn> columns) {
  const bool drawn = tree_.mode == Mode::kArbitrary;
  claim(set, columns, drawn);
  for (const DeviceColumn& column : columns) {
    tools_.launch(
        "write_winners", set.positions(),
        {set.positions(), form_of(set), set.members.handle, column.cells.handle, column.values.handle,
         gathered_[column.variable].handle, drawn, options_.seed, variables_[column.variable].handle});
  }
  clear(set, columns, kNoWriter);
}

void DeviceWriter::check_exclusive(const DeviceSet& set, std::span<const DeviceColumn> columns,
                                   const Buffer& status) {
  claim(set, columns, false);
  for (const DeviceColumn& column : columns) {
    tools_.launch("check_alone", set.positions(),
                  {set.positions(), form_of(set), set.members.handle, column.cells.handle,
                   gathered_[column.variable].handle, status.handle});
  }
  clear(set, columns, kNoWriter);
}

void DeviceWriter::check_common(const DeviceSet& set, std::span<const DeviceColumn> columns,
                                const Buffer& status) const {
  for (const DeviceColumn& column : columns) {
    tools_.launch("check_same", set.positions(),
                  {set.positions(), column.cells.handle, column.values.handle,
                   variables_[column.variable].handle, status.handle});
  }
}

/// Whether values must be combined in order; so must sums whose partial results may overflow.
bool DeviceWriter::may_overflow(const DeviceSet& set, std::span<const DeviceColumn> columns) {
  const std::optional<uint64_t> limit = limit_of_any_order(tree_, columns);
  if (!limit || *limit == kNoLimit) return !limit;
  if (most_.held == nullptr) most_ = tools_.backend().allocate(sizeof(Word));
  tools_.backend().fill(most_, 0);
  for (const DeviceColumn& column : columns) {
    tools_.launch("find_most", set.positions(),
                  {set.positions(), column.cells.handle, column.values.handle, most_.handle});
  }
  uint64_t greatest = 0;
  tools_.backend().download(&greatest, most_, sizeof(greatest));
  uint64_t sum = 0;
  return __builtin_mul_overflow(greatest, uint64_t{set.count} * columns.size(), &sum) || sum > *limit;
}

void DeviceWriter::combine_quickly(const DeviceSet& set, std::span<const DeviceColumn> columns) {
  const auto [number, neutral] = combination(tree_.combine_of(columns[0].variable));
  gather(columns, neutral);
  for (const DeviceColumn& column : columns) {
    tools_.launch("gather", set.positions(),
                  {set.positions(), column.cells.handle, column.values.handle,
                   gathered_[column.variable].handle, number});
  }
  for (const DeviceColumn& column : columns) {
    tools_.launch("write_gathered", set.positions(),
                  {set.positions(), column.cells.handle, gathered_[column.variable].handle,
                   variables_[column.variable].handle});
  }
  clear(set, columns, neutral);
}

/// For each variable: sorts the writes by cell and processor, and then combines neighbours.
void DeviceWriter::combine_in_order(const DeviceSet& set, std::span<const DeviceColumn> columns,
                                    const Buffer& status) const {
  std::map<uint32_t, std::vector<const DeviceColumn*>> variables;
  for (const DeviceColumn& column : columns) variables[column.variable].push_back(&column);
  for (const auto& [variable, writes] : variables) combine_one(set, variable, writes, status);
}

void DeviceWriter::combine_one(const DeviceSet& set, uint32_t variable,
                               std::span<const DeviceColumn* const> columns, const Buffer& status) const {
  Backend& backend = tools_.backend();
  const uint64_t positions = set.positions();
  const uint64_t orders = positions * columns.size();
  const uint64_t cells = variables_[variable].bytes / sizeof(Word);
  if (cells > static_cast<uint64_t>(std::numeric_limits<Word>::max()) / orders) {
    throw MemoryError("a PRAM program's writes to one variable have no order of 63 bits");
  }
  const uint64_t size = std::bit_ceil(orders);
  const Buffer keys = backend.allocate(size * sizeof(Word));
  const Buffer values = backend.allocate(size * sizeof(Word));
  const Buffer firsts = backend.allocate(size * sizeof(Word));
  if (size != orders) {  // unwritten entries are neutral, and sorted with the others
    backend.fill(keys, 0xff);
    backend.fill(values, 0);
  }
  for (uint64_t target = 0; target < columns.size(); ++target) {
    const DeviceColumn& column = *columns[target];
    tools_.launch("make_keys", positions,
                  {positions, column.cells.handle, column.values.handle, target, columns.size(), orders,
                   keys.handle, values.handle});
  }
  for (uint64_t run = 2; run <= size; run *= 2) {
    for (uint64_t apart = run / 2; apart > 0; apart /= 2) {
      tools_.launch("exchange", size / 2, {size / 2, run, apart, keys.handle, values.handle});
    }
  }
  tools_.launch("find_firsts", size, {size, keys.handle, orders, firsts.handle});
  const Op op = tree_.combine_of(variable);
  const Type type = tree_.variables[variable].type;
  const uint64_t how = op == Op::kMultiply ? kMultiplyNumber : combination(op).number;
  const uint64_t kind = type == Type::kReal ? 1 : type == Type::kInt32 ? 2 : 0;
  for (uint64_t apart = 1; apart < orders; apart *= 2) {
    tools_.launch("combine_pairs", size,
                  {size, apart, firsts.handle, values.handle, how, kind, status.handle});
  }
  tools_.launch("write_firsts", size,
                {size, keys.handle, orders, firsts.handle, values.handle, variables_[variable].handle});
}

}  // namespace lanewise::pram
