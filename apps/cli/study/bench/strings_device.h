#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "study/bench/bench.h"
#include "study/data/text_rows.h"
#include "text/pattern/pattern.h"

namespace lanewise::cli::bench {

/// Rows tested by the warps of a GPU that holds them: as the study described it, a byte at a time; by the
/// engine's kernel without refill, which loads 16 bytes; and with refill.
class TextOnDevice {
 public:
  /// The hash of the rows that match, which also checks their number.
  using Hash = std::function<uint64_t(const std::vector<uint64_t>& hits)>;

  /// Throws DeviceError, InternalError.
  explicit TextOnDevice(gpu::Device& device);
  ~TextOnDevice();
  TextOnDevice(const TextOnDevice&) = delete;
  TextOnDevice& operator=(const TextOnDevice&) = delete;

  /// Rows and a pattern for the next levels. Throws MemoryError.
  void load(const TextRows& text, const TextShape& shape, const text::Pattern& pattern);
  /// The levels use this object, with what was loaded last.
  void add(std::vector<Contender>& contenders, const Hash& hash);
  /// Sizes of blocks and grids and thresholds, each with the engine's choice of the others.
  void add_shapes(std::vector<Contender>& contenders, const Hash& hash);

  static std::vector<std::string> level_names();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lanewise::cli::bench
