#include "lanes/search/find_set.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "lanes/byte_frequency.h"
#include "lanes/search/find_search.h"
#include "lanes/tables/kind_sets.h"

namespace lanewise::lanes {
namespace {

/// The window in which all sequences are compared: `size` positions from `first` on.
struct Window {
  u64 first = 0;
  u32 size = 0;
  double candidates = 1e9;  // expected per byte of text
};

double share(const std::bitset<256>& bytes) {
  double sum = 0;
  for (size_t byte = bytes._Find_first(); byte < 256; byte = bytes._Find_next(byte))
    sum += byte_frequency(u8(byte));
  return std::min(sum, 1.0);
}

/// For each position the fraction of bytes that match by chance. Bytes of one class occur in runs: after one
/// of them another one is more likely.
std::vector<double> shares(const Sequence& sequence) {
  std::vector<double> all;
  for (u64 i = 0; i < sequence.size(); i++) {
    const bool goes_on = i > 0 && sequence[i] == sequence[i - 1] && sequence[i].count() > 1;
    all.push_back(goes_on ? std::sqrt(share(sequence[i])) : share(sequence[i]));
  }
  return all;
}

u64 shortest_of(std::span<const Sequence> sequences) {
  return std::ranges::min(sequences, {}, &Sequence::size).size();
}

/// The cheapest window: another position costs time everywhere, candidates only where they occur.
Window best_window(std::span<const Sequence> sequences) {
  constexpr double kPlace = 0.01, kCandidate = 6;  // nanoseconds
  const u64 shortest = shortest_of(sequences);
  std::vector<std::vector<double>> fits;
  for (const Sequence& sequence : sequences) fits.push_back(shares(sequence));
  Window best;
  double least = 1e9;
  for (u32 size = 1; size <= std::min<u64>(shortest, Fingerprint::kLongest); size++) {
    for (u64 first = 0; first + size <= shortest; first++) {
      double candidates = 0;
      for (const auto& fit : fits) {
        candidates +=
            std::accumulate(fit.begin() + first, fit.begin() + first + size, 1.0, std::multiplies<>());
      }
      const double cost = kPlace * size + kCandidate * candidates;
      if (cost < least) least = cost, best = {first, size, candidates};
    }
  }
  return best;
}

/// Assigns consecutive bytes, by their values within the window, to up to eight kinds.
Fingerprint make_fingerprint(std::span<const Sequence> sequences) {
  constexpr u64 kKinds = 8;
  const Window window = best_window(sequences);
  Fingerprint made{};
  made.first_at = window.first;
  made.size = window.size;
  if (window.size == 1) {
    std::bitset<256> all;
    for (const Sequence& sequence : sequences) all |= sequence[window.first];
    made.kinds[0] = kinds_of_set(all);
  } else {
    std::vector<u64> order(sequences.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](u64 s) {
      std::array<size_t, Fingerprint::kLongest> first_bytes{};
      for (u32 i = 0; i < window.size; i++) first_bytes[i] = sequences[s][window.first + i]._Find_first();
      return first_bytes;
    };
    std::ranges::sort(order, {}, key);
    for (u64 i = 0; i < order.size(); i++) {
      const u8 kind = u8(1 << i * std::min(kKinds, order.size()) / order.size());
      for (u32 place = 0; place < window.size; place++) {
        for (u32 byte = 0; byte < 256; byte++) {
          if (sequences[order[i]][window.first + place][byte]) made.kinds[place].of_byte[byte] |= kind;
        }
      }
    }
    for (KindTable& kinds : made.kinds) kinds.finish();
  }
  return made;
}

}  // namespace

class SequenceNeedle {
 public:
  SequenceNeedle(const Scans& scans, const SequenceFinder& finder) : scans_(scans), finder_(finder) {}

  u64 shortest() const { return finder_.shortest_; }
  u64 scan(const u8* at, u64 blocks, const u8*, u64* masks) const {
    return scans_.fingerprint(at, blocks, finder_.fingerprint_, masks);
  }
  bool exact() const { return false; }
  u64 size_at(const u8* at) const { return size_at(at, finder_.longest_); }
  /// The size for members of up to `most` bytes.
  u64 size_at(const u8* at, u64 most) const {
    u64 open = finder_.all_;
    for (u64 i = 0; i < most; i++) {
      open &= finder_.takes_[i][at[i]];
      if (open & finder_.ends_[i]) return i + 1;
      if (!open) return 0;
    }
    return 0;
  }

 private:
  const Scans& scans_;
  const SequenceFinder& finder_;
};

SequenceFinder::SequenceFinder(Target target, std::span<const Sequence> sequences)
    : target_(target), shortest_(shortest_of(sequences)), longest_(0), all_(0) {
  invariant(supported(target), "a sequence finder's target is supported");
  for (const Sequence& sequence : sequences) longest_ = std::max<u64>(longest_, sequence.size());
  invariant(sequences.size() <= kMost && shortest_ > 0 && longest_ <= kLongest,
            "sequences are few, and neither empty nor long");
  takes_.resize(longest_);
  ends_.resize(longest_);
  for (u64 s = 0; s < sequences.size(); s++) {
    const u64 bit = u64(1) << s;
    all_ |= bit;
    ends_[sequences[s].size() - 1] |= bit;
    for (u64 i = 0; i < sequences[s].size(); i++) {
      for (u32 byte = 0; byte < 256; byte++) {
        if (sequences[s][i][byte]) takes_[i][byte] |= bit;
      }
    }
  }
  fingerprint_ = make_fingerprint(sequences);
}

Target SequenceFinder::match(const StringRows& rows, const u64* active, u64* hits, u64* candidates) const {
  const Scans& scans = scans_of(target_);
  const u64 compared = find_rows(SequenceNeedle(scans, *this), rows, active, hits);
  if (candidates) *candidates += compared;
  return scans.target;
}

Target SequenceFinder::match_lines(const u8* text, u64 size, std::vector<Line>& lines) const {
  const Scans& scans = scans_of(target_);
  find_lines(SequenceNeedle(scans, *this), text, size, lines);
  return scans.target;
}

bool SequenceFinder::in(const u8* text, u64 size) const {
  const SequenceNeedle needle(scans_of(target_), *this);
  for (u64 at = 0; at < size; at++) {
    if (needle.size_at(text + at, std::min(size - at, longest_))) return true;
  }
  return false;
}

double expected_candidates(std::span<const Sequence> sequences) { return best_window(sequences).candidates; }

}  // namespace lanewise::lanes
