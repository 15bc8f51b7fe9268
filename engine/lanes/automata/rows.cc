#include "lanes/automata/rows.h"

#include <algorithm>
#include <bitset>
#include <cstring>
#include <map>
#include <vector>

#include "base/error.h"
#include "lanes/automata/byte_classes.h"
#include "lanes/automata/renumbered.h"
#include "lanes/automata/rows_targets.h"
#include "lanes/tables/kind_sets.h"

namespace lanewise::lanes {
namespace {

/// Whether registers of 32 bytes can look up the classes of bytes.
bool has_short_classes(const AutomatonView& a) {
  PackedTable table{};
  find_runs(a.class_of, table);
  if (table.runs) return true;
  find_codes(a.class_of, table);
  return table.code_layers > 0;
}

/// Entries of one half of the table, if it has two.
u32 entries_of_half(const AutomatonView& a) { return a.states * ((a.classes + 1) / 2); }

PackedTable make_packed(const AutomatonView& a) {
  PackedTable table{};
  const Renumbered order{a};
  table.entries = a.states * a.classes;
  table.has_halves = table.entries > 256;
  if (table.has_halves) table.entries = entries_of_half(a);
  const u32 classes = table.entries / a.states;  // of one half
  const Verdicts v = order.verdicts(classes);
  // Classes that lead from the start back to it are numbered first.
  std::vector<u32> place(a.classes);
  u32 staying = 0;
  for (const bool stays : {true, false}) {
    for (u32 c = 0, next = stays ? 0 : staying; c < a.classes; c++) {
      if ((a.next[a.start * a.classes + c] == a.start) != stays) continue;
      place[c] = next++;
      staying += stays;
    }
  }
  const auto packed_class = [&](u32 c) {
    return u8(place[c] < classes ? place[c] : place[c] - classes + PackedTable::kSecondHalf);
  };
  for (u32 s = 0; s < a.states; s++) {
    for (u32 c = 0; c < a.classes; c++) {
      const u32 index = u8(order.to_new(s) * classes + packed_class(c)), half = place[c] < classes ? 0 : 256;
      table.next[half + index] = u8(order.to_new(a.next[s * a.classes + c]) * classes);
    }
  }
  for (u32 byte = 0; byte < 256; byte++) table.class_of[byte] = packed_class(a.class_of[byte]);
  table.high_is_uniform =
      std::all_of(a.class_of + 128, a.class_of + 256, [&](u8 c) { return c == a.class_of[128]; });
  table.start = u8(v.start);
  table.last_rejecting = u8(v.end_accept - 1);
  table.decided_bias = u8(v.decided_bias);
  table.last_undecided = u8(v.decided - 1);
  find_runs(table.class_of, table);
  find_codes(table.class_of, table);
  table.may_stay = staying > 0;
  std::bitset<256> leaving;
  for (u32 byte = 0; byte < 256; byte++) leaving[byte] = place[a.class_of[byte]] >= staying;
  const KindTable kinds = kinds_of_set(leaving);
  std::copy_n(kinds.of_low, 16, table.leaving_low);
  std::copy_n(kinds.of_high, 16, table.leaving_high);
  for (u32 c = 0; c < a.classes; c++) {
    if (place[c] + 1 == staying) table.last_staying = packed_class(c);
  }
  return table;
}

}  // namespace

struct RowMatcher::Tables {
  Target target;
  Form form;
  RowOptions options;
  enum { per_row, none, all } answer = per_row;  // none, all: known without reading the rows
  std::vector<u16> row_next;
  std::vector<u8> column_next;
  std::vector<u32> class_next;
  u8 class_of[256];
  CoreTable core;
  PackedTable packed;
  std::vector<u8> code_of;  // by renumbered state
  u32 scale = 1;            // multiplier of states
  u32 start = 0;

