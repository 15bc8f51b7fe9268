#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lanewise::codegen {

/// How patterns are matched and groups made on a GPU, where there is a choice that no answer depends on.
struct Strategy {
  /// Rows go to the table of groups as they come, or sorted by parts of that table; see groups-inl.h.
  enum class Groups : uint8_t {
    kAuto,   ///< by parts where rows and groups turn out to be many
    kTable,  ///< never by parts
    kParts,  ///< from the beginning, wherever the query allows it
    kSlots   ///< as slots, by the kernel that kAuto takes while the query's own is compiled
  };
  /// How keys find rows of a build side; see join-inl.h.
  enum class Join : uint8_t {
    kAuto,  ///< the smallest that its keys allow
    kHash,
    kDirect,  ///< these where the keys allow it, whatever it takes; else as kHash
    kRanks,
    kBitmap
  };
  /// How lanes come to the pairs of a join whose keys repeat; see PairForm (expand-inl.h).
  enum class Pairs : uint8_t {
    kAuto,  ///< queued where a run is long, else balanced
    kNaive,
    kRefill,
    kBalanced,
    kMixed,
    kQueued,
    kWritten  ///< written to memory, as where it is not aggregates that take them
  };
  /// Lanes of a warp take new rows when fewer are busy: 1 waits for the longest row; unset: as rows are.
  std::optional<uint32_t> refill_below;
  uint32_t threads = 512;  ///< of an automaton's block
  bool automata = false;   ///< for literals, too
  bool lists = false;      ///< automata read lists of the rows that filters left, instead of bitmaps
  bool occupancy = false;  ///< automata and pairs count how many lanes are busy, for the profile
  bool split = false;      ///< rows by parts of a lookup, however small it is
  Groups groups = Groups::kAuto;
  Join join = Join::kAuto;
  Pairs pairs = Pairs::kAuto;
};

/// By names with commas between: `naive`, `refill=N`, `threads=N`, `automata`, `lists`, `occupancy`, `split`,
/// `groups=table|parts|slots`, `join=hash|direct|ranks|bitmap`,
/// `pairs=naive|refill|balanced|mixed|queued|written`. Throws UserError.
Strategy parse_strategy(std::string_view names);

}  // namespace lanewise::codegen
