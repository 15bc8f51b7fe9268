#include "study/bench/lane_trace.h"

#include <fmt/format.h>

#include "lanes/automata/rows-inl.h"
#include "primitives/groups/hash.h"
#include "study/bench/text_pattern.h"
#include "text/pattern/compiled_pattern.h"

namespace lanewise::cli::bench {

namespace {

using lanes::u32;
using lanes::u64;

struct TracePiece {
  u32 lane;
  u64 from, to, row;
  bool matched;
};

/// Lanes that take one byte in a step. It offers what run_rows() needs of a group.
template <u32 kWidth>
struct TraceGroup {
  static constexpr u32 width = kWidth, local = kWidth;
  using Mask = u64;
  static constexpr Mask all = (u64{1} << kWidth) - 1;

  static bool any(Mask m) { return m != 0; }
  static u32 count(Mask m) { return lanes::count_bits(m); }
  static u32 rank(Mask m, u32 k) { return count(m & ((u64{1} << k) - 1)); }
  template <class F>
  static Mask ballot(F f) {
    Mask made = 0;
    for (u32 k = 0; k < kWidth; ++k) made |= u64{f(k)} << k;
    return made;
  }
  template <class F>
  static void each(Mask m, F f) {
    for (u32 k = 0; k < kWidth; ++k) {
      if (m >> k & 1) f(k);
    }
  }

  template <class Source>
  void take(Mask idle, const Source& source) {
    each(idle, [&](u32 k) {
      const u64 row = source.first + rank(idle, k);
      held[k] = {row, text->offsets[row], automaton.start, now};
    });
  }
  template <class Tally>
  Mask walk(Mask busy, Tally& tally) {
    tally.walk(kWidth, count(busy), count(busy));
    ++now;
    return ballot([&](u32 k) {
      if (!(busy >> k & 1)) return false;
      Lane& lane = held[k];
      const u64 end = text->offsets[lane.row + 1];
      if (lane.at < end)
        lane.state =
            automaton.next[lane.state * automaton.classes + automaton.class_of[text->bytes[lane.at++]]];
      const bool ended = lane.at == end || lane.state >= automaton.match || lane.state == automaton.dead;
      if (ended) pieces.push_back({k, lane.since, now, lane.row, accepts(lane.state)});
      return ended;
    });
  }
  Mask matches(Mask ended) const {
    return ballot([&](u32 k) { return (ended >> k & 1) && accepts(held[k].state); });
  }
  bool accepts(u32 state) const { return state >= automaton.end_accept; }

  const TextRows* text;
  lanes::AutomatonView automaton;
  struct Lane {
    u64 row, at;
    u32 state;
    u64 since;
  } held[kWidth] = {};
  u64 now = 0;
  std::vector<TracePiece> pieces = {};
};

/// All rows, one after the other.
struct TraceRows {
  u64 rows, first = 0;
  u64 ready(u32 /*n*/) const { return rows - first; }
  void drop(u32 n) { first += n; }
};

struct TraceTally {
  lanes::Stats stats;
  static constexpr bool kOn = true;
  void refill() { ++stats.refills; }
  void walk(u64 lane_steps, u64 live_steps, u64 bytes) {
    stats.lane_steps += lane_steps;
    stats.live_steps += live_steps;
    stats.stepped_bytes += bytes;
  }
};

template <u32 kWidth>
Result trace(const TextRows& text, const text::Pattern& pattern, const char* level, u32 refill_below) {
  TraceGroup<kWidth> group{.text = &text, .automaton = pattern.compiled().automaton()->view()};
  TraceRows source{text.rows()};
  TraceTally tally;
  std::vector<bool> hits(text.rows());
  const auto book = [&](const TraceGroup<kWidth>& of, u32 k) { hits[of.held[k].row] = true; };
  lanes::run_rows(group, source, refill_below, book, tally);
  nlohmann::ordered_json pieces = nlohmann::ordered_json::array();
  for (const TracePiece& piece : group.pieces)
    pieces.push_back({piece.lane, piece.from, piece.to, piece.row, piece.matched});
  uint64_t digest = 0;
  for (const bool hit : hits) digest = hash::of_word(digest ^ hit);
  return {.level = level,
          .digest = digest,
          .stats = tally.stats,
          .refill_below = refill_below,
          .facts = {{"pieces", pieces}, {"steps", group.now}}};
}

template <u32 kWidth>
std::vector<Result> traces(const TextRows& text, const text::Pattern& pattern) {
  return {trace<kWidth>(text, pattern, "naive", 1), trace<kWidth>(text, pattern, "refill", kWidth)};
}

}  // namespace

Group trace_lanes(uint64_t rows, int width, uint64_t seed) {
  TextShape shape;
  shape.test = RowTest::regex;
  shape.match = 20;
  shape.rows = rows;
  shape.seed = seed;
  shape.lengths.kind = Lengths::uniform;
  const TextRows text = make_text_rows(shape, [] {});
  const text::Pattern pattern = pattern_of(shape);
  Group group;
  group.title = fmt::format("a trace of {} lanes, {} rows", width, rows);
  group.about = {{"work", "trace"}, {"lanes", width}};
  group.rows = rows;
  group.results = width == 3 ? traces<3>(text, pattern) : traces<8>(text, pattern);
  return group;
}

}  // namespace lanewise::cli::bench
