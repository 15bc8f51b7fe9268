#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/captures/engines/capture.h"
#include "text/captures/engines/start_condition.h"

namespace lanewise::text::captures {

/// Finds captures by depth-first search that never visits an (instruction, position) twice: linear, and fast
/// for strings so short that one bit for each such pair is cheap.
class Backtracker {
 public:
  static constexpr size_t kMaxBits = size_t{1} << 18;

  static bool can_take(const automaton::Program& program, size_t text_bytes) {
    return program.instructions.size() <= kMaxBits / (text_bytes + 1);
  }
  /// Like find_captures, for a match that starts at `at`; can_take(program, text.size() - at) holds.
  bool match_at(const automaton::Program& program, std::string_view text, size_t at,
                std::span<Capture> groups);
  /// Like find_captures; can_take(program, text.size() - from) holds.
  bool find(const automaton::Program& program, const StartCondition& start, std::string_view text,
            size_t from, std::span<Capture> groups);

 private:
  /// Continue at an instruction and position; or, if slot is set, restore that slot to `position`.
  struct Job {
    uint32_t instruction;
    uint32_t slot;
    size_t position;
  };
  static constexpr uint32_t kNoSlot = UINT32_MAX;

  void prepare(const automaton::Program& program, size_t text_bytes, size_t groups);
  bool report(size_t at, std::span<Capture> groups);
  bool try_at(const automaton::Program& program, std::string_view text, size_t from, size_t position);
  bool run(const automaton::Program& program, std::string_view text, size_t from, uint32_t id,
           size_t position);

  std::vector<uint64_t> visited_;
  std::vector<Job> stack_;
  std::vector<size_t> slots_;
};

}  // namespace lanewise::text::captures
