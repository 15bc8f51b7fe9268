#include "data/arrow/arrow_device_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/bits.h"
#include "base/error.h"
#include "data/arrow/arrow_buffers.h"
#include "data/arrow/arrow_stream.h"
#include "data/gpu/arrow-inl.h"

namespace lanewise::arrow {

namespace {

constexpr std::string_view kLeft = "Result";
constexpr uint64_t kMostTextBytes = INT32_MAX;  // of a column with 32-bit offsets

const void* pointer_to(gpu::cuda::Address address) { return reinterpret_cast<const void*>(address); }

bool is_hugeint(Type type) { return type.id == TypeId::kInt128 || type.id == TypeId::kUInt128; }
bool is_narrow_decimal(Type type) {
  return type.id == TypeId::kDecimal && type.physical() == Physical::kInt64;
}

/// The schema of a struct with these columns.
ArrowSchema schema_of(const Schema& schema) {
  ArrowArrayStream none{};
  export_stream(Table{schema, {}}, &none);
  ArrowSchema made{};
  const int code = none.get_schema(&none, &made);
  none.release(&none);
  invariant(code == 0, "a type that devices convert has a format");
  return made;
}

}  // namespace

/// Makes the columns' buffers in Arrow's layout.
class DeviceRecords::Maker {
 public:
  Maker(DeviceRecords& rows, const std::vector<DeviceBatch>& batches, const BorderKernels& kernels,
        const gpu::Stream& stream)
      : rows_(rows), batches_(batches), kernels_(kernels), stream_(stream) {}

  void run(const Schema& schema, gpu::Staging& staging) {
    state_ = zeros(schema.size() * sizeof(border::State));
    std::vector<border::State> states(schema.size());
    for (at_ = 0; at_ < schema.size(); ++at_) {
      Part part;
      part.buffers.push_back(take_validity());
      if (schema[at_].type.is_string()) {
        take_texts(part, staging);
      } else {
        part.buffers.push_back(take_values(schema[at_].type));
      }
      rows_.parts_.push_back(std::move(part));
    }
    // Also when nothing was launched: what others read must be complete.
    staging.download(states.data(), state_.address(), states.size() * sizeof(states[0]), stream_);
    for (size_t i = 0; i < schema.size(); ++i) {
      if (states[i].fault != 0)
        throw DoesNotFit(
            fmt::format("Arrow's decimal128 has 38 digits; a value of '{}' does not fit", schema[i].name));
      rows_.parts_[i].nulls = static_cast<int64_t>(states[i].nulls);
      if (states[i].nulls == 0) rows_.parts_[i].buffers[0] = nullptr;
    }
  }

 private:
  using Address = gpu::cuda::Address;
  bool is_one() const { return batches_.size() == 1; }
  const DeviceColumn& column(const DeviceBatch& batch) const { return *batch.columns[at_]; }
  Address state() const { return state_.address() + at_ * sizeof(border::State); }

  gpu::DeviceBuffer allocate(size_t bytes) { return rows_.pool_->allocate(bytes, stream_, kLeft); }
  gpu::DeviceBuffer zeros(size_t bytes) {
    gpu::DeviceBuffer buffer = allocate(bytes);
    stream_.fill(buffer.address(), 0, bytes);
    return buffer;
  }
  /// Memory of the result.
  Address keep(gpu::DeviceBuffer buffer) {
    rows_.bytes_ += buffer.size();
    rows_.buffers_.push_back(std::move(buffer));
    return rows_.buffers_.back().address();
  }
  /// A column's buffer as it is.
  const void* keep(const DeviceBatch& batch, const gpu::DeviceBuffer& buffer) {
    rows_.bytes_ += buffer.size();
    const auto& column = batch.columns[at_];
    if (rows_.columns_.empty() || rows_.columns_.back() != column) rows_.columns_.push_back(column);
    return pointer_to(buffer.address());
  }
  template <class... Arguments>
  void launch(const char* kernel, uint64_t count, Arguments... arguments) {
    if (count != 0) kernels_().kernel(kernel).launch(stream_, {.blocks = (count + 255) / 256}, arguments...);
  }

  const void* take_validity() {
    const auto has = [&](const DeviceBatch& batch) { return bool(column(batch).validity); };
    if (std::none_of(batches_.begin(), batches_.end(), has)) return nullptr;
    const auto all = static_cast<uint64_t>(rows_.rows_);
    const void* bits = nullptr;
    if (is_one()) {
      bits = keep(batches_[0], column(batches_[0]).validity);
    } else {
      const Address to = keep(zeros(bits::words(all) * sizeof(uint64_t)));
      for_each([&](const DeviceBatch& batch, uint64_t first, uint64_t count) {
        launch("copy_bits", (count + 31) / 32, column(batch).validity.address(), uint64_t{0}, count, to,
               first);
      });
      bits = pointer_to(to);
    }
    launch("count_nulls", (all + 31) / 32, bits, all, state());
    return bits;
  }

