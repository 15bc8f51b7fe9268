#pragma once

#include <optional>
#include <vector>

#include "codegen/program.h"
#include "codegen/sink_form.h"
#include "codegen/strategy.h"

namespace lanewise::codegen {

/// Stages that see the same rows: the input's rows, or pairs that a probe made in the previous section.
struct Section : StageRange {
  enum class Pairs {
    kWritten,  ///< written to memory before the section
    kTaken,    ///< made by the section's only kernel, and used at once
    kFound     ///< as kTaken; the section begins with the probe's stage, so its kernel also looks up the keys
  };
  std::optional<size_t> probe = {};  ///< the probe that makes the pairs; none: the input's rows
  Pairs pairs = Pairs::kWritten;

  /// Whether the kernel that uses pairs also makes them.
  bool takes_pairs() const { return pairs != Pairs::kWritten; }
};

/// The sections of a program: one more than it has probes that may find several rows. Only the first may be
/// empty. Throws expr::NotOnDevice if devices do not support an expression of a pair.
std::vector<Section> sections_of(const Program& program, const SinkForm& sink, const Strategy& strategy);

}  // namespace lanewise::codegen
