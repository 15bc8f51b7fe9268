#include "study/data/numbers.h"

#include <cmath>

namespace lanewise::cli::bench {

template <class T>
std::vector<T> make_numbers(uint64_t rows, double percent, uint64_t seed, const Checkpoint& checkpoint) {
  constexpr T kOthers[] = {0, 1, 2, 4, 5};
  Random random(seed);
  ExactShare targets(static_cast<uint64_t>(std::llround(static_cast<double>(rows) * percent / 100)), rows);
  std::vector<T> values;
  values.reserve(rows);  // without initialising to zero, which cannot be cancelled
  for (uint64_t row = 0; row < rows; ++row) {
    if (row % (1 << 20) == 0) checkpoint();
    const T other = kOthers[random.below(5)];
    values.push_back(targets.next(random) ? T{kTarget} : other);
  }
  return values;
}

template std::vector<int8_t> make_numbers(uint64_t, double, uint64_t, const Checkpoint&);
template std::vector<int16_t> make_numbers(uint64_t, double, uint64_t, const Checkpoint&);
template std::vector<int32_t> make_numbers(uint64_t, double, uint64_t, const Checkpoint&);
template std::vector<int64_t> make_numbers(uint64_t, double, uint64_t, const Checkpoint&);
template std::vector<uint8_t> make_numbers(uint64_t, double, uint64_t, const Checkpoint&);
template std::vector<uint16_t> make_numbers(uint64_t, double, uint64_t, const Checkpoint&);
template std::vector<uint32_t> make_numbers(uint64_t, double, uint64_t, const Checkpoint&);
template std::vector<uint64_t> make_numbers(uint64_t, double, uint64_t, const Checkpoint&);
template std::vector<float> make_numbers(uint64_t, double, uint64_t, const Checkpoint&);
template std::vector<double> make_numbers(uint64_t, double, uint64_t, const Checkpoint&);

}  // namespace lanewise::cli::bench
