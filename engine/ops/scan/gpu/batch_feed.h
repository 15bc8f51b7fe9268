#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <vector>

#include "gpu/stream.h"
#include "ops/gpu/device/device_store.h"

namespace lanewise::ops {

/// Batches of rows on their way to a device, each loaded while kernels work on the one before.
class BatchFeed {
 public:
  using Columns = std::vector<DeviceStore::ColumnPtr>;
  /// Loads rows [first, first + rows): their memory and copies belong to `copies`. Throws MemoryError.
  using Load = std::function<Columns(int64_t first, int64_t rows)>;

  /// `kernels` is what reads the columns. The same stream twice where nothing is loaded ahead.
  BatchFeed(Load load, gpu::Stream copies, gpu::Stream kernels);
  /// Waits for what is being loaded.
  ~BatchFeed();
  BatchFeed(const BatchFeed&) = delete;
  BatchFeed& operator=(const BatchFeed&) = delete;

  /// Begins to load rows in another thread. Where there is no memory in addition to the current batch, they
  /// are loaded by next().
  void ask(int64_t first, int64_t rows);
  /// Makes these rows the current batch, for the work that `kernels` is given from now on. The batch before
  /// ends, as does the one loaded ahead if it is another. Throws what loading throws.
  void next(int64_t first, int64_t rows);
  /// Releases what was loaded ahead; false: there was nothing.
  bool forget() noexcept;
  /// Ends the current batch: its memory is used again when the kernels launched so far are done.
  void end() noexcept;

  /// Those of the current batch.
  const Columns& columns() const { return columns_; }

 private:
  const Load load_;
  gpu::Stream copies_, kernels_;
  const bool apart_;              // two streams
  gpu::Event event_;              // where one waits for the other
  int64_t first_ = 0, rows_ = 0;  // of what was requested
  std::future<Columns> ahead_;
  Columns columns_;
};

}  // namespace lanewise::ops
