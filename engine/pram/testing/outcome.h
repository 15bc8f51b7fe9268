// The outcome of a run, and inputs for programs.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "pram/run.h"

namespace lanewise::pram {

/// A run's outputs, or the error.
struct Outcome {
  Arrays outputs;
  std::string error;
  bool conflict = false;
};

/// `run` returns a Result.
template <class F>
Outcome outcome_of(F run) {
  Outcome outcome;
  try {
    outcome.outputs = run().outputs;
  } catch (const ConflictError& error) {
    outcome.error = error.what();
    outcome.conflict = true;
  } catch (const RunError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

/// A kernel with a loop that ends, after 99,000 rounds, within an endless one.
inline constexpr const char* kLoopsInAnEndlessOne =
    "mode CREW output C[9] : int processors 9\n"
    "while C[p] < 1 { private k = 0 while k < 99000 { k = k + 1 } C[p] = C[p] / k }";

inline Array numbers(int64_t n, uint64_t bound, uint64_t seed = 1) {
  Random random(seed);
  std::vector<int64_t> values;
  for (int64_t i = 0; i < n; ++i) values.push_back(static_cast<int64_t>(random.below(bound)));
  return ints(std::move(values));
}

/// Inputs of a RandomProgram; with `extreme` one of them makes sums overflow.
inline Arrays random_inputs(Random& random, int64_t n, bool extreme) {
  std::vector<int64_t> a;
  std::vector<double> r;
  for (int64_t i = 0; i < n; ++i) {
    a.push_back(static_cast<int64_t>(random.below(20)) - 5);
    r.push_back(static_cast<double>(random.below(20)) / 4 - 2);
  }
  if (n > 0 && extreme) a[random.below(static_cast<uint64_t>(n))] = INT64_MAX;
  return {{"A", ints(a)}, {"R", reals(r)}};
}

/// The same with one bit pattern for every NaN.
inline Arrays with_one_nan(Arrays arrays) {
  for (auto& [name, array] : arrays) {
    if (array.type != Type::kReal) continue;
    for (Word& word : array.words) {
      if (real_of(word) != real_of(word)) word = 0x7FF8000000000000;
    }
  }
  return arrays;
}

}  // namespace lanewise::pram
