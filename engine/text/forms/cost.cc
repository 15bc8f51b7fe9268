#include "text/forms/cost.h"

#include <algorithm>

namespace lanewise::text::forms {

using lanes::Target;

double scan_cost(Target target, size_t places) {
  switch (target) {
    case Target::avx512:
      return 0.03 + 0.01 * static_cast<double>(places);
    case Target::avx2:
    case Target::neon:  // not measured
      return 0.03 + 0.02 * static_cast<double>(places);
    default:
      return 0.3 * static_cast<double>(places);
  }
}

double packed_cost(Target target) {
  switch (target) {
    case Target::avx512:
      return 0.17;
    case Target::avx2:
    case Target::neon:  // not measured
      return 0.35;
    default:
      return 20;  // in plain C++ for tests, or for machines that have nothing else
  }
}

double rows_cost(Target target) { return target == Target::interleaved ? 0.9 : 1.6; }

double automaton_cost(Target target) { return std::min(packed_cost(target), rows_cost(target)); }

}  // namespace lanewise::text::forms
