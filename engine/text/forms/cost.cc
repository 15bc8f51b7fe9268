#include "text/forms/cost.h"

#include "lanes/targets/target.h"

namespace lanewise::text::forms {

using lanes::Target;

namespace {

constexpr size_t kLiteralPlaces = 2;

struct Stated {
  double scan_base, scan_place, packed, rows;
};

Stated stated(Target target) {
  // Automata in tables run on interleaved lanes unless a forced target has its own lanes for them.
  constexpr double kInterleaved = 0.9, kOneByOne = 1.6;
  // Packed in plain C++: for tests, or for machines that have nothing else.
  constexpr double kPlain = 20;
  switch (target) {
    case Target::avx512:
      return {0.03, 0.01, 0.17, kInterleaved};
    case Target::avx2:
      return {0.03, 0.02, 0.25, kInterleaved};
    case Target::neon:  // not measured
      return {0.03, 0.02, 0.35, kInterleaved};
    case Target::interleaved:
      return {0, 0.3, kPlain, kInterleaved};
    default:
      return {0, 0.3, kPlain, kOneByOne};
  }
}

}  // namespace

Costs::Costs(Target target, const lanes::Tuning& tuning) : lazy_(tuning.lazy_ns > 0 ? tuning.lazy_ns : 3) {
  const Stated costs = stated(target);
  scan_base_ = costs.scan_base;
  scan_place_ = costs.scan_place;
  packed_ = costs.packed;
  rows_ = costs.rows;
  wide_ = target == Target::avx512;
  if (tuning.packed_only) packed_ = 1e-9;
  if (target != lanes::simd() || tuning.packed_only) return;
  if (tuning.literal_ns > 0) {
    const double factor = tuning.literal_ns / scan(kLiteralPlaces);
    scan_base_ *= factor;
    scan_place_ *= factor;
  }
  if (tuning.packed_ns > 0) packed_ = tuning.packed_ns;
  if (tuning.rows_ns > 0) rows_ = tuning.rows_ns;
}

double Costs::scan(size_t places) const { return scan_base_ + scan_place_ * static_cast<double>(places); }

double Costs::packed(size_t entries) const {
  // A step's instructions by the size of its table, relative to the smallest one.
  if (entries <= 64) return packed_;
  if (entries <= 128) return packed_ * (wide_ ? 1.05 : 1.5);
  return packed_ * (wide_ ? entries <= 256 ? 1.2 : 1.5 : 2.4);
}

}  // namespace lanewise::text::forms
