#pragma once

// CUDA's keywords for a host C++ compiler: nvrtc.cc puts this before a kernel's text. It does not define
// __CUDA_ARCH__: code with GPU instructions has an alternative without it.

// Every kernel's compilation reads this file: the standard headers, of which it needs little, would take a
// third of the time.
#include "gpu/testing/emulator/interface.h"

#define __CUDACC__ 1
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
// nvrtc.cc searches for these two words.
#define __global__ LANEWISE_KERNEL
#define __shared__ LANEWISE_SHARED

namespace lanewise::emulator {

inline const Services* services;

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

/// The type of a parameter without const and reference.
template <class T>
struct Plain {
  using Type = T;
};
template <class T>
struct Plain<const T> : Plain<T> {};
template <class T>
struct Plain<T&> : Plain<T> {};

template <class... Parameters>
struct Call {
  Call(void (*kernel)(Parameters...), Parameters... arguments) { kernel(arguments...); }
};
template <class... Parameters>
void start(void (*kernel)(Parameters...), void** arguments) {
  // Braces: the arguments are evaluated in order.
  Call<Parameters...>{kernel, *static_cast<typename Plain<Parameters>::Type*>(*arguments++)...};
}
template <class... Parameters>
const unsigned* sizes(void (*)(Parameters...)) {
  static constexpr unsigned of[] = {sizeof(typename Plain<Parameters>::Type)..., 0};
  return of;
}

/// The bits of a value of up to 8 bytes, and back.
template <class T>
unsigned long long bits_of(T value) {
  static_assert(sizeof(T) <= 8);
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class To, class From>
To as(From value) {
  To result;
  static_assert(sizeof(To) <= sizeof(From));
  __builtin_memcpy(&result, &value, sizeof(To));
  return result;
}

inline unsigned lane() {
  const Place& place = services->place();
  const Extent &at = place.thread, &of = place.threads;
  return (at.x + of.x * (at.y + of.y * at.z)) % 32;
}
template <class T>
T read_lane(unsigned mask, T value, unsigned source) {
  return as<T>(services->exchange(Exchange::kRead, mask, bits_of(value), source));
}
/// A parameter whose type is given by another one.
template <class T>
using Same = typename Plain<T>::Type;

}  // namespace lanewise::emulator

// The symbol that the driver looks up. All else is hidden: kernels of different modules share names.
extern "C" __attribute__((visibility("default"))) void lanewise_connect(
    const lanewise::emulator::Services* services) {
  lanewise::emulator::services = services;
}

#define threadIdx (lanewise::emulator::services->place().thread)
#define blockIdx (lanewise::emulator::services->place().block)
#define blockDim (lanewise::emulator::services->place().threads)
#define gridDim (lanewise::emulator::services->place().blocks)
constexpr int warpSize = 32;

#define LANEWISE_VECTOR(type, name)                                                           \
  struct alignas(2 * sizeof(type)) name##2 { type x, y; };                                    \
  struct name##3 { type x, y, z; };                                                           \
  struct alignas(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16) name##4 { type x, y, z, w; }; \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }                            \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
LANEWISE_VECTOR(signed char, char)
LANEWISE_VECTOR(unsigned char, uchar)
LANEWISE_VECTOR(short, short)
LANEWISE_VECTOR(unsigned short, ushort)
LANEWISE_VECTOR(int, int)
LANEWISE_VECTOR(unsigned, uint)
LANEWISE_VECTOR(long long, longlong)
LANEWISE_VECTOR(unsigned long long, ulonglong)
LANEWISE_VECTOR(float, float)
LANEWISE_VECTOR(double, double)
#undef LANEWISE_VECTOR

inline void __syncthreads() { lanewise::emulator::services->meet(false); }
inline int __syncthreads_count(bool value) { return lanewise::emulator::services->meet(value); }
inline int __syncthreads_or(bool value) { return lanewise::emulator::services->meet(value) != 0; }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __threadfence(); }
inline void __nanosleep(unsigned) {}
inline long long clock64() { return static_cast<long long>(__builtin_ia32_rdtsc()); }

