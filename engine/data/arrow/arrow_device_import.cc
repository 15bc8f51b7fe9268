#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/arrow/arrow_buffers.h"
#include "data/arrow/arrow_device.h"
#include "data/arrow/arrow_device_column.h"
#include "data/arrow/arrow_stream.h"
#include "data/gpu/device_rows.h"
#include "data/table_source.h"
#include "gpu/modules/kernels.h"
#include "gpu/staging.h"

namespace lanewise::arrow {

namespace {

std::string name_of(ArrowDeviceType type) {
  static constexpr std::pair<ArrowDeviceType, const char*> kNames[] = {
      {ARROW_DEVICE_CPU, "CPU"},
      {ARROW_DEVICE_CUDA, "CUDA"},
      {ARROW_DEVICE_CUDA_HOST, "pinned CUDA"},
      {ARROW_DEVICE_OPENCL, "OpenCL"},
      {ARROW_DEVICE_VULKAN, "Vulkan"},
      {ARROW_DEVICE_METAL, "Metal"},
      {ARROW_DEVICE_VPI, "VPI"},
      {ARROW_DEVICE_ROCM, "ROCm"},
      {ARROW_DEVICE_ROCM_HOST, "pinned ROCm"},
      {ARROW_DEVICE_EXT_DEV, "extension"},
      {ARROW_DEVICE_CUDA_MANAGED, "managed CUDA"},
      {ARROW_DEVICE_ONEAPI, "oneAPI"},
      {ARROW_DEVICE_WEBGPU, "WebGPU"},
      {ARROW_DEVICE_HEXAGON, "Hexagon"},
  };
  for (const auto& [known, name] : kNames) {
    if (known == type) return name;
  }
  return "unknown";
}

/// Bytes copied between two checks for cancellation.
constexpr size_t kPiece = size_t{1} << 28;

/// Whether the buffer may be the lengths of a view's buffers, which producers keep in host memory.
bool may_be_lengths(const ArrowSchema& field, int64_t index) {
  return index >= 2 && form_of(field).layout == Layout::kViews;
}

/// A schema and arrays that we own; released when they are no longer read.
struct Taken {
  Taken(ArrowSchema* from, std::span<ArrowDeviceArray> all) : schema(*from), arrays(all.begin(), all.end()) {
    from->release = nullptr;
    for (ArrowDeviceArray& array : all) array.array.release = nullptr;
  }
  ~Taken() {
    // Work that reads them may still be running.
    if (device != nullptr) device->release(&gpu::cuda::Calls::context_synchronize);
    for (ArrowDeviceArray& array : arrays) {
      if (array.array.release != nullptr) array.array.release(&array.array);
    }
    if (schema.release != nullptr) schema.release(&schema);
  }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;

  ArrowSchema schema;
  std::vector<ArrowDeviceArray> arrays;
  gpu::Device* device = nullptr;  // the device that holds them
};

/// Arrays in device memory.
class DeviceSource : public Source, public DeviceRows {
 public:
  DeviceSource(std::string name, std::shared_ptr<Taken> taken)
      : name_(std::move(name)), schema_(import_schema(taken->schema)), taken_(std::move(taken)) {
    for (const ArrowDeviceArray& array : taken_->arrays) {
      check(array.array);
      rows_ += array.array.length;
    }
  }

  std::string name() const override { return name_; }
  const Schema& schema() const override { return schema_; }
  std::string identity() const override { return identity_; }
  int64_t estimated_rows() const override { return rows_; }
  std::unique_ptr<Scan> scan(const std::vector<size_t>& columns, BatchSize, MemoryBudget* budget,
                             const Cancellation* cancellation) const override {
    return scan_table(download(columns, budget, cancellation));
  }
  const DeviceRows* device_rows() const override { return this; }

  int device() const override { return taken_->device->ordinal(); }
  int64_t rows() const override { return rows_; }
  bool has(size_t column) const override { return is_made_on_device(*taken_->schema.children[column]); }

