#include "pram/gpu/sets.h"

namespace lanewise::pram {

DeviceTools::DeviceTools(Backend& backend)
    : backend_(backend), code_(backend.build(source_of(backend.dialect(), tools_text()))) {}

DeviceSet DeviceTools::narrow(const DeviceSet& from, const Buffer& kept, bool wanted, uint32_t count,
                              bool as_list) const {
  const uint32_t positions = from.positions();
  const auto form = static_cast<uint64_t>(from.form);
  const uint64_t words = (uint64_t{positions} + 31) / 32;
  Buffer bits = kept;
  if (!wanted) {
    bits = backend_.allocate(bit_bytes(positions));
    launch("others", words, {positions, form, from.members.handle, kept.handle, bits.handle});
  }
  DeviceSet to{DeviceSet::Form::kBits, from.total, count, bits};
  if (!as_list && from.form != DeviceSet::Form::kList) return to;
  const uint64_t tiles = (words + 7) / 8;
  const Buffer before = backend_.allocate(tiles * sizeof(uint64_t));
  to.form = DeviceSet::Form::kList;
  to.members = backend_.allocate(count * sizeof(uint32_t));
  launch("count_ones", tiles, {words, bits.handle, before.handle});
  launch("sum_before", 256, {tiles, before.handle});
  launch("list_ones", positions,
         {positions, form, from.members.handle, bits.handle, before.handle, to.members.handle});
  return to;
}

}  // namespace lanewise::pram