inline unsigned __ballot_sync(unsigned mask, bool value) {
  return static_cast<unsigned>(
      lanewise::emulator::services->exchange(lanewise::emulator::Exchange::kVote, mask, value, 0));
}
inline bool __any_sync(unsigned mask, bool value) { return __ballot_sync(mask, value) != 0; }
inline bool __all_sync(unsigned mask, bool value) { return __ballot_sync(mask, !value) == 0; }
inline void __syncwarp(unsigned mask = ~0u) { __ballot_sync(mask, false); }
[[gnu::always_inline]] inline unsigned __activemask() { return lanewise::emulator::services->gather(); }
template <class T>
T __reduce_add_sync(unsigned mask, T value) {
  return static_cast<T>(lanewise::emulator::services->exchange(lanewise::emulator::Exchange::kSum, mask,
                                                               static_cast<unsigned long long>(value), 0));
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return static_cast<unsigned>(
      lanewise::emulator::services->exchange(lanewise::emulator::Exchange::kUnion, mask, value, 0));
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value) {
  return static_cast<unsigned>(
      lanewise::emulator::services->exchange(lanewise::emulator::Exchange::kLeast, mask, value, 0));
}
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const unsigned lane = lanewise::emulator::lane(), part = lane / width * width;
  return lanewise::emulator::read_lane(mask, value, part + static_cast<unsigned>(source) % width);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int by) {
  return lanewise::emulator::read_lane(mask, value, lanewise::emulator::lane() ^ by);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const unsigned lane = lanewise::emulator::lane();
  return lanewise::emulator::read_lane(mask, value, lane % width >= by ? lane - by : lane);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const unsigned lane = lanewise::emulator::lane();
  return lanewise::emulator::read_lane(mask, value, lane % width + by < width ? lane + by : lane);
}

inline int __popc(unsigned value) { return __builtin_popcount(value); }
inline int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
inline int __clz(int value) { return value ? __builtin_clz(static_cast<unsigned>(value)) : 32; }
inline int __clzll(long long value) {
  return value ? __builtin_clzll(static_cast<unsigned long long>(value)) : 64;
}
inline int __ffs(int value) { return __builtin_ffs(value); }
inline int __ffsll(long long value) { return __builtin_ffsll(value); }
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(high) << 32 | low;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; i++) {
    const unsigned choice = selector >> 4 * i, byte = bytes >> 8 * (choice & 7) & 255;
    result |= (choice & 8 ? (byte & 128 ? 255 : 0) : byte) << 8 * i;
  }
  return result;
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (by & 31));
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (by & 31) >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<lanewise::emulator::Wide>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<lanewise::emulator::UnsignedWide>(a) * b >> 64);
}
inline double __longlong_as_double(long long bits) { return lanewise::emulator::as<double>(bits); }
inline long long __double_as_longlong(double value) { return lanewise::emulator::as<long long>(value); }
inline float __int_as_float(int bits) { return lanewise::emulator::as<float>(bits); }
inline int __float_as_int(float value) { return lanewise::emulator::as<int>(value); }
inline float __uint_as_float(unsigned bits) { return lanewise::emulator::as<float>(bits); }
inline unsigned __float_as_uint(float value) { return lanewise::emulator::as<unsigned>(value); }
inline int __viaddmin_s32(int a, int b, int c) {
  const int sum = static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
  return sum < c ? sum : c;
}
template <class T>
T __ldg(const T* from) {
  return *from;
}
template <class T>
void __stcs(T* to, lanewise::emulator::Same<T> value) {
  *to = value;
}

template <class A, class B>
constexpr auto min(A a, B b) -> decltype(true ? A() : B()) {
  return b < a ? b : a;
}
template <class A, class B>
constexpr auto max(A a, B b) -> decltype(true ? A() : B()) {
  return a < b ? b : a;
}

inline void* memcpy(void* to, const void* from, decltype(sizeof(0)) bytes) {
  return __builtin_memcpy(to, from, bytes);
}

