#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/automaton/sparse_set.h"
#include "text/captures/engines/capture.h"
#include "text/captures/engines/start_condition.h"

namespace lanewise::text::captures {

/// Finds captures by stepping all threads together in order of preference (Pike, "The text editor sam",
/// 1987): linear in the text for any size of it, with memory that depends only on the program.
class PikeVm {
 public:
  /// Like find_captures, for a match that starts at `at`.
  bool match_at(const automaton::Program& program, std::string_view text, size_t at,
                std::span<Capture> groups);
  /// As find_captures.
  bool find(const automaton::Program& program, const StartCondition& start, std::string_view text,
            size_t from, std::span<Capture> groups);

 private:
  struct Threads {
    automaton::SparseSet instructions;  // in order of preference
    std::vector<size_t> slots;          // a row per instruction
  };
  struct Job {
    uint32_t instruction;
    uint32_t slot;  // or kNoSlot
    size_t old;     // previous value of the slot
  };
  static constexpr uint32_t kNoSlot = UINT32_MAX;

  void prepare(const automaton::Program& program, size_t groups);
  void start_at(const automaton::Program& program, std::string_view text, size_t at);
  void step(const automaton::Program& program, std::string_view text, size_t at);
  bool report(std::span<Capture> groups) const;
  void add(const automaton::Program& program, std::string_view text, size_t position, uint32_t id,
           Threads& to);
  size_t* row(Threads& threads, uint32_t id) { return threads.slots.data() + id * width_; }

  Threads current_;
  Threads next_;
  size_t width_ = 0;           // slots per thread
  std::vector<size_t> slots_;  // of the thread being added
  std::vector<size_t> best_;   // slots of the best match so far; empty if there is none yet
  std::vector<Job> stack_;
};

}  // namespace lanewise::text::captures
