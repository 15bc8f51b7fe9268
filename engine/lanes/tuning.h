#pragma once

#include "lanes/row_options.h"
#include "lanes/targets/pair_form.h"
#include "lanes/targets/target.h"

namespace lanewise::lanes {

/// Machine-specific settings; every value gives the same results. The defaults suit most machines;
/// `lanewise tune` measures others.
struct Tuning {
  u32 interleaved_width = 8;     ///< lanes of the target `interleaved`: 4 or 8
  u32 refill_interleaved = 0;    ///< as RowOptions::refill_below
  u32 refill_packed_avx2 = 0;    ///< the same, 1 to 32
  u32 refill_packed_avx512 = 0;  ///< the same, 1 to 64

  // Matcher costs of the widest target per byte, in nanoseconds; 0: as in text/forms/cost.cc.
  double literal_ns = 0;  ///< a rare literal, searched with bytes as lanes
  double packed_ns = 0;   ///< an automaton in registers
  double rows_ns = 0;     ///< an automaton in a table, on interleaved lanes
  double lazy_ns = 0;     ///< an automaton built while matching

  bool packed_only = false;  ///< prefer automata in registers wherever supported: the level `packed`

  PairForm pairs = PairForm::automatic;  ///< of joins with repeated keys

  RowOptions rows(Target target) const {
    switch (target) {
      case Target::interleaved:
        return {.width = interleaved_width, .refill_below = refill_interleaved};
      case Target::avx2:
        return {.refill_below = refill_packed_avx2};
      case Target::avx512:
        return {.refill_below = refill_packed_avx512};
      default:
        return {};
    }
  }
  bool operator==(const Tuning&) const = default;
};

}  // namespace lanewise::lanes
