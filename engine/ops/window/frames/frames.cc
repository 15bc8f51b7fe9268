#include "ops/window/frames/frames.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "data/visit-inl.h"
#include "ops/less.h"

namespace lanewise::ops {

using plan::FrameEnd;
using plan::FrameExclusion;
using plan::FrameUnit;

namespace {

/// `from` moved by `by`, within [low, high].
size_t moved(size_t from, int64_t by, size_t low, size_t high) {
  int64_t to = 0;
  if (__builtin_add_overflow(static_cast<int64_t>(from), by, &to)) return by < 0 ? low : high;
  return static_cast<size_t>(std::clamp(to, static_cast<int64_t>(low), static_cast<int64_t>(high)));
}

const char* word(FrameEnd end) { return end == FrameEnd::kPreceding ? "PRECEDING" : "FOLLOWING"; }

/// The value of `bound` for row `i`, as a distance towards the partition's end.
int64_t step_of(const plan::FrameBound& bound, const Vector& offset, uint32_t i) {
  const int64_t value = offset.as<int64_t>()[offset.constant ? 0 : i];
  if (bound.end == FrameEnd::kFollowing) return value;
  return value == INT64_MIN ? INT64_MAX : -value;
}

}  // namespace

/// Finds values in the order's only key, within the partition that was entered last.
class Frames::Search {
 public:
  Search(const plan::SortKey& key, const WindowRows& rows)
      : key_(*rows.columns[key.expr->column]), descending_(key.descending), nulls_first_(key.nulls_first) {}

  /// The first row whose key is not before the value, or with `after` the first that is after it. The value
  /// must be on the side of the current row that the bound names.
  uint32_t find(const plan::FrameBound& bound, bool after, const WindowCursor& cursor, const Vector& value,
                uint32_t i) {
    enter(cursor);
    return visit(key_.type.physical(), [&](auto zero) -> uint32_t {
      using T = decltype(zero);
      if constexpr (std::is_same_v<T, std::string_view>) {
        throw InternalError("a RANGE over strings");
      } else {
        const T* keys = key_.values.as<T>();
        const T wanted = value.as<T>()[value.constant ? 0 : i];
        const auto before = [&](const T& a, const T& b) { return descending_ ? less(b, a) : less(a, b); };
        const T& current = keys[cursor.row()];
        if (bound.end == FrameEnd::kPreceding ? before(current, wanted) : before(wanted, current))
          throw UserError(fmt::format("Invalid RANGE {} value", word(bound.end)));
        const T* found = after ? std::upper_bound(keys + begin_, keys + end_, wanted, before)
                               : std::lower_bound(keys + begin_, keys + end_, wanted, before);
        return static_cast<uint32_t>(found - keys);
      }
    });
  }
  bool is_null(uint32_t row) const { return key_.is_null(row); }

 private:
  /// The rows of the partition whose key is not NULL.
  void enter(const WindowCursor& cursor) {
    if (partition_ == cursor.partition()) return;
    partition_ = cursor.partition();
    begin_ = cursor.partition_begin();
    end_ = cursor.partition_end();
    if (nulls_first_) {
      while (begin_ < end_ && key_.is_null(begin_)) ++begin_;
    } else {
      while (begin_ < end_ && key_.is_null(end_ - 1)) --end_;
    }
  }

