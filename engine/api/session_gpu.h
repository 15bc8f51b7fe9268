#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/rows_on_device.h"
#include "base/memory.h"
#include "gpu/driver.h"
#include "ops/gpu/device/accelerator.h"
#include "ops/run/options.h"
#include "ops/work/costs.h"

namespace lanewise {

/// A GPU of a session: found and opened on demand, with the results that are still in its memory.
class SessionGpu {
 public:
  /// The budget is the host's.
  SessionGpu(ops::Place place, MemoryBudget& budget) : place_(place), budget_(budget) {}
  SessionGpu(const SessionGpu&) = delete;
  /// Results that are still on the GPU leave it.
  ~SessionGpu();

  /// Opens it, at the first call. Throws UserError; later calls return null.
  ops::Accelerator* open(ops::Accelerator::Options options);
  /// Finds it through the driver, without opening it.
  void look();
  /// Why there is none; empty: there may be one.
  const std::string& missing() const { return missing_; }
  ops::DeviceView view(const std::optional<ops::PlacementCosts>& measured) const;
  void forget(const std::string& source);
  std::shared_ptr<RowsOnDevice> keep_rows(std::shared_ptr<const arrow::DeviceRecords> rows,
                                          const Schema& schema);

 private:
  size_t reclaim_results(size_t bytes);

  const ops::Place place_;
  MemoryBudget& budget_;
  std::unique_ptr<ops::Accelerator> accelerator_;
  std::optional<gpu::Properties> properties_;  // if it was looked for
  std::string missing_;
  std::mutex kept_mutex_;
  std::vector<std::weak_ptr<RowsOnDevice>> kept_;  // results in its memory
  std::optional<Reclaimer> reclaimer_;             // of them
};

}  // namespace lanewise
