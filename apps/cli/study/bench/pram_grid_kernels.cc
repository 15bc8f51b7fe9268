#include "study/bench/pram_grid_kernels.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "study/bench/pram_grid.h"

namespace lanewise::cli::bench {

namespace {

/// The words of a language of kernels.
struct Dialect {
  const char *kernel, *global, *local, *barrier, *item, *group, *size, *number;
};
constexpr Dialect kCuda = {"extern \"C\" __global__ void",
                           "",
                           "__shared__",
                           "__syncthreads()",
                           "threadIdx.x",
                           "blockIdx.x",
                           "blockDim.x",
                           "unsigned long long"};
constexpr Dialect kOpenCl = {
    "__kernel void",   "__global",        "__local",           "barrier(CLK_LOCAL_MEM_FENCE)",
    "get_local_id(0)", "get_group_id(0)", "get_local_size(0)", "ulong"};

constexpr std::string_view kKernels = R"(
typedef unsigned int word;

KERNEL copy_all(GLOBAL const word* from, number n, GLOBAL word* to) {
  const number p = (number)GROUP * SIZE + ITEM;
  if (p < n) to[p] = from[p];
}
KERNEL naive_reduce(GLOBAL word* values, number n, number d) {
  const number at = 2 * d * ((number)GROUP * SIZE + ITEM);
  if (at + d < n) values[at] += values[at + d];
}
KERNEL naive_scan(GLOBAL const word* from, number n, GLOBAL word* to, number d) {
  const number p = (number)GROUP * SIZE + ITEM;
  if (p < n) to[p] = p < d ? from[p] : from[p] + from[p - d];
}

#define ITEMS_OF(m, c)                                          \
  const number first = ((number)GROUP * m + ITEM) * c;          \
  word sum = 0;                                                 \
  for (unsigned k = 0; k < c; ++k) {                            \
    if (first + k < n) sum += from[first + k];                  \
  }                                                             \
  sums[ITEM] = sum;                                             \
  BARRIER;

#define GRID(m, c)                                                                                      \
  KERNEL reduce_##m##_##c(GLOBAL const word* from, number n, GLOBAL word* to) {                         \
    LOCAL word sums[m];                                                                                 \
    ITEMS_OF(m, c)                                                                                      \
    for (unsigned d = m / 2; d > 0; d /= 2) {                                                  \
      if (ITEM < d) sums[ITEM] += sums[ITEM + d];                                                       \
      BARRIER;                                                                                          \
    }                                                                                                   \
    if (ITEM == 0) to[GROUP] = sums[0];                                                                 \
  }                                                                                                     \
  KERNEL scan_##m##_##c(GLOBAL const word* from, number n, GLOBAL word* to, GLOBAL word* of_groups) {   \
    LOCAL word sums[m];                                                                                 \
    ITEMS_OF(m, c)                                                                                      \
    for (unsigned d = 1; d < m; d *= 2) {                                                               \
      const word left = ITEM < d ? 0 : sums[ITEM - d];                                                  \
      BARRIER;                                                                                          \
      sums[ITEM] += left;                                                                               \
      BARRIER;                                                                                          \
    }                                                                                                   \
    word before = sums[ITEM] - sum;                                                                     \
    for (unsigned k = 0; k < c; ++k) {                                                                  \
      if (first + k < n) before += from[first + k], to[first + k] = before;                             \
    }                                                                                                   \
    if (ITEM == m - 1) of_groups[GROUP] = sums[m - 1];                                                  \
  }                                                                                                     \
  KERNEL add_##m##_##c(GLOBAL word* to, number n, GLOBAL const word* of_groups) {                       \
    const number first = (((number)GROUP + 1) * m + ITEM) * c;                                          \
    const word before = of_groups[GROUP];                                                               \
    for (unsigned k = 0; k < c; ++k) {                                                                  \
      if (first + k < n) to[first + k] += before;                                                       \
    }                                                                                                   \
  }
)";

}  // namespace

std::string grid_kernels(GridLanguage language) {
  const Dialect& dialect = language == GridLanguage::kCuda ? kCuda : kOpenCl;
  std::string text;
  for (const auto& [name, meaning] : {std::pair("KERNEL", dialect.kernel),
                                      std::pair("GLOBAL", dialect.global), std::pair("LOCAL", dialect.local),
                                      std::pair("BARRIER", dialect.barrier), std::pair("ITEM", dialect.item),
                                      std::pair("GROUP", dialect.group), std::pair("SIZE", dialect.size)}) {
    text += fmt::format("#define {} {}\n", name, meaning);
  }
  text += fmt::format("typedef {} number;\n", dialect.number) + std::string(kKernels);
  for (const unsigned m : kGridItems) {
    for (const unsigned c : kGridValues) text += fmt::format("GRID({}, {})\n", m, c);
  }
  return text;
}

}  // namespace lanewise::cli::bench
