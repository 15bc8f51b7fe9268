#pragma once

#include "ops/aggregate/gpu/states-inl.h"

/// States of aggregates that fold values into more than a sum: for threads and blocks as they are, for groups
/// in guarded_cell-inl.h. Made of zeros it is the state of no rows, as those of states-inl.h.
namespace lanewise::kernel {

enum class Fold { kAnd, kOr, kXor };

/// bit_and, bit_or, bit_xor.
template <class T, Fold kOperation>
struct BitFold {
  Held<T> bits;
  u32 count;
  u32 unused;

  LANES_FN T get() const { return bits.get(); }
  LANES_FN void add(T value) { bits.set(count++ ? folded(bits.get(), value) : value); }
  LANES_FN void merge(const BitFold& other) {
    if (other.count == 0) return;
    bits.set(count ? folded(bits.get(), other.bits.get()) : other.bits.get());
    count += other.count;
  }

 private:
  static LANES_FN T folded(T a, T b) {
    return kOperation == Fold::kAnd ? T(a & b) : kOperation == Fold::kOr ? T(a | b) : T(a ^ b);
  }
};

struct Product {
  f64 product;
  u32 count;
  u32 unused;

  LANES_FN f64 get() const { return product; }
  LANES_FN void add(f64 value) { product = count++ ? product * value : value; }
  LANES_FN void merge(const Product& other) {
    if (other.count == 0) return;
    product = count ? product * other.product : other.product;
    count += other.count;
  }
};

/// A sum of doubles together with its rounding error (Knuth's two-sum).
struct ExactRealSum {
  f64 sum, lost;
  u32 count;
  u32 unused;

  LANES_FN f64 get() const { return sum; }
  LANES_FN void add(f64 value) { take(value, 0, 1); }
  LANES_FN void merge(const ExactRealSum& other) { take(other.sum, other.lost, other.count); }

 private:
  LANES_FN void take(f64 value, f64 value_lost, u32 rows) {
    const f64 both = sum + value, of_value = both - sum;
    const f64 error = (sum - (both - of_value)) + (value - of_value) + lost + value_lost;
    sum = both + error;
    lost = error - (sum - both);
    count += rows;
  }
};

/// As ops::Moments.
struct Moments {
  f64 mean, squares;
  u32 count;
  u32 unused;

  LANES_FN f64 get() const { return mean; }
  LANES_FN void add(f64 value) {
    count++;
    const f64 before = value - mean;
    mean += before / f64(count);
    squares += (value - mean) * before;
  }
  LANES_FN void merge(const Moments& other) {
    if (other.count == 0) return;
    if (count == 0) {
      *this = other;
      return;
    }
    const f64 mine = count, theirs = other.count, delta = other.mean - mean;
    mean += theirs / (mine + theirs) * delta;
    squares += other.squares + delta * delta * theirs * mine / (mine + theirs);
    count += other.count;
  }
};

}  // namespace lanewise::kernel
