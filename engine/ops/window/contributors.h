#pragma once

#include <optional>

#include "ops/window/frames/frames.h"

namespace lanewise::ops {

/// The rows of a frame that an aggregate uses: those that pass its FILTER and, with DISTINCT, are the first
/// in the frame with their arguments.
class Contributors {
 public:
  /// Examines all rows once.
  void find(const plan::AggregateCall& call, const WindowRows& rows, EvalContext& context);

  bool all() const { return !passes_ && !previous_; }
  bool passes_filter(uint32_t row) const { return !passes_ || bits::test(passes_->as<uint64_t>(), row); }
  bool distinct() const { return previous_.has_value(); }
  /// Whether the aggregate uses `row`, one of the frame's.
  bool takes(uint32_t row, const FrameRows& frame) const {
    return passes_filter(row) && (!previous_ || !has_earlier(row, frame));
  }

 private:
  bool has_earlier(uint32_t row, const FrameRows& frame) const;

  std::optional<Buffer> passes_;                     // a bitmap
  std::optional<BufferBuilder<uint32_t>> previous_;  // the previous row with the same arguments, or kNoRow
};

}  // namespace lanewise::ops
