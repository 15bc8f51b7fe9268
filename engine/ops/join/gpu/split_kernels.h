#pragma once

#include <optional>
#include <vector>

#include "codegen/kernel_builder.h"

/// The kernels that put rows into the order of the parts of a lookup.
namespace lanewise::ops {

/// The places of the columns that the last kernel reads in rows that are split before it; none where they
/// cannot be: what else it reads lies by the rows' numbers, or has no fixed width.
std::optional<std::vector<size_t>> split_places(const codegen::KernelBuilder& builder);

/// `count_parts` adds the rows of each part of the lookup, of 2^JobLayout::kShift places, to the counts at
/// JobLayout::kOut; `start_parts` makes them sums of those before, and that of all; `split_rows` moves rows
/// there, also given MovedColumns. Of the rows that come to the last kernel, where there are split_places().
codegen::KernelText split_text(const codegen::KernelBuilder& builder);
/// The same of the rows of a program that is a build side's keys. Given where the rows of each part end, they
/// split each part by those bits of a place that follow the part's.
codegen::KernelText split_build_text(const codegen::KernelBuilder& builder);

}  // namespace lanewise::ops
