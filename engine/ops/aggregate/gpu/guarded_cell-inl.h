#pragma once

#include "codegen/cells-inl.h"
#include "ops/aggregate/gpu/folds-inl.h"

/// Cells of groups for what no atomic operation does at once; see cells-inl.h.
namespace lanewise::kernel {

#if defined(__CUDACC__)
LANES_FN void set_bits(u64& at, u64 bits) { atomicOr(reinterpret_cast<unsigned long long*>(&at), bits); }
LANES_FN void flip_bits(u64& at, u64 bits) { atomicXor(reinterpret_cast<unsigned long long*>(&at), bits); }
#else
LANES_FN void set_bits(u64& at, u64 bits) { at |= bits; }
LANES_FN void flip_bits(u64& at, u64 bits) { at ^= bits; }
#endif

/// bit_and (as the complement of all complements' bit_or), bit_or, bit_xor.
template <class T, Fold kOperation>
struct BitCell {
  static constexpr u32 kWords = sizeof(T) > 8 ? 2 : 1;
  u64 words[kWords];

  LANES_FN void set(T value) {
    const u128 bits = u128(i128(kOperation == Fold::kAnd ? T(~value) : value));
    words[0] = u64(bits);
    if constexpr (kWords == 2) words[1] = u64(bits >> 64);
  }
  template <bool kShared>
  LANES_FN void merge(const BitCell& other) {
    for (u32 i = 0; i < kWords; i++) {
      if constexpr (kOperation == Fold::kXor) {
        if (other.words[i]) flip_bits(words[i], other.words[i]);
      } else {
        if (other.words[i] & ~read<kShared>(words[i])) set_bits(words[i], other.words[i]);
      }
    }
  }
  LANES_FN T get() const {
    T value;
    if constexpr (kWords == 2) {
      value = T(whole(words[1], words[0]));
    } else {
      value = T(words[0]);
    }
    return kOperation == Fold::kAnd ? T(~value) : value;
  }
};

/// A state that one thread at a time puts values into.
template <class State>
struct GuardedCell {
  static constexpr u32 kWords = sizeof(State) / 8;
  struct Words {
    u64 at[kWords];
  };
  Words words;
  u32 held;
  u32 unused;

  template <class T>
  LANES_FN void set(T value) {
    State state{};
    state.add(value);
    words = reinterpreted<Words>(state);
  }
  template <bool kShared>
  LANES_FN void merge(const GuardedCell& other) {
    const State theirs = other.state();
    if (theirs.count == 0) return;
    for (bool done = false; !done;) {
      if (!hold<kShared>(held)) continue;
      Words mine;
      for (u32 i = 0; i < kWords; i++) mine.at[i] = read<kShared>(words.at[i]);
      State all = reinterpreted<State>(mine);
      all.merge(theirs);
      mine = reinterpreted<Words>(all);
      for (u32 i = 0; i < kWords; i++) write<kShared>(words.at[i], mine.at[i]);
      publish<kShared>(held, 0);
      done = true;
    }
  }
  LANES_FN auto get() const { return state().get(); }
  LANES_FN State state() const { return reinterpreted<State>(words); }
};

}  // namespace lanewise::kernel
