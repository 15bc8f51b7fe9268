#pragma once

#include <cstdint>

#include "pram/tree/tree.h"
#include "pram/tree/value.h"

/// Operators on columns: the values of many processors at once.
namespace lanewise::pram {

/// out[i] = op(a[i]) for `count` processors, as `type`; `from` is the operand's type (kConvert). `out` may be
/// `a`. Returns true if it failed for one of them; `out` is then unspecified.
bool apply(Op op, Type type, Type from, const Word* a, Word* out, uint32_t count);
/// out[i] = op(a[i], b[i]); both operands are of type `from`.
bool apply(Op op, Type from, const Word* a, const Word* b, Word* out, uint32_t count);

/// Why op fails for these operands: "7 / 0: division by zero".
std::string failure(Op op, Type type, Type from, Word a, Word b);

}  // namespace lanewise::pram
