#include "primitives/kernels/tables.h"

#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // clang knows no such option
#pragma GCC optimize("no-tree-vectorize")           // this target is defined by one lane

#include "primitives/kernels/plain-inl.h"

namespace lanewise::kernels {
namespace {

struct Scalar : plain::WithoutJumps {
  static constexpr lanes::Target kTarget = lanes::Target::scalar;
};

}  // namespace

constexpr Tables kTables = plain::tables_of<Scalar>();
const Tables kScalarTables = kTables;

}  // namespace lanewise::kernels
