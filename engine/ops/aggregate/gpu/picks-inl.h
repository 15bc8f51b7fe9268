#pragma once

#include "codegen/cells-inl.h"
#include "codegen/order-inl.h"

/// The cell of aggregates whose result is of one row of each group: first, last, any_value, arg_min, arg_max.
namespace lanewise::kernel {

/// Whether the row of the words `a` is wanted more than that of `b`; see RowCell.
LANES_FN bool row_comes_before(const u64* a, const u64* b, u32 words, u32 texts, u32 greatest) {
  for (u32 i = 0; i < words; i++) {
    if (a[i] != b[i]) return a[i] > b[i];
    if (texts >> i & 1) {
      const Text mine = {reinterpret_cast<const u8*>(a[i + 1]), a[i + 2]},
                 theirs = {reinterpret_cast<const u8*>(b[i + 1]), b[i + 2]};
      const bool wants_greatest = greatest >> i & 1;
      if (below(mine, theirs)) return !wants_greatest;
      if (below(theirs, mine)) return wants_greatest;
      i += 2;
    }
  }
  return false;
}

/// The row with the greatest `words`, the first of them first. The last word is the row itself, see
/// set_row(); where it is zero there is none. Where bit i of `kTexts` is set, words i, i + 1 and i + 2 are a
/// text: its text_word(), place and size; in bit i of `kGreatest` is whether the greatest of them is wanted
/// or the least.
template <u32 kWords, u32 kTexts = 0, u32 kGreatest = 0>
struct RowCell {
  u64 words[kWords];
  u32 held;
  u32 unused;

  /// Among rows with the same words before it, the first one is taken, or the last.
  template <bool kLast>
  LANES_FN void set_row(u64 row) {
    words[kWords - 1] = kLast ? row + 1 : ~row;
  }
  template <bool kGreat>
  LANES_FN void set_text(u32 at, Text text) {
    words[at] = text_word<!kGreat>(text, 0);
    words[at + 1] = reinterpret_cast<u64>(text.at);
    words[at + 2] = text.size;
  }
  LANES_FN bool there() const { return words[kWords - 1] != 0; }
  template <bool kLast>
  LANES_FN u64 row() const {
    return kLast ? words[kWords - 1] - 1 : ~words[kWords - 1];
  }

  template <bool kShared>
  LANES_FN void merge(const RowCell& other) {
    if (!other.there() || other.words[0] < read<kShared>(words[0])) return;
    if constexpr (kWords == 1) {
      raise_to<kShared>(words[0], other.words[0]);
    } else {
      for (bool done = false; !done;) {
        if (!hold<kShared>(held)) continue;
        u64 mine[kWords];
        for (u32 i = 0; i < kWords; i++) mine[i] = read<kShared>(words[i]);
        if (mine[kWords - 1] == 0 || row_comes_before(other.words, mine, kWords, kTexts, kGreatest)) {
          for (u32 i = 0; i < kWords; i++) write<kShared>(words[i], other.words[i]);
        }
        publish<kShared>(held, 0);
        done = true;
      }
    }
  }
};

}  // namespace lanewise::kernel
