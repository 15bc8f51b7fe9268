#pragma once

#include <cstddef>

namespace lanewise::text {

/// Limits on the cost of one pattern. All are checked while compiling; none depends on elapsed time.
struct Limits {
  size_t pattern_bytes = size_t{1} << 20;  ///< longer patterns are a UserError
  size_t program_size =
      size_t{1} << 20;               ///< instructions after repetitions are expanded; more are a UserError
  size_t automaton_states = 10'000;  ///< above it the automaton is built lazily instead
  size_t automaton_bytes = size_t{8} << 20;   ///< the same, for its table
  size_t automaton_work = size_t{4} << 20;    ///< the same, in instructions visited while it is built
  size_t lazy_cache_bytes = size_t{8} << 20;  ///< per thread and pattern; the cache is emptied when full
};

}  // namespace lanewise::text
