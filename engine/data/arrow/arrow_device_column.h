#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "data/arrow/arrow.h"
#include "data/gpu/device_column.h"
#include "gpu/modules/module.h"

namespace lanewise::arrow {

/// Rows of one column of an imported array: `first` includes its offset.
struct DevicePart {
  const ArrowArray* array;
  int64_t first;
  int64_t rows;
};

/// Checks that buffer `index` of a column is `bytes` readable bytes of `device` (or managed, or pinned):
/// UserError names the field. Returns a lower bound of the buffer's size; SIZE_MAX if the driver does not
/// report it.
size_t check_memory(gpu::Device& device, const ArrowSchema& field, int64_t index, const void* from,
                    size_t bytes);

/// Whether make_column() supports the field's layout: fixed-width values, booleans, decimals, times, and
/// strings with offsets, without a dictionary.
bool is_made_on_device(const ArrowSchema& field);
/// Bytes of a row after conversion; 0: no conversion is needed.
size_t converted_width(const ArrowSchema& field);

/// The source of the kernels that it may need.
std::string_view border_kernels();
/// Returns the compiled kernels; called only before a launch.
using BorderKernels = std::function<const gpu::Module&()>;

/// The concatenated parts as a column. A buffer of a single part is used in place if it has our
/// layout: aligned to 16 bytes (a bitmap to 4) and followed by kPadding bytes of its allocation. Everything
/// else is copied and converted on the device. `owner` keeps the parts alive. Throws a UserError that
/// names the field, or MemoryError.
DeviceColumn make_column(const ArrowSchema& field, const std::vector<DevicePart>& parts,
                         const std::shared_ptr<const void>& owner, const BorderKernels& kernels,
                         const DeviceUpload& upload);

}  // namespace lanewise::arrow
