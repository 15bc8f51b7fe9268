#include "graph/gpu/device_chains.h"

#include <bit>

#include "graph/chains.h"
#include "graph/kernels/chains-inl.h"

namespace lanewise::graph {

/// Runs enough rounds of pointer jumping for all that lead to an end; superfluous ones cost only a launch.
/// Returns the round whose count shows whether all do.
u32 DeviceChains::hop_to_ends(const u32* chosen, size_t items, const DeviceArray<u64>& hops,
                              const DeviceArray<u32>& counts) {
  static_assert(Hop::kHops == 3);
  const auto rounds =
      static_cast<u32>(std::bit_width(items) + 1) / 2 + 1;  // each covers four times as many links
  for (u32 round = 0; round < rounds; ++round) {
    steps_.run(Hop{chosen, hops.data(), counts.data(), round}, items);
  }
  return rounds - 1;
}

std::vector<int64_t> DeviceChains::fetch(const DeviceArray<u32>& answer) {
  std::vector<u32> words(answer.size());
  steps_.download<u32>(words, answer);
  return {words.begin(), words.end()};
}

std::vector<int64_t> DeviceChains::list_ranks(std::span<const int64_t> next) {
  const std::vector<u32> given = links_of_lists(next);
  const size_t size = given.size();
  const DeviceArray<u32> links = steps_.upload<u32>(given);
  const auto cells = steps_.allocate<u64>(size), hops = steps_.allocate<u64>(size);
  const auto follows = steps_.allocate<u32>(size), starts = steps_.allocate<u32>(size);
  const auto counts = steps_.allocate<u32>(kCounts);

  steps_.start_clock();
  steps_.fill(follows, 0);
  steps_.fill(counts, 0);
  steps_.run(Unfold{links.data(), cells.data(), follows.data(), counts.data()}, size);
  steps_.run(ChooseStarts{follows.data(), starts.data(), counts.data()}, size);
  std::vector<u32> counted = steps_.read_all(counts);
  if (counted[kHeads] != counted[kEnds]) refuse_lists(given);  // otherwise no element follows two others
  steps_.run(Walk{starts.data(), cells.data(), hops.data()}, counted[kParts]);
  const u32 last = hop_to_ends(starts.data(), counted[kParts], hops, counts);
  steps_.run(Rank{cells.data(), hops.data(), follows.data(), counts.data()}, size);
  counted = steps_.read_all(counts);
  seconds_ = steps_.seconds();
  if (counted[last % 3] != 0 || counted[kLost] != 0) refuse_lists(given);
  return fetch(follows);
}

std::vector<int64_t> DeviceChains::tree_depths(std::span<const int64_t> parent) {
  const std::vector<u32> given = links_of_trees(parent);
  const size_t size = given.size();
  const DeviceArray<u32> links = steps_.upload<u32>(given);
  const auto hops = steps_.allocate<u64>(size);
  const auto depths = steps_.allocate<u32>(size), counts = steps_.allocate<u32>(kCounts);

  steps_.start_clock();
  steps_.fill(counts, 0);
  steps_.run(Rise{links.data(), hops.data()}, size);
  const u32 last = hop_to_ends(nullptr, size, hops, counts);
  steps_.run(Depth{hops.data(), depths.data()}, size);
  const std::vector<u32> counted = steps_.read_all(counts);
  seconds_ = steps_.seconds();
  if (counted[last % 3] != 0) refuse_trees(given);
  return fetch(depths);
}

}  // namespace lanewise::graph
