#include "primitives/kernels.h"

#include "base/error.h"
#include "primitives/kernels/tables.h"

namespace lanewise::kernels {
namespace {

const Tables& tables(lanes::Target target) {
  invariant(lanes::supported(target), "this machine has the kernels' target");
  switch (target) {
    case lanes::Target::branching:
      return kBranchingTables;
    case lanes::Target::automatic:
      return kAutoTables;
#if defined(__x86_64__)
    case lanes::Target::avx2:
      return kAvx2Tables;
    case lanes::Target::avx512:
      return kAvx512Tables;
#elif defined(__aarch64__)
    case lanes::Target::neon:
      return kNeonTables;
#endif
    case lanes::Target::emulated:
      return kEmulatedTables;
    default:
      return kScalarTables;
  }
}

}  // namespace

template <>
const Kernels<int8_t>& of(lanes::Target target) {
  return tables(target).i8;
}
template <>
const Kernels<int16_t>& of(lanes::Target target) {
  return tables(target).i16;
}
template <>
const Kernels<int32_t>& of(lanes::Target target) {
  return tables(target).i32;
}
template <>
const Kernels<int64_t>& of(lanes::Target target) {
  return tables(target).i64;
}
template <>
const Kernels<uint8_t>& of(lanes::Target target) {
  return tables(target).u8;
}
template <>
const Kernels<uint16_t>& of(lanes::Target target) {
  return tables(target).u16;
}
template <>
const Kernels<uint32_t>& of(lanes::Target target) {
  return tables(target).u32;
}
template <>
const Kernels<uint64_t>& of(lanes::Target target) {
  return tables(target).u64;
}
template <>
const Kernels<float>& of(lanes::Target target) {
  return tables(target).f32;
}
template <>
const Kernels<double>& of(lanes::Target target) {
  return tables(target).f64;
}

const BitKernels& bits_of(lanes::Target target) { return tables(target).bits; }

const PairKernels& pairs_of(lanes::Target target) { return tables(target).pairs; }

WritePairs* PairKernels::of(lanes::PairForm form) const {
  switch (form) {
    case lanes::PairForm::naive:
      return naive;
    case lanes::PairForm::refill:
      return refill;
    case lanes::PairForm::balanced:
      return balanced;
    case lanes::PairForm::whole:
      return whole;
    default:  // measured: see "Pairs of joins" in docs/notes/performance.md
      return mixed;
  }
}

}  // namespace lanewise::kernels
