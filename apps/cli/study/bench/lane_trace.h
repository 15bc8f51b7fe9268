#pragma once

#include <vector>

#include "study/bench/bench.h"

namespace lanewise::cli::bench {

/// Lanes at work, step by step: the engine's algorithm for rows as lanes (lanes/automata/rows-inl.h) run on
/// `width` lanes that note which row they hold. Two levels, naive and refill, whose facts hold the pieces
/// [lane, first step, last step, row, matched].
Group trace_lanes(uint64_t rows, int width, uint64_t seed);

}  // namespace lanewise::cli::bench
