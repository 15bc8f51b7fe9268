#include "api/session_gpu.h"

#include <utility>

#include "base/error.h"
#include "gpu/error.h"
#include "gpu/modules/compiler.h"

namespace lanewise {

SessionGpu::~SessionGpu() {
  reclaimer_.reset();
  for (const std::weak_ptr<RowsOnDevice>& each : kept_)
    if (const auto rows = each.lock()) rows->end();
}

ops::Accelerator* SessionGpu::open(ops::Accelerator::Options options) {
  if (accelerator_ || !missing_.empty()) return accelerator_.get();
  options.ordinal = place_.gpu;
  try {
    accelerator_ = std::make_unique<ops::Accelerator>(options);
    properties_ = accelerator_->device.properties();
    reclaimer_.emplace(
        accelerator_->pool.budget().add_reclaimer([this](size_t bytes) { return reclaim_results(bytes); }));
  } catch (const UserError& error) {  // a DeviceError or a MemoryError
    missing_ = error.what();
    throw;
  }
  return accelerator_.get();
}

void SessionGpu::look() {
  if (properties_ || !missing_.empty()) return;
  try {
    const gpu::Driver& driver = gpu::Driver::system();
    gpu::Compiler::system();  // without it a GPU is useless
    properties_ = driver.properties(place_.gpu);
  } catch (const gpu::DeviceError& error) {
    missing_ = error.what();
  }
}

ops::DeviceView SessionGpu::view(const std::optional<ops::PlacementCosts>& measured) const {
  const bool is_measured = measured && (!properties_ || properties_->name == measured->device.name);
  ops::DeviceView view{.place = place_, .opened = accelerator_.get(), .missing = missing_};
  if (properties_) view.architecture = properties_->architecture();
  if (accelerator_ && accelerator_->device.lost()) view.missing = "the GPU is lost to this process";
  view.costs =
      is_measured ? measured->device : ops::usual_device_costs(properties_.value_or(gpu::Properties()));
  return view;
}

void SessionGpu::forget(const std::string& source) {
  if (accelerator_) accelerator_->store.forget(source);
}

std::shared_ptr<RowsOnDevice> SessionGpu::keep_rows(std::shared_ptr<const arrow::DeviceRecords> rows,
                                                    const Schema& schema) {
  auto made = std::make_shared<RowsOnDevice>(std::move(rows), schema, accelerator_->staging, budget_);
  const std::lock_guard lock(kept_mutex_);
  std::erase_if(kept_, [](const std::weak_ptr<RowsOnDevice>& each) { return each.expired(); });
  kept_.push_back(made);
  return made;
}

/// Frees up to so many bytes of results in the GPU's memory.
size_t SessionGpu::reclaim_results(size_t bytes) {
  const std::lock_guard lock(kept_mutex_);
  size_t freed = 0;
  for (const std::weak_ptr<RowsOnDevice>& each : kept_) {
    if (freed >= bytes) break;
    const auto rows = each.lock();
    if (rows == nullptr) continue;
    try {
      freed += rows->leave_device();
    } catch (const std::exception&) {  // the host has no room: they stay
      continue;
    }
  }
  return freed;
}

}  // namespace lanewise
