#include <utility>
#include <vector>

#include "data/arrow/arrow_buffers.h"
#include "data/arrow/arrow_device.h"
#include "data/arrow/arrow_stream.h"
#include "gpu/memory.h"
#include "gpu/staging.h"

namespace lanewise::arrow {

namespace {

/// Shared by exported arrays; freed by the last of them.
struct Memory {
  explicit Memory(gpu::Device& device) : stream(device), pool(device) {}
  gpu::Stream stream;
  gpu::DevicePool pool;
};

/// What one of them owns in addition.
struct Buffers {
  std::shared_ptr<Memory> memory;
  std::vector<gpu::DeviceBuffer> buffers;  // destroyed before their pool
};

struct HeldDeviceStream {
  ArrowArrayStream host{};  // source of the schema
  ArrowSchema schema{};
  std::vector<ArrowDeviceArray> arrays;
  size_t next = 0;

  ~HeldDeviceStream() {
    for (ArrowDeviceArray& array : arrays) {
      if (array.array.release != nullptr) array.array.release(&array.array);
    }
    if (schema.release != nullptr) schema.release(&schema);
    if (host.release != nullptr) host.release(&host);
  }
};

HeldDeviceStream& held_device(ArrowDeviceArrayStream* stream) {
  return *static_cast<HeldDeviceStream*>(stream->private_data);
}

}  // namespace

void export_device_stream(const Table& table, gpu::Device& device, ArrowDeviceArrayStream* out,
                          std::function<size_t(size_t bytes)> make_room, MemoryBudget* budget) {
  ArrowArrayStream rows;
  export_stream(table, &rows);
  export_device_stream(&rows, device, out, std::move(make_room), budget);
}

void export_device_stream(ArrowArrayStream* rows, gpu::Device& device, ArrowDeviceArrayStream* out,
                          std::function<size_t(size_t bytes)> make_room, MemoryBudget* budget) {
  *out = {};
  auto made = std::make_unique<HeldDeviceStream>();
  made->host = std::exchange(*rows, {});
  check_stream(made->host, made->host.get_schema(&made->host, &made->schema));
  const auto memory = std::make_shared<Memory>(device);
  const Reclaimer room = make_room ? memory->pool.budget().add_reclaimer(std::move(make_room)) : Reclaimer();
  gpu::Staging staging(device, {.budget = budget});
  for (;;) {
    ArrowArray host{};
    check_stream(made->host, made->host.get_next(&made->host, &host));
    if (host.release == nullptr) break;
    const std::unique_ptr<ArrowArray, void (*)(ArrowArray*)> released(
        &host, [](ArrowArray* array) { array->release(array); });
    const auto buffers = std::make_shared<Buffers>();
    buffers->memory = memory;
    ArrowDeviceArray array{};
    array.device_id = device.ordinal();
    array.device_type = ARROW_DEVICE_CUDA;
    array.array = copy_array(
        made->schema, host, Readable::kFrom,
        [&](const ArrowSchema&, int64_t, const void* from, size_t bytes) -> const void* {
          buffers->buffers.push_back(memory->pool.allocate(bytes, memory->stream, "Arrow export"));
          const gpu::cuda::Address to = buffers->buffers.back().address();
          staging.upload(to, from, bytes, memory->stream);
          memory->stream.fill(to + bytes, 0, kPadding);  // readers of whole words must not read stale bytes
          return reinterpret_cast<const void*>(to);
        },
        buffers);
    made->arrays.push_back(array);
  }
  memory->stream.synchronize();

  out->device_type = ARROW_DEVICE_CUDA;
  out->private_data = made.release();
  out->get_schema = [](ArrowDeviceArrayStream* stream, ArrowSchema* schema) {
    return held_device(stream).host.get_schema(&held_device(stream).host, schema);
  };
  out->get_next = [](ArrowDeviceArrayStream* stream, ArrowDeviceArray* array) {
    HeldDeviceStream& state = held_device(stream);
    *array = {};  // a released array marks the end
    if (state.next < state.arrays.size()) *array = std::exchange(state.arrays[state.next++], {});
    return 0;
  };
  out->get_last_error = [](ArrowDeviceArrayStream* stream) {
    return held_device(stream).host.get_last_error(&held_device(stream).host);
  };
  out->release = [](ArrowDeviceArrayStream* stream) {
    delete static_cast<HeldDeviceStream*>(stream->private_data);
    stream->release = nullptr;
  };
}

}  // namespace lanewise::arrow
