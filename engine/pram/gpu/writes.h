#pragma once

#include <vector>

#include "pram/executor/meta_machine.h"
#include "pram/gpu/sets.h"

namespace lanewise::pram {

/// Buffered writes of a kernel: a cell (-1: none) and a value for each position of its set.
struct DeviceColumn {
  uint32_t variable = 0;
  Buffer cells = {};
  Buffer values = {};
};

/// Performs the buffered writes of kernels, by the program's mode.
class DeviceWriter {
 public:
  /// `variables`: the cells of each, on the device.
  DeviceWriter(const DeviceTools& tools, const Tree& tree, const Options& options,
               const std::vector<Buffer>& variables);

  /// For cells with one writer, for writers of equal values, or if any writer may win.
  void write(const DeviceSet& set, std::span<const DeviceColumn> columns) const;
  /// Follows the mode. Sets a failure in `status` if combined values overflow.
  void resolve(const DeviceSet& set, std::span<const DeviceColumn> columns, const Buffer& status);
  /// Set a failure in `status`: a cell has two writers; a cell does not have its writers' value.
  void check_exclusive(const DeviceSet& set, std::span<const DeviceColumn> columns, const Buffer& status);
  void check_common(const DeviceSet& set, std::span<const DeviceColumn> columns, const Buffer& status) const;

 private:
  /// Between kernels all words are `empty`.
  void gather(std::span<const DeviceColumn> columns, Word empty);
  void clear(const DeviceSet& set, std::span<const DeviceColumn> columns, Word empty) const;
  void claim(const DeviceSet& set, std::span<const DeviceColumn> columns, bool drawn);
  void write_winners(const DeviceSet& set, std::span<const DeviceColumn> columns);
  void combine_quickly(const DeviceSet& set, std::span<const DeviceColumn> columns);
  void combine_in_order(const DeviceSet& set, std::span<const DeviceColumn> columns,
                        const Buffer& status) const;
  void combine_one(const DeviceSet& set, uint32_t variable, std::span<const DeviceColumn* const> columns,
                   const Buffer& status) const;
  bool may_overflow(const DeviceSet& set, std::span<const DeviceColumn> columns);

  const DeviceTools& tools_;
  const Tree& tree_;
  const Options& options_;
  const std::vector<Buffer>& variables_;
  /// By variable and cell: the best rank of its writers, or their combined values.
  std::vector<Buffer> gathered_;
  Buffer most_;
};

}  // namespace lanewise::pram