  size_t converted_bytes(size_t column) const override {
    const ArrowSchema& field = *taken_->schema.children[column];
    size_t each = converted_width(field);
    if (each == 0 && taken_->arrays.size() != 1) {  // they are concatenated; for strings this is an estimate
      const Type type = schema_[column].type;
      each = type.is_string() ? 32 : width(type.physical());
    }
    return static_cast<size_t>(rows_) * each;
  }

  DeviceColumn column(size_t column, int64_t first, int64_t rows, const DeviceUpload& upload) const override {
    std::vector<DevicePart> parts;
    int64_t begin = 0;  // offset in the array
    for (const ArrowDeviceArray& each : taken_->arrays) {
      const ArrowArray& array = each.array;
      const int64_t from = std::max(first, begin), to = std::min(first + rows, begin + array.length);
      const ArrowArray& child = *array.children[column];
      if (from < to) parts.push_back({&child, child.offset + array.offset + from - begin, to - from});
      begin += array.length;
    }
    return make_column(
        *taken_->schema.children[column], parts, taken_, [this]() -> const gpu::Module& { return kernels(); },
        upload);
  }

 private:
  void check(const ArrowArray& array) const {
    const ArrowSchema& schema = taken_->schema;
    check_size(schema, array);
    if (array.n_children != schema.n_children) refuse(schema, "the array has another number of columns");
    if (array.null_count != 0 && array.n_buffers > 0 && array.buffers[0] != nullptr) {
      refuse(schema, "rows that are NULL as a whole are not supported");
    }
    for (int64_t i = 0; i < array.n_children; ++i) {
      const ArrowArray& child = *array.children[i];
      const ArrowSchema& field = *schema.children[i];
      check_size(field, child);
      if (child.length < array.offset + array.length) refuse(field, "the column is too short");
      if (array.length == 0) continue;
      // Buffers needed for rows; the bytes of strings may be absent. The reader checks them all.
      for (int64_t buffer = child.null_count == 0 ? 1 : 0; buffer < std::min<int64_t>(2, child.n_buffers);
           ++buffer) {
        if (child.buffers[buffer] != nullptr)
          check_memory(*taken_->device, field, buffer, child.buffers[buffer], 0);
      }
    }
  }

  /// Prevents overflow in sizes.
  static void check_size(const ArrowSchema& field, const ArrowArray& array) {
    constexpr int64_t kMost = INT64_MAX / 128;
    if (array.length < 0 || array.offset < 0 || array.length > kMost || array.offset > kMost)
      refuse(field, "its length or offset is not a number of rows");
  }

  const gpu::Module& kernels() const {
    const std::lock_guard lock(mutex_);
    if (!kernels_) {
      kernels_.emplace(
          gpu::build(*taken_->device, {.name = "arrow.cu", .text = std::string(border_kernels())}).module);
    }
    return *kernels_;
  }

  /// The columns' copy in host memory.
  Table download(const std::vector<size_t>& columns, MemoryBudget* budget,
                 const Cancellation* cancellation) const {
    gpu::Device& device = *taken_->device;
    gpu::Stream stream(device);
    gpu::Staging staging(device, {.budget = budget});
    ArrowSchema schema = taken_->schema;
    std::vector<ArrowSchema*> fields;
    for (const size_t column : columns) fields.push_back(schema.children[column]);
    schema.children = fields.data();
    schema.n_children = static_cast<int64_t>(fields.size());

    Table table;
    table.schema = import_schema(schema);
    for (const ArrowDeviceArray& each : taken_->arrays) {
      if (cancellation != nullptr) cancellation->check();
      std::vector<ArrowArray*> children;
      for (const size_t column : columns) children.push_back(each.array.children[column]);
      ArrowArray array = each.array;
      array.children = children.data();
      array.n_children = schema.n_children;
      const auto held = std::make_shared<std::vector<Buffer>>();
      ArrowArray copy = copy_array(
          schema, array, Readable::kCopy,
          [&](const ArrowSchema& field, int64_t index, const void* from, size_t bytes) -> const void* {
            const auto address = reinterpret_cast<gpu::cuda::Address>(from);
            if (may_be_lengths(field, index) && !gpu::find_allocation(device, address).known) return from;
            check_memory(device, field, index, from, bytes);
            held->push_back(Buffer::allocate(bytes, budget, "Arrow import"));
            for (size_t at = 0; at < bytes; at += kPiece) {
              if (cancellation != nullptr) cancellation->check();
              staging.download(held->back().mutable_data() + at, address + at, std::min(kPiece, bytes - at),
                               stream);
            }
            return held->back().data();
          },
          held);
      for (Batch& batch : import_array(schema, &copy, budget)) table.batches.push_back(std::move(batch));
    }
    return table;
  }

