#include "ops/scan/gpu/batch_feed.h"

#include <gtest/gtest.h>

#include <future>

#include "base/error.h"
#include "gpu/error.h"
#include "gpu/testing/fake_driver.h"

/// Batches on the stand-in for the driver, whose memory is the host's.
namespace lanewise::ops {
namespace batch_feed_test {

constexpr int64_t kRows = 1000;

class BatchFeedTest : public testing::Test {
 protected:
  static FakeCuda& fresh() { return gpu::fake_cuda() = FakeCuda(); }

  FakeCuda& fake_ = fresh();
  gpu::Driver driver_{gpu::fake_library("fake")};
  gpu::Device& device_ = driver_.device(0);
  gpu::Stream kernels_{device_}, copies_{device_};
  gpu::Staging staging_{device_, {.chunk = 4096, .threads = 2}};

  /// A column of the numbers [0, 10 * kRows).
  const ColumnPtr all_ = [] {
    ColumnBuilder builder(TypeId::kInt64);
    for (int64_t i = 0; i < 10 * kRows; ++i) builder.append_physical(i);
    return builder.finish();
  }();

  BatchFeed::Load load_into(gpu::DevicePool& pool) {
    return [this, &pool](int64_t first, int64_t rows) {
      const ColumnPiece piece{all_, first, rows};
      DeviceColumn column = to_device(TypeId::kInt64, {&piece, 1}, {pool, staging_, copies_, nullptr});
      return BatchFeed::Columns{std::make_shared<const DeviceColumn>(std::move(column))};
    };
  }
  static int64_t first_of(const BatchFeed& feed) {
    return *reinterpret_cast<const int64_t*>(feed.columns()[0]->values.address());
  }
  /// All batches, each loaded while the one before is read.
  void feed_all(gpu::DevicePool& pool) {
    BatchFeed feed(load_into(pool), copies_, kernels_);
    for (int64_t first = 0; first < 10 * kRows; first += kRows) {
      feed.next(first, kRows);
      if (first + kRows < 10 * kRows) feed.ask(first + kRows, kRows);
      ASSERT_EQ(feed.columns()[0]->rows, kRows);
      ASSERT_EQ(first_of(feed), first);
    }
  }
};

TEST_F(BatchFeedTest, BatchesComeInTheirOrder) {
  gpu::DevicePool pool(device_);
  feed_all(pool);
  EXPECT_EQ(pool.budget().used(), 0u);
}

TEST_F(BatchFeedTest, ABatchComesBesideTheOneBefore) {
  gpu::DevicePool pool(device_);
  std::promise<void> loaded;
  BatchFeed feed(
      [&](int64_t first, int64_t rows) {
        BatchFeed::Columns columns = load_into(pool)(first, rows);
        if (first != 0) loaded.set_value();
        return columns;
      },
      copies_, kernels_);
  feed.next(0, kRows);
  feed.ask(kRows, kRows);
  loaded.get_future().wait();
  EXPECT_EQ(first_of(feed), 0);
  EXPECT_GT(pool.budget().used(), 2 * kRows * sizeof(int64_t));
  feed.next(kRows, kRows);
  EXPECT_EQ(first_of(feed), kRows);
}

TEST_F(BatchFeedTest, WithoutRoomForTwoTheyComeOneByOne) {
  gpu::DevicePool pool(device_, 12 * kRows);
  feed_all(pool);
  EXPECT_EQ(pool.budget().used(), 0u);
}

TEST_F(BatchFeedTest, WhatWasAskedForIsDroppedWhereOtherRowsAreWanted) {
  gpu::DevicePool pool(device_);
  BatchFeed feed(load_into(pool), copies_, kernels_);
  EXPECT_FALSE(feed.forget());
  feed.ask(0, kRows);
  feed.next(3 * kRows, 64);
  EXPECT_EQ(first_of(feed), 3 * kRows);
  EXPECT_FALSE(feed.forget());
  feed.ask(0, 64);
  EXPECT_TRUE(feed.forget());
  feed.end();
  EXPECT_EQ(pool.budget().used(), 0u);
}

TEST_F(BatchFeedTest, ErrorsOfLoadingAreThose) {
  BatchFeed feed([](int64_t, int64_t) -> BatchFeed::Columns { throw CancelledError(); }, copies_, kernels_);
  feed.ask(0, 64);
  EXPECT_THROW(feed.next(0, 64), CancelledError);
  EXPECT_THROW(feed.next(0, 64), CancelledError);
  gpu::DevicePool pool(device_, 64);
  BatchFeed none(load_into(pool), copies_, kernels_);
  none.ask(0, 64);
  EXPECT_THROW(none.next(0, 64), MemoryError);
}

TEST_F(BatchFeedTest, WhicheverCallFailsNothingLeaks) {
  gpu::DevicePool pool(device_);
  feed_all(pool);
  const long live = fake_.live;
  fake_.calls = 0;
  feed_all(pool);
  const auto calls = static_cast<int>(fake_.calls);
  ASSERT_GT(calls, 50);
  for (int nth = 1; nth <= calls; nth += 3) {
    fake_.fail_in = nth;
    fake_.fail_with = 801;
    try {
      feed_all(pool);
    } catch (const gpu::DeviceError&) {  // or the call was one whose outcome does not count
    }
    fake_.fail_in = 0;
    EXPECT_EQ(fake_.live, live) << "call " << nth;
    EXPECT_EQ(pool.budget().used(), 0u) << "call " << nth;
  }
  feed_all(pool);
}

TEST_F(BatchFeedTest, AFaultLosesTheDeviceAndNothingElse) {
  gpu::DevicePool pool(device_);
  fake_.fail_in = 30;
  fake_.fail_with = 719;
  EXPECT_ANY_THROW(feed_all(pool));
  EXPECT_TRUE(device_.lost());
  EXPECT_THROW(feed_all(pool), gpu::DeviceError);
}

}  // namespace batch_feed_test
}  // namespace lanewise::ops
