#pragma once

#include "lanes/lane.h"
#include "lanes/tables/kind_table.h"
#include "lanes/tables/packed_table.h"

namespace lanewise::lanes {

/// A Register's operations as plain functions, so that tests need no instructions beyond the machine's.
struct RegisterOps {
  u32 lanes;
  void (*splat)(u8 value, u8* out);
  void (*copy)(const u8* from, u8* out);
  void (*zip_low)(const u8* a, const u8* b, u8* out);
  void (*zip_high)(const u8* a, const u8* b, u8* out);
  void (*add)(const u8* a, const u8* b, u8* out);
  void (*subtract)(const u8* a, const u8* b, u8* out);
  void (*both)(const u8* a, const u8* b, u8* out);
  void (*larger)(const u8* a, const u8* b, u8* out);
  u64 (*equal)(const u8* a, const u8* b);
  u64 (*greater)(const u8* a, const u8* b);
  void (*select)(u64 mask, const u8* a, const u8* b, u8* out);
  void (*step_if_more)(const u8* left, u8 j, const u8* next, const u8* state, u8* out);
  void (*pieces)(const u8* bytes, const u32* at, u8* out);
  void (*remaining)(const u32* at, const u32* end, u8* out);
  void (*advance)(u32* at, const u32* end);
  void (*expand32)(u32* to, u64 mask, const u32* from, u32 base);
  void (*expand64)(u32* to, u64 mask, const u64* from, u64 base);
  void (*expand_numbers)(u32* to, u64 mask, u32 first);
};

template <class R>
constexpr RegisterOps register_ops() {
  using M = typename R::Mask;
  return {
      R::lanes,
      [](u8 value, u8* out) { R::splat(value).store(out); },
      [](const u8* from, u8* out) { R::load(from).store(out); },
      [](const u8* a, const u8* b, u8* out) { R::zip_low(R::load(a), R::load(b)).store(out); },
      [](const u8* a, const u8* b, u8* out) { R::zip_high(R::load(a), R::load(b)).store(out); },
      [](const u8* a, const u8* b, u8* out) { R::add(R::load(a), R::load(b)).store(out); },
      [](const u8* a, const u8* b, u8* out) { R::subtract(R::load(a), R::load(b)).store(out); },
      [](const u8* a, const u8* b, u8* out) { R::both(R::load(a), R::load(b)).store(out); },
      [](const u8* a, const u8* b, u8* out) { R::larger(R::load(a), R::load(b)).store(out); },
      [](const u8* a, const u8* b) { return u64(R::equal(R::load(a), R::load(b))); },
      [](const u8* a, const u8* b) { return u64(R::greater(R::load(a), R::load(b))); },
      [](u64 m, const u8* a, const u8* b, u8* out) { R::select(M(m), R::load(a), R::load(b)).store(out); },
      [](const u8* left, u8 j, const u8* next, const u8* state, u8* out) {
        R::step_if_more(R::load(left), j, R::load(next), R::load(state)).store(out);
      },
      [](const u8* bytes, const u32* at, u8* out) { R::pieces(bytes, at).store(out); },
      [](const u32* at, const u32* end, u8* out) { R::remaining(at, end).store(out); },
      [](u32* at, const u32* end) { R::advance(at, end); },
      [](u32* to, u64 m, const u32* from, u32 base) { R::expand(to, M(m), from, base); },
      [](u32* to, u64 m, const u64* from, u64 base) { R::expand(to, M(m), from, base); },
      [](u32* to, u64 m, u32 first) { R::expand_numbers(to, M(m), first); }};
}

/// Looks up what follows state[k] on class cls[k].
template <class R, class Next>
void look_up_next(const PackedTable& table, const u8* state, const u8* cls, u8* out) {
  const Next next(table);
  next(R::load(state), R::load(cls)).store(out);
}
using LookUpNext = void (*)(const PackedTable& table, const u8* state, const u8* cls, u8* out);

/// A look-up of bytes as a plain function.
template <class R, class Lookup>
void look_up(const PackedTable& table, const u8* index, u8* out) {
  const Lookup lookup(table);
  lookup(R::load(index)).store(out);
}
using LookUp = void (*)(const PackedTable& table, const u8* index, u8* out);
template <class R, class Kinds>
void look_up_kinds(const KindTable& table, const u8* bytes, u8* out) {
  const Kinds kinds(table);
  kinds(R::load(bytes)).store(out);
}
using LookUpKinds = void (*)(const KindTable& table, const u8* bytes, u8* out);

struct LookUps {
  LookUpNext next[4];  ///< of 64, 128, 256, 512 entries; null: not offered
  LookUp classes;
  LookUp uniform_high_classes;  ///< for maps in which bytes >= 0x80 are of one class
  LookUp coded_classes;         ///< for maps that have codes
  LookUpKinds kinds;            ///< they may seem to be more
  LookUpKinds exact_kinds;      ///< no more, where they hold for all bytes with some low and some high halves
  LookUpKinds uniform_high_kinds;  ///< the same for tables that are uniform there
};

extern const RegisterOps kEmulatedRegister;
extern const LookUps kEmulatedLookUps;
#if defined(__x86_64__)
extern const RegisterOps kAvx2Register;
extern const LookUps kAvx2LookUps;
extern const RegisterOps kAvx512Register;
extern const LookUps kAvx512LookUps;
#elif defined(__aarch64__)
extern const RegisterOps kNeonRegister;
extern const LookUps kNeonLookUps;
#endif

}  // namespace lanewise::lanes
