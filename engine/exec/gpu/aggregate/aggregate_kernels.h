#pragma once

#include <vector>

#include "exec/gpu/aggregate/aggregates.h"
#include "exec/gpu/codegen/kernel_builder.h"

namespace lanewise::exec {

/// Kernels of aggregates without groups: narrowing, then `aggregate`, the stages from first_of_last() on,
/// whose rows go into a State for each block at JobLayout::kOut; where the section takes pairs, after it
/// `aggregate_queue`, of JobLayout::kQueue. The program's outputs are an argument and a filter for each
/// aggregate.
void add_aggregate_kernels(std::vector<KernelText>& texts, const KernelBuilder& builder,
                           const std::vector<DeviceAggregate>& aggregates);

}  // namespace lanewise::exec
