#pragma once

#include <optional>
#include <vector>

#include "plan/pipeline/pipeline.h"

namespace lanewise::exec {

/// The columns of another pipeline's result that this one passes on as they are; none: it does more.
std::optional<std::vector<size_t>> columns_passed_on(const plan::Pipeline& pipeline);

/// Whether rows of pipeline `i` that stay on a device are the result, or become it without a change.
bool may_keep(const std::vector<plan::Pipeline>& pipelines, size_t i);

/// Those that read rows of pipeline `i`, if all of them read them as their input; else none.
std::vector<size_t> pipelines_fed(const std::vector<plan::Pipeline>& pipelines, size_t i);

}  // namespace lanewise::exec
