#pragma once

#include <memory>

#include "lanes/automata/automaton.h"
#include "lanes/lane.h"
#include "lanes/row_options.h"
#include "lanes/string_rows.h"
#include "lanes/targets/target.h"

namespace lanewise::lanes {

/// Counters of lane work. Kept only on request.
struct Stats {
  u64 lane_steps = 0;     ///< steps of all lanes
  u64 live_steps = 0;     ///< steps of lanes that held a live row at their block's start
  u64 stepped_bytes = 0;  ///< steps that consumed a byte of a row
  u64 refills = 0;
  u32 targets = 0;  ///< bit t: code of Target t ran

  void add(const Stats& other) {
    lane_steps += other.lane_steps;
    live_steps += other.live_steps;
    stepped_bytes += other.stepped_bytes;
    refills += other.refills;
    targets |= other.targets;
  }
  void ran_on(Target target) { targets |= u32{1} << static_cast<u32>(target); }
  bool ran(Target target) const { return targets >> static_cast<u32>(target) & 1; }
  double occupancy() const { return lane_steps ? double(live_steps) / double(lane_steps) : 1; }
  double used() const { return lane_steps ? double(stepped_bytes) / double(lane_steps) : 1; }
};

/// How an automaton is mapped to lanes.
enum class Form {
  rows,    ///< any automaton; a lane is an index into its table
  packed,  ///< small automata; a lane is a byte of a register that holds the table too
};

/// Whether `target` can run `automaton` in `form`.
///   rows    branching, scalar, interleaved, emulated
///   packed  avx512, neon, emulated: states x classes <= 256, or 512 if the number of classes is even; avx2:
///   states x classes <= 256 and classes in few runs of bytes or with codes by nibbles
/// Does not depend on the machine: see supported().
bool offers(Target target, Form form, const AutomatonView& automaton);

/// An automaton prepared for one target. Immutable; threads may share it.
class RowMatcher {
 public:
  /// Copies the parts of `automaton` that it needs, including the codes of its states, if any. Throws
  /// InternalError unless the target is supported and offers the form.
  RowMatcher(Target target, Form form, const AutomatonView& automaton, RowOptions options = {},
             const u8* state_codes = nullptr);
  ~RowMatcher();
  RowMatcher(RowMatcher&&) noexcept;
  RowMatcher& operator=(RowMatcher&&) noexcept;

  /// Sets bit i (of word i / 64, least significant first) of `hits` if row i matches, else clears it;
  /// ceil(count / 64) words are written. With `active`, rows without a bit there are skipped and
  /// not set. `hits` may be `active`. Adds to `stats`. Returns the target whose code ran.
  Target match(const StringRows& rows, const u64* active, u64* hits, Stats* stats = nullptr) const;

  /// The same; also sets codes[i] to the code of row i's final state, if it matches. Other
  /// codes stay.
  Target match(const StringRows& rows, const u64* active, u64* hits, u8* codes, Stats* stats) const;

  Target target() const;
  Form form() const;

 private:
  struct Tables;
  std::unique_ptr<const Tables> tables_;
};

}  // namespace lanewise::lanes
