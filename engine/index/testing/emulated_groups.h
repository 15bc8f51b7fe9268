#pragma once

#include <gtest/gtest.h>

#include <array>

#include "base/bits.h"
#include "index/gpu/search/search_kernels.h"
#include "index/gpu/search/warp-inl.h"
#include "index/gpu/update/update-inl.h"

namespace lanewise::index {

/// T lanes, run one after the other; for simultaneous operations the last one runs first, so that
/// code that depends on their order fails.
template <u32 T>
struct EmulatedGroup {
  static constexpr u32 width = T;

  template <class F>
  auto sum(F f) const {
    auto all = f(0);
    for (u32 lane = 1; lane < T; ++lane) all += f(lane);
    return all;
  }
  template <class F>
  u32 pick(F f) const {
    u32 picked = kNone;
    for (u32 lane = 0; lane < T; ++lane) {
      const u32 mine = f(lane);
      if (mine == kNone) continue;
      EXPECT_EQ(picked, kNone) << "two lanes answer";
      picked = mine;
    }
    return picked;
  }
  template <class F>
  void each(F f) const {
    for (u32 lane = T; lane-- > 0;) f(lane);
  }

  // Further operations for updates.
  template <class V>
  using PerLane = std::array<V, T>;
  void sync() const {}
  template <class F>
  u32 bits(F f) const {
    u32 all = 0;
    for (u32 lane = 0; lane < T; ++lane) all |= u32{f(lane)} << lane;
    return all;
  }
  template <class F, class With>
  auto prefix(F f, With with) const {
    auto all = f(0);
    all = {};
    for (u32 lane = 0; lane < T; ++lane) {
      const auto mine = f(lane);
      with(lane, all);
      all += mine;
    }
    return all;
  }
};

/// A device's warp of tiles or, if T is a whole block, its block.
template <u32 T>
struct EmulatedTeam {
  static constexpr u32 queries = T < 32 ? 32 / T : 1;

  template <bool, class F>
  static void book(u64 found, u64 first, u64 count, F f) {
    for (u64 q = first; q < std::min(first + queries, count); ++q) {
      const bool hit = f(EmulatedGroup<T>{}, q);
      if (found == 0) continue;
      auto* words = reinterpret_cast<uint64_t*>(found);
      words[q / 64] &= ~(uint64_t{1} << q % 64);
      if (hit) bits::set(words, q);
    }
  }
};

/// A tree whose layout is known at run time.
template <class WordType, KeyForm kForm, bool kIsLong = false>
struct AnyTree : TreeAt {
  using Word = WordType;
  static constexpr KeyForm form = kForm;
  static constexpr bool kLong = kIsLong;
  static constexpr u32 kLevels = kMaxHeight + 1;
  SearchKernel kernel;

  u32 height() const { return kernel.height; }
  bool text() const { return kernel.text; }
  NodeShape inner() const { return node_shape(true, sizeof(Word), kernel.planes, kernel.inner_keys, 0); }
  NodeShape leaf() const {
    return node_shape(false, sizeof(Word), kernel.planes, kernel.leaf_keys, kernel.value_bytes);
  }
};

}  // namespace lanewise::index