  void make_core(const AutomatonView& a) {
    const Renumbered order{a};
    std::copy_n(a.class_of, 256, class_of);
    const auto next = [&](u32 state, u32 of_class) {
      return order.to_new(a.next[state * a.classes + of_class]);
    };
    if (a.states > 256) {
      scale = a.classes;
      class_next.resize(u64(a.states) * a.classes);
      for (u32 s = 0; s < a.states; s++) {
        for (u32 c = 0; c < scale; c++) class_next[order.to_new(s) * scale + c] = next(s, c) * scale;
      }
    } else if (target == Target::interleaved && options.width == 8) {
      scale = 256;
      row_next.resize(a.states * scale);
      for (u32 s = 0; s < a.states; s++) {
        for (u32 b = 0; b < 256; b++)
          row_next[order.to_new(s) * scale + b] = u16(next(s, class_of[b]) * scale);
      }
    } else {
      column_next.resize(256 * 256);
      for (u32 s = 0; s < a.states; s++) {
        for (u32 b = 0; b < 256; b++) column_next[b * 256 + order.to_new(s)] = u8(next(s, class_of[b]));
      }
    }
    core = {row_next.empty() ? nullptr : row_next.data(), column_next.empty() ? nullptr : column_next.data(),
            class_next.data(), class_of, order.verdicts(scale)};
  }
};

bool offers(Target target, Form form, const AutomatonView& a) {
  const u32 entries = a.states * a.classes;
  if (form == Form::rows) {
    return target == Target::branching || target == Target::scalar || target == Target::interleaved ||
           target == Target::emulated;
  }
  if (target == Target::avx2) return entries <= 256 && has_short_classes(a);
  return (entries <= 256 || entries_of_half(a) <= 256) &&
         (target == Target::avx512 || target == Target::neon || target == Target::emulated);
}

RowMatcher::RowMatcher(Target target, Form form, const AutomatonView& a, RowOptions options,
                       const u8* state_codes) {
  invariant(supported(target) && offers(target, form, a),
            "a row matcher's target is supported and offers its form");
  invariant(form == Form::packed || options.last_bytes == 0,
            "packed lanes may look at the ends of rows only");
  auto tables = std::make_unique<Tables>();
  tables->target = target;
  tables->form = form;
  tables->options = options;
  if (a.start == a.dead) tables->answer = Tables::none;
  if (a.start >= a.match || (a.end_accept == 0 && !state_codes)) tables->answer = Tables::all;
  invariant(a.end_accept > 0 || tables->answer != Tables::per_row, "of states with codes one rejects");
  if (state_codes) {
    const Renumbered order{a};
    tables->code_of.resize(a.states);
    for (u32 s = 0; s < a.states; s++) tables->code_of[order.to_new(s)] = state_codes[s];
    tables->start = order.to_new(a.start);
  }
  if (tables->answer == Tables::per_row) {
    if (form == Form::packed) {
      tables->packed = make_packed(a);
      tables->packed.last_bytes = options.last_bytes;
      tables->scale = tables->packed.entries / a.states;
    } else {
      tables->make_core(a);
    }
  }
  tables_ = std::move(tables);
}

RowMatcher::~RowMatcher() = default;
RowMatcher::RowMatcher(RowMatcher&&) noexcept = default;
RowMatcher& RowMatcher::operator=(RowMatcher&&) noexcept = default;
Target RowMatcher::target() const { return tables_->target; }
Form RowMatcher::form() const { return tables_->form; }

Target RowMatcher::match(const StringRows& rows, const u64* active, u64* hits, Stats* stats) const {
  return match(rows, active, hits, nullptr, stats);
}

Target RowMatcher::match(const StringRows& rows, const u64* active, u64* hits, u8* codes,
                         Stats* stats) const {
  const Tables& t = *tables_;
  invariant(!codes || !t.code_of.empty(), "the automaton has codes");
  const u64 words = (rows.count + 63) / 64;
  if (t.answer != Tables::per_row || rows.count == 0) {
    for (u64 w = 0; w < words; w++) hits[w] = t.answer == Tables::all ? (active ? active[w] : ~u64(0)) : 0;
    if (rows.count % 64 != 0) hits[words - 1] &= (u64(1) << rows.count % 64) - 1;
    for (u64 row = 0; codes && row < rows.count; row++) {
      if (hits[row / 64] >> row % 64 & 1) codes[row] = t.code_of[t.start];
    }
    return t.target;
  }

  std::vector<u64> copy;  // hits are written while rows are still taken
  if (active == hits) {
    copy.assign(active, active + words);
    active = copy.data();
  }
  std::memset(hits, 0, words * sizeof(u64));
  static const u8 kNoBytes[64] = {};
  StringRows readable = rows;
  if (!readable.bytes) readable.bytes = kNoBytes;
  const RowJob job{readable, active, hits, codes, t.code_of.data(), t.scale, stats, t.options.refill_below};
  if (t.form == Form::packed) {
    switch (t.target) {
#if defined(__x86_64__)
      case Target::avx2:
        return match_avx2(t.packed, job);
      case Target::avx512:
        return match_avx512(t.packed, job);
#elif defined(__aarch64__)
      case Target::neon:
        return match_neon(t.packed, job);
#endif
      default:
        return match_emulated(t.packed, job);
    }
  }
  switch (t.target) {
    case Target::branching:
      return match_branching(t.core, job);
    case Target::scalar:
      return match_scalar(t.core, job);
    case Target::interleaved:
      return match_interleaved(t.core, job, t.options.width);
    default:
      return match_emulated(t.core, job);
  }
}

}  // namespace lanewise::lanes