  const std::string name_;
  const std::string identity_ = new_identity();
  const Schema schema_;
  const std::shared_ptr<Taken> taken_;
  int64_t rows_ = 0;
  mutable std::mutex mutex_;
  mutable std::optional<gpu::Module> kernels_;
};

/// Waits until the producer's work is done.
void await(const ArrowDeviceArray& array, const OpenDevice& open) {
  if (array.sync_event == nullptr || array.device_type == ARROW_DEVICE_CPU) return;
  open(array.device_id)
      .run(&gpu::cuda::Calls::event_synchronize, *static_cast<gpu::cuda::Event*>(array.sync_event));
}

}  // namespace

std::shared_ptr<const Source> import_device_arrays(std::string name, ArrowSchema* schema,
                                                   std::span<ArrowDeviceArray> arrays, const OpenDevice& open,
                                                   MemoryBudget* budget) {
  const auto taken = std::make_shared<Taken>(schema, arrays);
  Table table{import_schema(taken->schema), {}};
  const auto on_device = [](const ArrowDeviceArray& array) {
    return array.device_type == ARROW_DEVICE_CUDA || array.device_type == ARROW_DEVICE_CUDA_MANAGED;
  };
  for (const ArrowDeviceArray& array : taken->arrays) {
    if (!on_device(array) && array.device_type != ARROW_DEVICE_CPU &&
        array.device_type != ARROW_DEVICE_CUDA_HOST) {
      throw UserError(
          fmt::format("Arrow device array: memory of the type {} ({}) is not supported; CUDA, managed CUDA, "
                      "pinned CUDA and "
                      "CPU are",
                      name_of(array.device_type), array.device_type));
    }
    const ArrowDeviceArray& first = taken->arrays.front();
    if (on_device(array) != on_device(first) || (on_device(array) && array.device_id != first.device_id)) {
      throw UserError(fmt::format(
          "the Arrow device arrays of one table must be on one device, not on {} {} and {} {}",
          name_of(first.device_type), first.device_id, name_of(array.device_type), array.device_id));
    }
    await(array, open);
  }
  if (!taken->arrays.empty() && on_device(taken->arrays.front())) {
    taken->device = &open(taken->arrays.front().device_id);
    return std::make_shared<DeviceSource>(std::move(name), taken);
  }
  for (ArrowDeviceArray& array : taken->arrays) {
    for (Batch& batch : import_array(taken->schema, &array.array, budget)) {
      table.batches.push_back(std::move(batch));
    }
  }
  return table_source(std::move(name), std::move(table));
}

std::shared_ptr<const Source> import_device_stream(std::string name, ArrowDeviceArrayStream* stream,
                                                   const OpenDevice& open, MemoryBudget* budget) {
  const std::unique_ptr<ArrowDeviceArrayStream, void (*)(ArrowDeviceArrayStream*)> released(
      stream, [](ArrowDeviceArrayStream* held) {
        if (held->release != nullptr) held->release(held);
      });
  const auto check = [&](int code) { check_stream(*stream, code, "Arrow device stream: "); };
  ArrowSchema schema{};
  check(stream->get_schema(stream, &schema));
  std::vector<ArrowDeviceArray> arrays;
  const std::shared_ptr<void> undo(nullptr, [&](void*) {  // releases it after a failure
    for (ArrowDeviceArray& array : arrays) {
      if (array.array.release != nullptr) array.array.release(&array.array);
    }
    if (schema.release != nullptr) schema.release(&schema);
  });
  for (;;) {
    ArrowDeviceArray array{};
    check(stream->get_next(stream, &array));
    if (array.array.release == nullptr) break;
    arrays.push_back(array);
  }
  return import_device_arrays(std::move(name), &schema, arrays, open, budget);
}

}  // namespace lanewise::arrow
