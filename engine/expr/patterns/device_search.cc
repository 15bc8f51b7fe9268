#include "expr/patterns/device_search.h"

namespace lanewise::expr {

using text::captures::TaggedAutomaton;

std::optional<TaggedAutomaton> device_search(const PreparedPattern& pattern, std::span<const int> groups) {
  if (!pattern.is_constant()) return std::nullopt;
  return TaggedAutomaton::make(pattern.pattern(), groups, kMostTableCells);
}

std::vector<DeviceTable> device_tables(const TaggedAutomaton& search) {
  const lanes::TaggedView view = search.view();
  return {device_table("u8", std::span(view.class_of, 256)),
          device_table("u32", std::span(view.steps, search.steps())),
          device_table("u16", std::span(view.moves, search.moves()))};
}

}  // namespace lanewise::expr
