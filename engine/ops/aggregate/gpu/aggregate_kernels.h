#pragma once

#include <vector>

#include "codegen/kernel_builder.h"
#include "ops/aggregate/gpu/aggregates.h"

namespace lanewise::ops {

/// Kernels of aggregates without groups: narrowing, then `aggregate`, the stages from first_of_last() on,
/// whose rows go into a State for each block at JobLayout::kOut; where the section takes pairs, after it
/// `aggregate_queue`, of JobLayout::kQueue. The program's outputs are an argument and a filter for each
/// aggregate.
void add_aggregate_kernels(std::vector<codegen::KernelText>& texts, const codegen::KernelBuilder& builder,
                           const std::vector<DeviceAggregate>& aggregates);

}  // namespace lanewise::ops
