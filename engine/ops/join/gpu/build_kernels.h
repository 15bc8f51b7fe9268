#pragma once

#include "codegen/kernel_builder.h"

namespace lanewise::ops {

/// The kernels that fill the lookup of a build side, whose keys are the builder's program. `bound` finds the
/// bounds of keys that are numbers. `fill` puts rows into the lookup of probe 0, or values of
/// JobLayout::kDepth bytes at JobLayout::kRecords instead. `fill_slices` does so slice by slice, given the
/// slots of a slice, where the rows of each end, and a list of rows for which that is not enough, and
/// `fill_rest` puts those. `place_rows` puts MovedColumns into the order of numbers as well. They note what
/// they saw in the KeyBounds at JobLayout::kOut. `count_runs` counts the rows of each run there, and notes in
/// the probe's rows which row stands for each.
codegen::KernelText lookup_text(const codegen::KernelBuilder& builder);

/// The keys of a program that is a build side's.
std::vector<ExprPtr> build_columns(const codegen::Program& program);

}  // namespace lanewise::ops