// As in <cmath>: of float for float, else of double.
#define LANEWISE_MATH(name)                                             \
  inline double name(double value) { return __builtin_##name(value); }  \
  inline float name(float value) { return __builtin_##name##f(value); } \
  template <class T>                                                    \
  double name(T value) {                                                \
    return __builtin_##name(static_cast<double>(value));                \
  }                                                                     \
  inline float name##f(float value) { return __builtin_##name##f(value); }
LANEWISE_MATH(acos)
LANEWISE_MATH(acosh)
LANEWISE_MATH(asin)
LANEWISE_MATH(asinh)
LANEWISE_MATH(atan)
LANEWISE_MATH(atanh)
LANEWISE_MATH(cbrt)
LANEWISE_MATH(ceil)
LANEWISE_MATH(cos)
LANEWISE_MATH(cosh)
LANEWISE_MATH(erf)
LANEWISE_MATH(exp)
LANEWISE_MATH(exp2)
LANEWISE_MATH(expm1)
LANEWISE_MATH(fabs)
LANEWISE_MATH(floor)
LANEWISE_MATH(lgamma)
LANEWISE_MATH(log)
LANEWISE_MATH(log10)
LANEWISE_MATH(log1p)
LANEWISE_MATH(log2)
LANEWISE_MATH(nearbyint)
LANEWISE_MATH(rint)
LANEWISE_MATH(round)
LANEWISE_MATH(sin)
LANEWISE_MATH(sinh)
LANEWISE_MATH(sqrt)
LANEWISE_MATH(tan)
LANEWISE_MATH(tanh)
LANEWISE_MATH(tgamma)
LANEWISE_MATH(trunc)
#undef LANEWISE_MATH
#define LANEWISE_MATH(name)                                                  \
  inline double name(double a, double b) { return __builtin_##name(a, b); }  \
  inline float name(float a, float b) { return __builtin_##name##f(a, b); }  \
  template <class A, class B>                                                \
  double name(A a, B b) {                                                    \
    return __builtin_##name(static_cast<double>(a), static_cast<double>(b)); \
  }                                                                          \
  inline float name##f(float a, float b) { return __builtin_##name##f(a, b); }
LANEWISE_MATH(atan2)
LANEWISE_MATH(copysign)
LANEWISE_MATH(fmax)
LANEWISE_MATH(fmin)
LANEWISE_MATH(fmod)
LANEWISE_MATH(hypot)
LANEWISE_MATH(nextafter)
LANEWISE_MATH(pow)
LANEWISE_MATH(remainder)
#undef LANEWISE_MATH
#define LANEWISE_MATH(name)         \
  template <class T>                \
  bool name(T value) {              \
    return __builtin_##name(value); \
  }
LANEWISE_MATH(isfinite)
LANEWISE_MATH(isinf)
LANEWISE_MATH(isnan)
LANEWISE_MATH(signbit)
#undef LANEWISE_MATH
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double rsqrt(double value) { return 1 / sqrt(value); }

template <class T>
T atomicExch(T* at, lanewise::emulator::Same<T> value) {
  return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);
}
template <class T>
T atomicCAS(T* at, lanewise::emulator::Same<T> expected, lanewise::emulator::Same<T> value) {
  __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}
namespace lanewise::emulator {
/// Replaces the old value by `next(old)`; returns the old value.
template <class T, class Next>
T change(T* at, Next next) {
  T before, after;
  __atomic_load(at, &before, __ATOMIC_RELAXED);
  do after = next(before);
  while (!__atomic_compare_exchange(at, &before, &after, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  return before;
}
}  // namespace lanewise::emulator
template <class T>
T atomicAdd(T* at, lanewise::emulator::Same<T> value) {
  return lanewise::emulator::change(at, [=](T there) { return static_cast<T>(there + value); });
}
template <class T>
T atomicSub(T* at, lanewise::emulator::Same<T> value) {
  return lanewise::emulator::change(at, [=](T there) { return static_cast<T>(there - value); });
}
template <class T>
T atomicMin(T* at, lanewise::emulator::Same<T> value) {
  return lanewise::emulator::change(at, [=](T there) { return value < there ? value : there; });
}
template <class T>
T atomicMax(T* at, lanewise::emulator::Same<T> value) {
  return lanewise::emulator::change(at, [=](T there) { return there < value ? value : there; });
}
template <class T>
T atomicAnd(T* at, lanewise::emulator::Same<T> value) {
  return __atomic_fetch_and(at, value, __ATOMIC_SEQ_CST);
}
template <class T>
T atomicOr(T* at, lanewise::emulator::Same<T> value) {
  return __atomic_fetch_or(at, value, __ATOMIC_SEQ_CST);
}
template <class T>
T atomicXor(T* at, lanewise::emulator::Same<T> value) {
  return __atomic_fetch_xor(at, value, __ATOMIC_SEQ_CST);
}
