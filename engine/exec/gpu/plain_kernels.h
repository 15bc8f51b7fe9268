#pragma once

#include <string>
#include <vector>

#include "gpu/modules/kernel_cache.h"
#include "ops/gpu/branch/section_sources.h"
#include "ops/results/results.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::exec {

/// How all columns of a query lie in memory, as far as their types allow it.
struct EveryColumn {
  bool nullable = false;
  bool wide_offsets = false;
  bool short_texts = false;
};
/// The forms of columns of these types.
std::vector<codegen::ColumnForm> forms_of(const std::vector<Type>& types, const EveryColumn& form);

/// Sources that are worth compiling ahead, each once: those that queries of any kind share (lists, patterns),
/// and all of the plainest queries over one column or two: counts of the rows that pass a comparison or match
/// a pattern, one aggregate, one key alone, or with a count or a sum. A source holds no column's name, no
/// pattern and no constant that is compared with.
std::vector<std::string> plain_kernels();

/// The GPUs that they are compiled for.
inline constexpr const char* kAheadArchitectures[] = {"sm_80", "sm_90"};

/// Whether all of a pipeline's kernels lie in `ahead`, for columns in one of the forms that plain_kernels()
/// are written for. Without an `architecture`: for any of those. Throws expr::NotOnDevice.
bool is_compiled_ahead(const plan::Pipeline& pipeline, const ops::Results& results,
                       const codegen::Strategy& strategy, const std::string& architecture,
                       const gpu::KernelCache& ahead = gpu::KernelCache::ahead());

}  // namespace lanewise::exec
