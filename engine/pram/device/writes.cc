#include "pram/device/writes.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "pram/interpreter/conflicts.h"

namespace lanewise::pram {

namespace {

constexpr Word kNobody = -1;  // the greatest rank, as an unsigned number

/// The operator's number in preludes/tools.c, and what leaves every value as it is.
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

void DeviceWriter::resolve(const DeviceSet& set, std::span<const DeviceColumn> columns) {
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
      return may_overflow(set, columns) ? combine_in_order(set, columns) : combine_quickly(set, columns);
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
  gather(columns, kNobody);
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
  clear(set, columns, kNobody);
}

void DeviceWriter::check_exclusive(const DeviceSet& set, std::span<const DeviceColumn> columns,
                                   const Buffer& status) {
  claim(set, columns, false);
  for (const DeviceColumn& column : columns) {
    tools_.launch("check_alone", set.positions(),
                  {set.positions(), form_of(set), set.members.handle, column.cells.handle,
                   gathered_[column.variable].handle, status.handle});
  }
  clear(set, columns, kNobody);
}

void DeviceWriter::check_common(const DeviceSet& set, std::span<const DeviceColumn> columns,
                                const Buffer& status) const {
  for (const DeviceColumn& column : columns) {
    tools_.launch("check_same", set.positions(),
                  {set.positions(), column.cells.handle, column.values.handle,
                   variables_[column.variable].handle, status.handle});
  }
}

/// Whether values have to be combined in their order: reals, products, and sums of which a part may overflow;
/// and where variables have operators of their own.
bool DeviceWriter::may_overflow(const DeviceSet& set, std::span<const DeviceColumn> columns) {
  const Op op = tree_.combine_of(columns[0].variable);
  if (op == Op::kMultiply) return true;
  uint64_t limit = std::numeric_limits<Word>::max();
  for (const DeviceColumn& column : columns) {
    if (tree_.combine_of(column.variable) != op) return true;
    const Type type = tree_.variables[column.variable].type;
    if (type == Type::kReal) return true;
    if (type == Type::kInt32) limit = std::numeric_limits<int32_t>::max();
  }
  if (op != Op::kAdd) return false;
  if (most_.held == nullptr) most_ = tools_.backend().allocate(sizeof(Word));
  tools_.backend().fill(most_, 0);
  for (const DeviceColumn& column : columns) {
    tools_.launch("find_most", set.positions(),
                  {set.positions(), column.cells.handle, column.values.handle, most_.handle});
  }
  uint64_t greatest = 0;
  tools_.backend().download(&greatest, most_, sizeof(greatest));
  uint64_t sum = 0;
  return __builtin_mul_overflow(greatest, uint64_t{set.count} * columns.size(), &sum) || sum > limit;
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

/// By the host, which sorts what is written by cell and processor.
void DeviceWriter::combine_in_order(const DeviceSet& set, std::span<const DeviceColumn> columns) {
  struct Write {
    uint32_t variable;
    Word cell;
    uint32_t position;
    Word value;
  };
  std::vector<Write> writes;
  const size_t positions = set.positions();
  std::vector<Word> cells(positions);
  std::vector<Word> values(positions);
  for (const DeviceColumn& column : columns) {
    tools_.backend().download(cells.data(), column.cells, positions * sizeof(Word));
    tools_.backend().download(values.data(), column.values, positions * sizeof(Word));
    for (uint32_t i = 0; i < positions; ++i) {
      if (cells[i] >= 0) writes.push_back({column.variable, cells[i], i, values[i]});
    }
  }
  std::sort(writes.begin(), writes.end(), [](const Write& a, const Write& b) {
    return std::tie(a.variable, a.cell, a.position) < std::tie(b.variable, b.cell, b.position);
  });
  std::vector<Word> found_cells;
  std::vector<Word> found_values;
  std::vector<Word> meeting;
  for (size_t first = 0; first < writes.size();) {
    const uint32_t variable = writes[first].variable;
    found_cells.clear();
    found_values.clear();
    while (first < writes.size() && writes[first].variable == variable) {
      const Word cell = writes[first].cell;
      meeting.clear();
      for (; first < writes.size() && writes[first].variable == variable && writes[first].cell == cell;
           ++first) {
        meeting.push_back(writes[first].value);
      }
      const std::optional<Word> value =
          combine(tree_.combine_of(variable), tree_.variables[variable].type, meeting);
      if (!value) throw Failed();
      found_cells.push_back(cell);
      found_values.push_back(*value);
    }
    // There are no more results than writes, for which there was room.
    const auto column = std::find_if(columns.begin(), columns.end(),
                                     [&](const DeviceColumn& one) { return one.variable == variable; });
    Backend& backend = tools_.backend();
    const size_t bytes = found_cells.size() * sizeof(Word);
    const Buffer result_cells = backend.allocate(bytes);
    const Buffer result_values = backend.allocate(bytes);
    backend.upload(result_cells, found_cells.data(), bytes);
    backend.upload(result_values, found_values.data(), bytes);
    tools_.launch(
        "write_values", found_cells.size(),
        {found_cells.size(), result_cells.handle, result_values.handle, variables_[column->variable].handle});
  }
}

}  // namespace lanewise::pram
