#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.

/// From Arrow's layouts in device memory to ours: kernels that are the same for every column.
namespace lanewise::border {

using u8 = unsigned char;
using u32 = unsigned;
using u64 = unsigned long long;
using i64 = long long;

/// The findings of a kernel for a column.
struct State {
  u64 fault;    ///< a value is rejected
  u64 longest;  ///< bytes of the longest text
  u64 nulls;
};

#if defined(__CUDACC__)

__device__ inline u64 thread() { return blockIdx.x * u64(blockDim.x) + threadIdx.x; }
__device__ inline bool bit(const u8* bits, u64 at) { return (bits[at / 8] >> (at % 8) & 1) != 0; }
/// `validity` null: no NULL.
__device__ inline bool is_valid(const u32* validity, u64 row) {
  return !validity || (validity[row / 32] >> row % 32 & 1) != 0;
}

/// Copies bits [first, first + count) of `from` (null: ones) to bit `at` of `to`, which must be zero there.
/// One thread per 32 bits; bytes of `from` outside the range are not read.
extern "C" __global__ void copy_bits(const u8* from, u64 first, u64 count, u32* to, u64 at) {
  const u64 begin = thread() * 32;
  if (begin >= count) return;
  const u32 bits = count - begin < 32 ? u32(count - begin) : 32;
  u64 word = ~u64(0);
  if (from) {
    const u64 low = (first + begin) / 8, high = (first + begin + bits - 1) / 8;
    word = 0;
    for (u64 i = low; i <= high; i++) word |= u64(from[i]) << 8 * (i - low);
    word >>= (first + begin) % 8;
  }
  word = (word & ((u64(1) << bits) - 1)) << (at + begin) % 32;
  u32* const place = to + (at + begin) / 32;
  if (u32(word)) atomicOr(place, u32(word));
  if (word >> 32) atomicOr(place + 1, u32(word >> 32));
}

/// Expands bits [first, first + count) of `from` to bytes.
extern "C" __global__ void spread_bits(const u8* from, u64 first, u64 count, u8* to) {
  const u64 row = thread();
  if (row < count) to[row] = bit(from, first + row);
}

/// Converts numbers of `from_words` 32-bit words to `to_words`, which are 2 or 4; overflow is a fault.
/// `validity` (null: no NULL) has the rows from its bit `first` on; a NULL becomes 0.
extern "C" __global__ void change_width(const u32* from, u32 from_words, u64 count, const u32* validity,
                                        u64 first, u32* to, u32 to_words, State* state) {
  const u64 row = thread();
  if (row >= count) return;
  const bool valid = is_valid(validity, first + row);
  u32 words[4] = {};
  for (u32 i = 0; valid && i < from_words; i++) words[i] = from[row * from_words + i];
  for (u32 i = from_words; i < 4; i++) words[i] = words[i - 1] >> 31 ? ~u32(0) : 0;
  for (u32 i = 0; i < to_words; i++) to[row * to_words + i] = words[i];
  for (u32 i = to_words; i < 4; i++) {
    if (words[i] != (words[to_words - 1] >> 31 ? ~u32(0) : 0)) state->fault = 1;
  }
}

/// Multiplies 32- or 64-bit numbers by `factor`, like change_width().
extern "C" __global__ void scale(const void* from, u32 wide, u64 count, u64 factor, const u32* validity,
                                 u64 first, i64* to, State* state) {
  const u64 row = thread();
  if (row >= count) return;
  const bool valid = is_valid(validity, first + row);
  const i64 value = !valid ? 0
                    : wide ? static_cast<const i64*>(from)[row]
                           : static_cast<const int*>(from)[row];
  const i64 result = i64(u64(value) * factor);
  if (result / i64(factor) != value) state->fault = 1;
  to[row] = result;
}

template <class From, class To>
__device__ inline void move_offset(const From* from, u64 count, u64 moved, To* to, State* state) {
  const u64 row = thread();
  if (row > count) return;
  if (to) to[row] = To(from[row] + moved);
  if (row == count) return;
  if (from[row] > from[row + 1]) {
    state->fault = 1;
  } else if (const u64 length = from[row + 1] - from[row]; length > state->longest) {
    atomicMax(&state->longest, length);
  }
}

/// count + 1 offsets of strings and `moved`, and the longest text; offsets that fall are a fault. Where `to`
/// is null they are only checked.
extern "C" __global__ void move_offsets(const void* from, u32 wide_from, u64 count, u64 moved, void* to,
                                        u32 wide_to, State* state) {
  if (wide_from) {
    const auto* offsets = static_cast<const u64*>(from);
    if (wide_to) {
      move_offset(offsets, count, moved, static_cast<u64*>(to), state);
    } else {
      move_offset(offsets, count, moved, static_cast<u32*>(to), state);
    }
  } else {
    const auto* offsets = static_cast<const u32*>(from);
    if (wide_to) {
      move_offset(offsets, count, moved, static_cast<u64*>(to), state);
    } else {
      move_offset(offsets, count, moved, static_cast<u32*>(to), state);
    }
  }
}

/// Packs `count` bytes to bits from bit `at` of `to` on, which must be zero there. One thread per 32 bits.
extern "C" __global__ void pack_bits(const u8* from, u64 count, u32* to, u64 at) {
  const u64 begin = thread() * 32;
  if (begin >= count) return;
  u64 word = 0;
  for (u64 i = begin; i < count && i < begin + 32; i++) word |= u64(from[i] != 0) << (i - begin);
  word <<= (at + begin) % 32;
  u32* const place = to + (at + begin) / 32;
  if (u32(word)) atomicOr(place, u32(word));
  if (word >> 32) atomicOr(place + 1, u32(word >> 32));
}

/// Adds the number of NULLs among `rows` rows to the state. One thread per 32 rows.
extern "C" __global__ void count_nulls(const u32* validity, u64 rows, State* state) {
  const u64 begin = thread() * 32;
  if (begin >= rows) return;
  const u32 count = rows - begin < 32 ? u32(rows - begin) : 32;
  const u32 valid = validity[begin / 32] & u32((u64(1) << count) - 1);
  if (const u32 nulls = count - __popc(valid)) atomicAdd(&state->nulls, u64(nulls));
}

/// An integer of 128 bits that has more than 38 digits is a fault.
extern "C" __global__ void check_digits(const u64* values, u64 count, const u32* validity, u32 is_signed,
                                        State* state) {
  const u64 row = thread();
  if (row >= count || !is_valid(validity, row)) return;
  u64 low = values[2 * row], high = values[2 * row + 1];
  if (is_signed && i64(high) < 0) {
    low = 0 - low;
    high = ~high + (low == 0);
  }
  const u64 limit_high = 0x4b3b4ca85a86c47a, limit_low = 0x098a224000000000;  // 10^38
  if (high > limit_high || (high == limit_high && low >= limit_low)) state->fault = 1;
}

#endif

}  // namespace lanewise::border