  const Column& key_;
  const bool descending_, nulls_first_;
  size_t partition_ = SIZE_MAX;
  uint32_t begin_ = 0, end_ = 0;
};

uint32_t Frames::bound(const plan::FrameBound& bound, bool is_begin, const WindowCursor& cursor,
                       const WindowRows& rows, const Vector& offset, uint32_t i, Search* search) const {
  const bool by_rows = frame_.unit == FrameUnit::kRows;
  if (bound.end == FrameEnd::kUnbounded) return is_begin ? cursor.partition_begin() : cursor.partition_end();
  if (bound.end == FrameEnd::kCurrentRow) {
    if (by_rows) return cursor.row() + (is_begin ? 0 : 1);
    return is_begin ? cursor.peers_begin() : cursor.peers_end();
  }
  if (by_rows) {
    return static_cast<uint32_t>(moved(cursor.row() + (is_begin ? 0 : 1), step_of(bound, offset, i),
                                       cursor.partition_begin(), cursor.partition_end()));
  }
  const bool no_key = search != nullptr && search->is_null(cursor.row());
  if (offset.is_null(i) || no_key) return is_begin ? cursor.peers_begin() : cursor.peers_end();
  if (search != nullptr) return search->find(bound, !is_begin, cursor, offset, i);
  const int64_t value = offset.as<int64_t>()[offset.constant ? 0 : i];
  if (value < 0) throw UserError(fmt::format("Invalid GROUPS {} value", word(bound.end)));
  const uint32_t* peers = rows.peers.data();
  const uint32_t* last = std::lower_bound(peers, peers + rows.peers.size(), cursor.partition_end());
  const size_t group = cursor.group() + (is_begin ? 0 : 1);
  return peers[moved(group, step_of(bound, offset, i), cursor.first_group(),
                     static_cast<size_t>(last - peers))];
}

FrameRows Frames::excluded(uint32_t begin, uint32_t end, const WindowCursor& cursor) const {
  if (frame_.exclusion == FrameExclusion::kNone || begin == end) return {{{{begin, end}, {}, {}}}};
  const auto within = [&](uint32_t from, uint32_t to) {
    from = std::clamp(from, begin, end);
    return FrameRows::Piece{from, std::max(from, std::clamp(to, begin, end))};
  };
  const uint32_t row = cursor.row();
  if (frame_.exclusion == FrameExclusion::kCurrentRow)
    return {{within(begin, row), within(row + 1, end), {}}};
  FrameRows rest{{within(begin, cursor.peers_begin()), {}, within(cursor.peers_end(), end)}};
  if (frame_.exclusion == FrameExclusion::kTies) rest.pieces[1] = within(row, row + 1);
  return rest;
}

std::vector<FrameRows> Frames::of(const WindowRows& rows, uint32_t first, uint32_t count,
                                  Arena& arena) const {
  const auto offsets = [&](const plan::FrameBound& bound) {
    return bound.offset == nullptr ? Vector() : rows.values(*bound.offset, first, count, arena);
  };
  const Vector begins = offsets(frame_.begin), ends = offsets(frame_.end);
  const bool searches =
      frame_.unit == FrameUnit::kRange && (frame_.begin.offset != nullptr || frame_.end.offset != nullptr);
  std::optional<Search> search;
  if (searches) search.emplace(key_.value(), rows);
  std::vector<FrameRows> frames;
  frames.reserve(count);
  WindowCursor cursor(rows, first);
  for (uint32_t i = 0; i < count; ++i, cursor.advance()) {
    const bool without_offset =
        frame_.unit == FrameUnit::kRows && ((frame_.begin.offset != nullptr && begins.is_null(i)) ||
                                            (frame_.end.offset != nullptr && ends.is_null(i)));
    if (without_offset) {
      frames.emplace_back();
      continue;
    }
    const uint32_t begin = bound(frame_.begin, true, cursor, rows, begins, i, searches ? &*search : nullptr);
    const uint32_t end = bound(frame_.end, false, cursor, rows, ends, i, searches ? &*search : nullptr);
    frames.push_back(excluded(std::min(begin, end), end, cursor));
  }
  return frames;
}

bool Frames::are_partitions() const {
  const auto reaches_all = [&](const plan::FrameBound& bound) {
    const bool peers_are_all = !key_ && frame_.unit != FrameUnit::kRows;
    return bound.end == FrameEnd::kUnbounded || (bound.end == FrameEnd::kCurrentRow && peers_are_all);
  };
  return !excludes() && reaches_all(frame_.begin) && reaches_all(frame_.end);
}

}  // namespace lanewise::ops
