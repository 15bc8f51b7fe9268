#include "pram/interpreter/conflicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "pram/machine/columns.h"

namespace lanewise::pram {

std::optional<Conflict> find_conflict(std::vector<Access> accesses, Conflict::Kind kind, uint64_t step) {
  std::stable_sort(accesses.begin(), accesses.end(), [](const Access& a, const Access& b) {
    return std::tie(a.variable, a.cell, a.processor) < std::tie(b.variable, b.cell, b.processor);
  });
  for (size_t first = 0; first < accesses.size();) {
    const Access& a = accesses[first];
    size_t next = first + 1;
    for (; next < accesses.size(); ++next) {
      const Access& b = accesses[next];
      if (b.variable != a.variable || b.cell != a.cell) break;
      const bool own = b.processor == accesses[next - 1].processor;
      bool meets = kind == Conflict::Kind::kTwice ? own : b.processor != a.processor;
      if (kind == Conflict::Kind::kUnequal) meets = meets && b.value != a.value;
      if (!meets) continue;
      const Access& other = kind == Conflict::Kind::kTwice ? accesses[next - 1] : a;
      return Conflict{
          kind, b.place, step, a.variable, a.cell, {other.processor, b.processor}, {other.value, b.value}};
    }
    first = next;
  }
  return std::nullopt;
}

uint64_t rank_of(uint32_t processor, uint64_t seed) {
  // Each line is invertible, so that no two processors of one seed have the same rank.
  uint64_t x = processor + seed * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

std::string describe(const Conflict& conflict, const Tree& tree, const Memory& memory, Mode mode) {
  const Variable& variable = tree.variables[conflict.variable];
  const std::string cell = cell_name(variable, memory.variables[conflict.variable], conflict.cell);
  const auto [a, b] = conflict.processors;
  const std::string values = fmt::format("{} and {}", to_text(variable.type, conflict.values[0]),
                                         to_text(variable.type, conflict.values[1]));
  switch (conflict.kind) {
    case Conflict::Kind::kRead:
      return fmt::format("processors {} and {} both read {}, which {} forbids", a, b, cell, to_text(mode));
    case Conflict::Kind::kWrite:
      return fmt::format("processors {} and {} both write {} ({}), which {} forbids", a, b, cell, values,
                         to_text(mode));
    case Conflict::Kind::kUnequal:
      return fmt::format("processors {} and {} write different values to {} ({}), which {} forbids", a, b,
                         cell, values, to_text(mode));
    case Conflict::Kind::kTwice:
      return fmt::format("processor {} writes {} twice in one assignment ({})", a, cell, values);
  }
  throw InternalError("a conflict of no kind");
}

Word combine_two(Op op, Word a, Word b) {
  switch (op) {
    case Op::kMin:
      return std::min(a, b);
    case Op::kMax:
      return std::max(a, b);
    case Op::kAnd:
      return a & b;
    case Op::kOr:
      return a | b;
    case Op::kXor:
      return a ^ b;
    case Op::kAdd:
      return a + b;
    default:
      throw InternalError("values that are not combined in any order");
  }
}

std::optional<Word> combine(Op op, Type type, std::vector<Word>& values) {
  size_t count = values.size();
  while (count > 1) {
    const size_t pairs = count / 2;
    for (size_t i = 0; i < pairs; ++i) {
      if (apply(op, type, &values[2 * i], &values[2 * i + 1], &values[i], 1)) return std::nullopt;
    }
    if (count % 2 != 0) values[pairs] = values[count - 1];
    count = pairs + count % 2;
  }
  return values[0];
}

}  // namespace lanewise::pram
