#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise::cli::bench {

/// Options of all benchmarks.
struct Options {
  uint64_t rows = 0;  ///< 0: chosen for the machine
  uint64_t seed = 1;
  int repeat = 3;                   ///< number of rounds, whose median counts
  double enough = 3;                ///< seconds after which a level is not repeated
  std::vector<std::string> levels;  ///< names of levels, their first words, or packed; empty: all
  bool json = false;
  std::string plot;         ///< an SVG file; empty: none
  bool cachegrind = false;  ///< simulate branches and misses
  bool energy = false;      ///< repeat each level for a second, and read the counters of energy
  int silent_runs = 0;      ///< only do each task this often, for the simulation; 0: measure
};

struct ScanOptions : Options {
  std::string type = "int32";
  std::vector<double> selectivity;  ///< percent
  std::vector<std::string> work;
  std::vector<int> threads = {1};
  std::string affinity = "without";  ///< with, without, both
  bool unoptimised = false;          ///< also the study's loops by -O0
  std::string device = "cpu";        ///< a GPU for the filter and the aggregates of int32
  bool shapes = false;               ///< on the GPU, blocks of several sizes
};

struct StringsOptions : Options {
  std::vector<std::string> tests;
  std::vector<std::string> lengths;
  double match = 1;                  ///< percent of the rows
  std::string mismatch = "random";   ///< or the byte in which rows differ from the constant
  std::vector<uint32_t> thresholds;  ///< of refill; empty: naive and refill
  int threads = 1;                   ///< more: levels also on so many threads
  std::string device = "cpu";        ///< a GPU for automata on warps
  bool shapes = false;               ///< on the GPU, blocks, grids and thresholds instead of levels
};

struct PairsOptions : Options {
  std::string device = "cpu";
};

struct SqlBenchOptions : Options {
  std::vector<std::string> work;
  bool every_level = false;  ///< also one core, scalar and with vectors
  std::string device = "auto";
};

struct PramBenchOptions : Options {
  std::vector<std::string> work;
  std::vector<std::string> programs;  ///< empty: those of the study
  std::vector<uint64_t> sizes;        ///< empty: chosen for each program
  bool few = false;                   ///< without the two largest of these
  uint64_t most = 0;                  ///< largest of these sizes; 0: all
  std::string device = "auto";
};

/// Here rows are the keys of an index.
struct IndexBenchOptions : Options {
  std::string type = "uint32";
  std::vector<std::string> work;
  uint32_t node_keys = 0;                       ///< most keys of a node; 0: chosen for the keys
  uint64_t queries = 1 << 20;                   ///< on the host
  std::vector<uint64_t> batches = {1, 40'000};  ///< number of keys that multi seeks at once
  uint64_t device_queries = 0;                  ///< on the device; 0: the number of keys
  std::string device = "auto";
};

}  // namespace lanewise::cli::bench
