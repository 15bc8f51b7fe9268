#pragma once

#include <string>
#include <vector>

#include "exec/gpu/codegen/kernel_builder.h"
#include "exec/gpu/match/match.h"

/// The kernels that match patterns: the N-th of a builder's matches() is match_N.
namespace lanewise::exec {

MatchKind match_kind(const KernelBuilder& builder, const Match& match);
kernel::Asked asked_of(const KernelBuilder& builder, const Match& match);
/// Whether its kernel counts what lanes do.
bool is_counted(const KernelBuilder& builder, const Match& match);
std::string match_kernel(const KernelBuilder& builder, const Match& match);
/// Kernels that take a MatchJob, a CountedMatchJob or a NeedleJob.
void add_match_kernels(std::vector<KernelText>& texts, const KernelBuilder& builder);

/// The kernel of all patterns of a kind; queries call it `name`.
KernelText match_text(const std::string& name, const MatchKind& kind, bool wide_offsets, kernel::Asked asked,
                      bool counted = false);

}  // namespace lanewise::exec