  const void* take_values(Type type) {
    const auto all = static_cast<uint64_t>(rows_.rows_);
    if (type.id == TypeId::kBool) {
      const Address to = keep(zeros(bits::words(all) * sizeof(uint64_t)));
      for_each([&](const DeviceBatch& batch, uint64_t first, uint64_t count) {
        launch("pack_bits", (count + 31) / 32, column(batch).values.address(), count, to, first);
      });
      return pointer_to(to);
    }
    if (is_hugeint(type)) {
      for (const DeviceBatch& batch : batches_)
        launch("check_digits", static_cast<uint64_t>(batch.rows), column(batch).values.address(),
               static_cast<uint64_t>(batch.rows), column(batch).validity.address(),
               uint32_t{type.id == TypeId::kInt128}, state());
    }
    const bool widens = is_narrow_decimal(type);
    if (is_one() && !widens) return keep(batches_[0], column(batches_[0]).values);
    const size_t width = widens ? sizeof(int128_t) : lanewise::width(type.physical());
    const Address to = keep(allocate(all * width));
    for_each([&](const DeviceBatch& batch, uint64_t first, uint64_t count) {
      if (widens) {
        launch("change_width", count, column(batch).values.address(), uint32_t{2}, count,
               column(batch).validity.address(), uint64_t{0}, to + first * width, uint32_t{4}, state());
      } else {
        stream_.copy(to + first * width, column(batch).values.address(), count * width);
      }
    });
    return pointer_to(to);
  }

  /// Offsets, which become 32-bit ones, and bytes.
  void take_texts(Part& part, gpu::Staging& staging) {
    std::vector<uint64_t> bytes(batches_.size());
    std::vector<gpu::Download> ends;
    for (size_t i = 0; i < batches_.size(); ++i) {
      const DeviceColumn& from = column(batches_[i]);
      const size_t size = from.wide_offsets ? sizeof(uint64_t) : sizeof(uint32_t);
      ends.push_back({&bytes[i], from.offsets.address() + static_cast<uint64_t>(from.rows) * size, size});
    }
    staging.download(ends, stream_);
    uint64_t total = 0;
    for (const uint64_t each : bytes) total += each;
    if (total > kMostTextBytes) throw DoesNotFit("the strings of a column have more than 2 GiB");
    const auto all = static_cast<uint64_t>(rows_.rows_);
    const Address offsets = keep(allocate((all + 1) * sizeof(uint32_t)));
    Address values = is_one() ? 0 : keep(allocate(total));
    uint64_t first = 0, moved = 0;
    part.buffers.push_back(pointer_to(offsets));
    part.buffers.push_back(is_one() ? keep(batches_[0], column(batches_[0]).values) : pointer_to(values));
    for (size_t i = 0; i < batches_.size(); ++i) {
      const DeviceColumn& from = column(batches_[i]);
      const auto count = static_cast<uint64_t>(from.rows);
      launch("move_offsets", count + 1, from.offsets.address(), uint32_t{from.wide_offsets}, count, moved,
             offsets + first * sizeof(uint32_t), uint32_t{0}, state());
      if (!is_one()) stream_.copy(values + moved, from.values.address(), bytes[i]);
      first += count;
      moved += bytes[i];
    }
  }

  template <class Take>
  void for_each(Take&& take) {
    uint64_t first = 0;
    for (const DeviceBatch& batch : batches_) {
      if (batch.rows != 0) take(batch, first, static_cast<uint64_t>(batch.rows));
      first += static_cast<uint64_t>(batch.rows);
    }
  }

