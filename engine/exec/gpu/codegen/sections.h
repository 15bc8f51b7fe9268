#pragma once

#include <optional>
#include <vector>

#include "exec/gpu/codegen/program.h"
#include "exec/gpu/codegen/sink_form.h"
#include "exec/pipeline/strategy.h"

namespace lanewise::exec {

/// Stages that see the same rows: the input's, or pairs that a probe made of those before.
struct Section : StageRange {
  enum class Pairs {
    kWritten,  ///< to memory, before the section
    kTaken,    ///< by its only kernel, as it makes them
    kFound     ///< the same, and the probe's stage is its first: the kernel looks rows up as well
  };
  std::optional<size_t> probe = {};  ///< whose pairs they are; none: the input's rows
  Pairs pairs = Pairs::kWritten;

  /// Whether pairs are made where they are used, and nowhere else.
  bool takes_pairs() const { return pairs != Pairs::kWritten; }
};

/// One more than there are probes that may find several rows. Only the first may be empty. Throws
/// expr::NotOnDevice if devices do not support an expression of a pair.
std::vector<Section> sections_of(const Program& program, const SinkForm& sink, const Strategy& strategy);

}  // namespace lanewise::exec
