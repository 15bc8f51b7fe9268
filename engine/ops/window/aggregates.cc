#include <algorithm>
#include <optional>

#include "ops/gather.h"
#include "ops/take.h"
#include "ops/window/function.h"
#include "ops/window/segment_tree.h"

namespace lanewise::ops {

namespace {

constexpr uint32_t kCopiedRows = 2048;  // results copied at a time

/// Every frame is the whole partition: partitions are groups.
class OfPartitions : public WindowFunction {
 public:
  explicit OfPartitions(const plan::AggregateCall& call) : accumulation_(call) {}

  void prepare(const WindowRows& rows, EvalContext& context) override {
    Contributors contributors;
    contributors.find(accumulation_.call(), rows, context);
    const auto partitions = static_cast<uint32_t>(rows.partitions.size() - 1);
    groups_ = accumulation_.make(partitions, context.budget);
    RowFeed feed(accumulation_, *groups_, rows, 0, context);
    for (uint32_t p = 0; p < partitions; ++p) {
      const FrameRows partition{{{{rows.partitions[p], rows.partitions[p + 1]}, {}, {}}}};
      partition.for_each([&](uint32_t row) {
        if (contributors.takes(row, partition)) feed.push(row, p);
      });
    }
    feed.flush();
    groups_->seal();
  }

  ColumnPtr evaluate(const WindowRows& rows, uint32_t first, uint32_t count,
                     EvalContext& context) const override {
    WindowCursor cursor(rows, first);
    const auto first_partition = static_cast<uint32_t>(cursor.partition());
    std::vector<uint32_t> partitions(count);
    for (uint32_t i = 0; i < count; ++i, cursor.advance())
      partitions[i] = static_cast<uint32_t>(cursor.partition()) - first_partition;
    const ColumnPtr results = groups_->finish(first_partition, partitions.back() + 1, context.cancellation);
    Gather gather(accumulation_.call().type, context.budget, kWindow);
    Arena arena(context.budget, kWindow);
    for (uint32_t done = 0; done < count; done += kCopiedRows) {
      arena.reset();
      const ActiveSet all(std::min(kCopiedRows, count - done), arena);
      gather.append(take(*results, partitions.data() + done, all), all);
    }
    return gather.finish();
  }

 private:
  const Accumulation accumulation_;
  std::unique_ptr<Accumulator> groups_;
};

/// Each row has a frame of its own.
class OfFrames : public WindowFunction {
 public:
  OfFrames(const plan::AggregateCall& call, Frames frames)
      : accumulation_(call), frames_(std::move(frames)) {}

  void prepare(const WindowRows& rows, EvalContext& context) override {
    contributors_.find(accumulation_.call(), rows, context);
    if (!contributors_.distinct() && !frames_.excludes())
      tree_.emplace(accumulation_, contributors_, rows, context);
  }

  ColumnPtr evaluate(const WindowRows& rows, uint32_t first, uint32_t count,
                     EvalContext& context) const override {
    const std::vector<FrameRows> frames = frames_.of(rows, first, count, *context.arena);
    const auto groups = accumulation_.make(count, context.budget);
    if (tree_) {
      std::vector<FrameRows::Piece> pieces;
      for (const FrameRows& frame : frames) pieces.push_back(frame.pieces[0]);
      tree_->add(pieces, *groups, context);
    } else {
      RowFeed feed(accumulation_, *groups, rows, 0, context);
      for (uint32_t i = 0; i < count; ++i) {
        frames[i].for_each([&](uint32_t row) {
          if (contributors_.takes(row, frames[i])) feed.push(row, i);
        });
      }
      feed.flush();
    }
    groups->seal();
    return groups->finish(0, count, context.cancellation);
  }

 private:
  const Accumulation accumulation_;
  const Frames frames_;
  Contributors contributors_;
  std::optional<SegmentTree> tree_;
};

}  // namespace

std::unique_ptr<WindowFunction> make_window_aggregate(const plan::WindowCall& call, Frames frames) {
  if (frames.are_partitions()) return std::make_unique<OfPartitions>(call.call);
  if (auto sums = make_prefix_sums(call.call, frames)) return sums;
  if (auto quantiles = make_quantiles(call.call, frames)) return quantiles;
  return std::make_unique<OfFrames>(call.call, std::move(frames));
}

}  // namespace lanewise::ops
