#pragma once

#include "expr/gpu/compare-inl.h"

/// What aggregates hold while rows come in: on devices for each thread, block and group, on the host to merge
/// those. Made of zeros it is the state of no rows; sizes are multiples of 8 bytes; get() is unspecified if
/// there are no rows. A state on a device holds fewer than 2^31 rows: counts of 32 bits cost a thread one
/// instruction, where 64 cost two.
namespace lanewise::kernel {

/// count(*), count(x), count_if(x).
struct Count {
  u32 count;
  u32 unused;

  LANES_FN void add(u32 rows = 1) { count += rows; }
  LANES_FN void merge(const Count& other) { count += other.count; }
};

/// Exact sums of integers in the fewest words that cannot overflow: of up to 32 bits in 64, of 64 bits in
/// 128, of 128 bits in 192.
template <class T, u32 words = sizeof(T) <= 4   ? 1
                               : sizeof(T) == 8 ? 2
                                                : 3>
struct WholeSum;

template <class T>
struct WholeSum<T, 1> {
  i64 sum;
  u32 count;
  u32 unused;

  LANES_FN void add(T value) {
    sum += value;
    count++;
  }
  LANES_FN void merge(const WholeSum& other) {
    sum += other.sum;
    count += other.count;
  }
  LANES_FN i128 get() const { return sum; }
  LANES_FN bool overflows() const { return false; }
};

template <class T>
struct WholeSum<T, 2> {
  u64 low, high;
  u32 count;
  u32 unused;

  LANES_FN void add(T value) { add_whole(i128(value), 1); }
  LANES_FN void merge(const WholeSum& other) { add_whole(other.get(), other.count); }
  LANES_FN i128 get() const { return whole(high, low); }
  LANES_FN bool overflows() const { return false; }

 private:
  LANES_FN void add_whole(i128 value, u32 rows) {
    const u128 sum = u128(get()) + u128(value);
    low = u64(sum);
    high = u64(sum >> 64);
    count += rows;
  }
};

template <class T>
struct WholeSum<T, 3> {
  u64 low, high, top;
  u32 count;
  u32 unused;

  LANES_FN void add(T value) { add_whole(u128(value), value < 0 ? ~u64(0) : 0, 1); }
  LANES_FN void merge(const WholeSum& other) { add_whole(u128(other.get()), other.top, other.count); }
  LANES_FN i128 get() const { return whole(high, low); }
  LANES_FN bool overflows() const { return top != (i64(high) < 0 ? ~u64(0) : 0); }

 private:
  LANES_FN void add_whole(u128 value, u64 value_top, u32 rows) {
    const u128 sum = u128(get()) + value;
    top += value_top + (sum < value);
    low = u64(sum);
    high = u64(sum >> 64);
    count += rows;
  }
};

struct RealSum {
  f64 sum;
  u32 count;
  u32 unused;

  LANES_FN f64 get() const { return sum; }
  LANES_FN void add(f64 value) {
    sum += value;
    count++;
  }
  LANES_FN void merge(const RealSum& other) {
    sum += other.sum;
    count += other.count;
  }
};

/// A value as it lies in a state: of 128 bits in two words, so that states are aligned alike everywhere.
template <class T, bool kWide = (sizeof(T) > 8)>
struct Held {
  alignas(8) T value;
  LANES_FN T get() const { return value; }
  LANES_FN void set(T other) { value = other; }
};
template <class T>
struct Held<T, true> {
  u64 low, high;
  LANES_FN T get() const { return T(whole(high, low)); }
  LANES_FN void set(T other) {
    low = u64(other);
    high = u64(u128(other) >> 64);
  }
};

/// min (kMost false) and max.
template <class T, bool kMost>
struct Extremum {
  Held<T> best;
  u32 count;
  u32 unused;

  LANES_FN T get() const { return best.get(); }
  LANES_FN void add(T value) {
    if (count++ == 0 || comes_first(value, best.get())) best.set(value);
  }
  LANES_FN void merge(const Extremum& other) {
    if (other.count == 0) return;
    if (count == 0 || comes_first(other.best.get(), best.get())) best = other.best;
    count += other.count;
  }

 private:
  static LANES_FN bool comes_first(T a, T b) { return kMost ? below(b, a) : below(a, b); }
};

}  // namespace lanewise::kernel
