#pragma once

#include <vector>

#include "gpu/memory.h"
#include "gpu/staging.h"
#include "index/gpu/runner.h"
#include "index/gpu/text_slots.h"
#include "index/image/pool.h"

namespace lanewise::index {

/// A copy of an image in device memory.
struct DeviceImage {
  gpu::DeviceBuffer memory;  ///< may have room for more groups
  u64 groups = 0;
  Root root;

  /// Enlarges the copy; throws MemoryError without any change.
  void enlarge(u64 to_groups, u64 group_bytes, gpu::DevicePool& pool, gpu::Stream& stream);
};

/// A batch of changes in device memory.
struct UpdateBatch {
  u64 count = 0;                ///< below 2^32
  u64 keys = 0, values = 0;     ///< strings: their bytes
  const u64* begins = nullptr;  ///< strings, in host memory: the start of each and the end of the last one
  KeyForm form = KeyForm::words;
  Alteration alteration = Alteration::insert;  ///< of all keys, unless `alterations` is set
  u64 alterations = 0;                         ///< u8: one for each key
  bool by_value = false;                       ///< an erasure removes one entry that also has the value
};

/// Changes a device's copy of an image, batch by batch (see update-inl.h), and copies the
/// changes back.
class Updater {
 public:
  Updater(const Header& header, const Geometry& geometry, Runner& runner, gpu::DevicePool& pool,
          gpu::Staging& staging, gpu::Stream& stream);

  /// Reads where the host's image, of which there is a copy, has its leaves.
  void begin(const Pool& host);
  bool begun() const { return leaves_ != 0; }
  /// The copy is no longer the image that begin() received.
  void forget();
  /// Whether the copy has changes that the host's image lacks.
  bool changed() const { return changes_ != 0; }

  /// Throws MemoryError without any change.
  void apply(DeviceImage& image, const UpdateBatch& batch);
  /// Copies the changes to the host's image and marks them there. Returns the number of bytes copied.
  /// Throws MemoryError without any change; after a DeviceError the image is unusable.
  u64 write_back(DeviceImage& image, Pool& host);

 private:
  class Pass;
  /// The groups of a class of slots.
  struct Groups {
    std::vector<u32> numbers;
    u32 per_group;
    u32 bytes;  ///< of a slot
    gpu::DeviceBuffer there;

    u64 slots() const { return numbers.size() * per_group; }
  };

  /// Makes room for this many leaves and inner nodes in total, and this many new groups of strings.
  void grow(DeviceImage& image, u64 leaves, u64 inner_nodes, const TextSlots::Numbers& text_groups);
  /// The inner node with this number among all slots.
  Ref inner_at(u64 number) const;
  void upload_groups(const DeviceImage& image);
  template <class T>
  gpu::DeviceBuffer upload(const std::vector<T>& from) {
    gpu::DeviceBuffer buffer = room(from.size() * sizeof(T));
    if (!from.empty()) staging_.upload(buffer.address(), from.data(), from.size() * sizeof(T), stream_);
    return buffer;
  }
  gpu::DeviceBuffer room(u64 bytes) { return pool_.allocate(bytes, stream_, "changing an index"); }

  const Geometry& geometry_;
  const UpdateKernels kernels_;
  const u32 fill_percent_;
  u64 version_ = 0;
  Runner& runner_;
  gpu::DevicePool& pool_;
  gpu::Staging& staging_;
  gpu::Stream& stream_;
  Groups leaf_groups_, inner_groups_;
  gpu::DeviceBuffer order_of_;  // u32 for each group: its index among those of its class
  gpu::DeviceBuffer changed_;   // u8 for each group
  gpu::DeviceBuffer refs_;      // of all leaves, in order
  TextSlots texts_;
  u64 leaves_ = 0, inner_nodes_ = 0;  // in use; after the first change, inner nodes have the first slots
  u64 changes_ = 0;                   // batches since begin() or write_back()
};

}  // namespace lanewise::index
