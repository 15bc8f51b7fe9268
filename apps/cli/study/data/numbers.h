#pragma once

#include <cstdint>
#include <vector>

#include "study/data/random.h"

namespace lanewise::cli::bench {

/// The value that filters look for.
inline constexpr int kTarget = 3;

/// `rows` values from 0 to 5 of which exactly round(rows * percent / 100) are kTarget, in an order drawn by
/// `seed`. The others are drawn from 0, 1, 2, 4, 5.
template <class T>
std::vector<T> make_numbers(uint64_t rows, double percent, uint64_t seed, const Checkpoint& checkpoint);

}  // namespace lanewise::cli::bench
