#pragma once

#include <cstddef>

#include "lanes/target.h"

namespace lanewise::text::forms {

/// What a form takes, in nanoseconds of a core as they were measured once: what counts is how forms compare.
struct Cost {
  double per_byte = 0;  ///< of all rows
  double per_row = 0;
  double on_candidates = 0;  ///< per byte, for what is found by chance: a guess until it is measured

  /// Per byte, with rows of a usual length.
  double per_usual_byte() const {
    constexpr double kUsualRow = 64;
    return per_byte + per_row / kUsualRow + on_candidates;
  }
};

/// Bytes as lanes: to look at `places` of each start position.
double scan_cost(lanes::Target target, size_t places);
/// To compare and to resolve one candidate.
constexpr double kCandidateCost = 6;
/// Rows as lanes, per byte.
double packed_cost(lanes::Target target);
double rows_cost(lanes::Target target);
/// Of the cheaper one, where its automaton is not known yet.
double automaton_cost(lanes::Target target);
/// Of an automaton that is made while matching, per byte.
constexpr double kLazyCost = 3;
/// To pick a row out of others for a closer look.
constexpr double kPickCost = 5;
/// To test one row by a comparison of a few bytes.
constexpr double kTestCost = 1;

}  // namespace lanewise::text::forms
