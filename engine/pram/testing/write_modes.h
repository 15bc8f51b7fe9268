// Programs in which many processors write one cell, in each mode that determines a winner.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pram/language/program.h"
#include "pram/testing/outcome.h"

namespace lanewise::pram {

/// With inputs of `n` numbers each.
inline std::vector<std::pair<Program, Arrays>> programs_of_each_mode(int64_t n) {
  std::vector<std::pair<Program, Arrays>> programs;
  const auto add = [&](const std::string& mode, const std::string& text) {
    programs.emplace_back(Program::parse("mode CRCW " + mode + "\n" + text),
                          Arrays{{"A", numbers(n, 1000)}, {"B", numbers(n, static_cast<uint64_t>(n), 2)}});
  };
  for (const std::string mode :
       {"common", "arbitrary", "priority", "combining +", "combining *", "combining min", "combining max"}) {
    const bool common = mode == "common";
    const std::string value = common ? "B[p]" : mode == "combining *" ? "A[p] % 2 * 2 - 1" : "A[p] - 300";
    add(mode,
        "input A[n] : int input B[n] : int output C[n] : int output few[3] : int\n"
        "output x : int output r : real output s : int32 output both[n] : int\nprocessors n\n"
        "C[B[p]] = " +
            value + "\nif A[p] % 7 < 3 { few[A[p] % 3] = A[p] % 3 - 1 }\n" +
            (common
                 ? ""
                 : "x = " + value +
                       "\nr = A[p] / 8.0\n"
                       "s = int32(A[p] % 2)\nboth[B[p]], both[(B[p] + 1) % n] = A[p] % 3 - 1, p % 3 - 1\n"));
  }
  for (const std::string mode : {"combining and", "combining or", "combining xor"}) {
    add(mode,
        "input A[n] : int input B[n] : int output C[n] : bool output x : bool\nprocessors n\n"
        "C[A[p] % n] = p % 3 == 0\nx = A[p] > 5\n");
  }
  return programs;
}

}  // namespace lanewise::pram
