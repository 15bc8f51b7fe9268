#pragma once

#include <string>
#include <vector>

#include "codegen/kernel_builder.h"
#include "ops/filter/gpu/match.h"

/// The kernels that match patterns: the N-th of a builder's matches() is match_N.
namespace lanewise::ops {

MatchKind match_kind(const codegen::KernelBuilder& builder, const codegen::Match& match);
kernel::Asked asked_of(const codegen::KernelBuilder& builder, const codegen::Match& match);
/// Whether its kernel counts what lanes do.
bool is_counted(const codegen::KernelBuilder& builder, const codegen::Match& match);
std::string match_kernel(const codegen::KernelBuilder& builder, const codegen::Match& match);
/// Kernels that take a MatchJob, a CountedMatchJob or a NeedleJob.
void add_match_kernels(std::vector<codegen::KernelText>& texts, const codegen::KernelBuilder& builder);

/// The kernel of all patterns of a kind; queries call it `name`.
codegen::KernelText match_text(const std::string& name, const MatchKind& kind, bool wide_offsets,
                               kernel::Asked asked, bool counted = false);

}  // namespace lanewise::ops