  DeviceRecords& rows_;
  const std::vector<DeviceBatch>& batches_;
  const BorderKernels& kernels_;
  gpu::Stream stream_;
  gpu::DeviceBuffer state_;
  size_t at_ = 0;  // the column
};

bool DeviceRecords::supports(Type type) {
  return !type.is_nested() && type.id != TypeId::kNull && type.id != TypeId::kInterval &&
         type.id != TypeId::kUuid;
}

DeviceRecords::DeviceRecords(const Schema& schema, const std::vector<DeviceBatch>& batches,
                             const BorderKernels& kernels, std::shared_ptr<gpu::DevicePool> pool,
                             const gpu::Stream& stream, gpu::Staging& staging)
    : pool_(std::move(pool)) {
  for (const DeviceBatch& batch : batches) rows_ += batch.rows;
  Maker(*this, batches, kernels, stream).run(schema, staging);
}

DeviceRecords::DeviceRecords(std::shared_ptr<const DeviceRecords> whole, const std::vector<size_t>& columns)
    : pool_(whole->pool_), whole_(std::move(whole)), rows_(whole_->rows_), bytes_(whole_->bytes_) {
  for (const size_t column : columns) parts_.push_back(whole_->parts_[column]);
}

DeviceRecords::~DeviceRecords() {
  // Work of others that reads it may still be running.
  if (shared_) pool_->device().release(&gpu::cuda::Calls::context_synchronize);
}

ArrowArray DeviceRecords::node(const std::shared_ptr<const DeviceRecords>& all, const Part& part,
                               std::vector<ArrowArray> children) {
  struct Held {
    std::shared_ptr<const DeviceRecords> all;
    std::vector<const void*> buffers;
    std::vector<ArrowArray> children;
    std::vector<ArrowArray*> pointers;
  };
  auto* const held = new Held{all, part.buffers, std::move(children), {}};
  for (ArrowArray& child : held->children) held->pointers.push_back(&child);
  ArrowArray array{};
  array.length = all->rows_;
  array.null_count = part.nulls;
  array.n_buffers = static_cast<int64_t>(held->buffers.size());
  array.buffers = held->buffers.data();
  array.n_children = static_cast<int64_t>(held->children.size());
  array.children = held->pointers.data();
  array.private_data = held;
  array.release = [](ArrowArray* released) {
    auto* const own = static_cast<Held*>(released->private_data);
    for (ArrowArray& child : own->children) {
      if (child.release != nullptr) child.release(&child);
    }
    released->release = nullptr;
    delete own;
  };
  return array;
}

ArrowDeviceArray DeviceRecords::array(const std::shared_ptr<const DeviceRecords>& all) {
  all->shared_ = true;
  std::vector<ArrowArray> children;
  for (const Part& part : all->parts_) children.push_back(node(all, part, {}));
  ArrowDeviceArray array{};
  array.device_id = all->device();
  array.device_type = ARROW_DEVICE_CUDA;
  array.array = node(all, {.buffers = {nullptr}}, std::move(children));
  return array;
}

Table DeviceRecords::to_host(const Schema& schema, gpu::Staging& staging, MemoryBudget* budget) const {
  const std::unique_ptr<ArrowSchema, void (*)(ArrowSchema*)> owned(new ArrowSchema(schema_of(schema)),
                                                                   [](ArrowSchema* held) {
                                                                     held->release(held);
                                                                     delete held;
                                                                   });
  gpu::Stream stream(pool_->device());
  std::vector<ArrowArray> children(parts_.size());
  std::vector<ArrowArray*> pointers;
  for (size_t i = 0; i < parts_.size(); ++i) {
    children[i].length = rows_;
    children[i].null_count = parts_[i].nulls;
    children[i].n_buffers = static_cast<int64_t>(parts_[i].buffers.size());
    children[i].buffers = const_cast<const void**>(parts_[i].buffers.data());
    pointers.push_back(&children[i]);
  }
  const void* none = nullptr;
  ArrowArray whole{};
  whole.length = rows_;
  whole.n_buffers = 1;
  whole.buffers = &none;
  whole.n_children = static_cast<int64_t>(children.size());
  whole.children = pointers.data();
  const auto held = std::make_shared<std::vector<Buffer>>();
  const TakeBuffer download = [&](const ArrowSchema&, int64_t, const void* from,
                                  size_t bytes) -> const void* {
    held->push_back(Buffer::allocate(bytes, budget, kLeft));
    staging.download(held->back().mutable_data(), reinterpret_cast<gpu::cuda::Address>(from), bytes, stream);
    return held->back().data();
  };
  ArrowArray copy = copy_array(*owned, whole, Readable::kCopy, download, held);
  return {import_schema(*owned), import_array(*owned, &copy, budget)};
}

namespace {

struct HeldRows {
  std::shared_ptr<const DeviceRecords> rows;  // null: they were read
  Schema schema;
};

HeldRows& rows_of(ArrowDeviceArrayStream* stream) { return *static_cast<HeldRows*>(stream->private_data); }

}  // namespace

void export_device_rows(const std::shared_ptr<const DeviceRecords>& rows, const Schema& schema,
                        ArrowDeviceArrayStream* out) {
  *out = {};
  out->device_type = ARROW_DEVICE_CUDA;
  out->private_data = new HeldRows{rows, schema};
  out->get_schema = [](ArrowDeviceArrayStream* stream, ArrowSchema* to) {
    *to = schema_of(rows_of(stream).schema);
    return 0;
  };
  out->get_next = [](ArrowDeviceArrayStream* stream, ArrowDeviceArray* array) {
    *array = {};  // a released array marks the end
    if (const auto held = std::exchange(rows_of(stream).rows, nullptr)) *array = DeviceRecords::array(held);
    return 0;
  };
  out->get_last_error = [](ArrowDeviceArrayStream*) -> const char* { return nullptr; };
  out->release = [](ArrowDeviceArrayStream* stream) {
    delete &rows_of(stream);
    stream->release = nullptr;
  };
}

}  // namespace lanewise::arrow
