#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/kernel_builder.h"
#include "ops/join/gpu/join_table.h"

/// What finds the rows of a build side in kernels over rows.
namespace lanewise::ops {

/// Whether the probe's keys are one integer of up to 64 bits.
bool finds_numbers(const codegen::Program& program, size_t probe);
/// Whether all of them is in the lookup: one integer of up to 32 bits.
bool has_exact_keys(const codegen::Program& program, size_t probe);
/// Whether a row is left out where the probe finds none.
bool needs_match(const codegen::Probe& probe);
void set_table(kernel::Job& job, const codegen::JobLayout& layout, size_t probe, const JoinTable& table);

/// Finds the build side's row for a row that is kept, and keeps it if the join does.
std::shared_ptr<const codegen::StageEnd> probe_end(size_t probe);

// Parts of these.
/// `struct KeysN` of probe N, see join-inl.h.
std::string keys_text(const codegen::Program& program, size_t probe);
/// Makes the Keys `keys` those of the values. Returns the condition under which they can be equal to others;
/// empty: always.
std::string set_keys(expr::Emitter& out, const codegen::Probe& probe,
                     const std::vector<expr::Emitted>& values);
/// The keys of the build side's row `row`.
std::vector<expr::Emitted> build_keys(const codegen::KernelBuilder& builder, size_t probe);
/// Defines `held`, which gives the keys of a row of the build side.
void define_held(expr::Emitter& out, const codegen::KernelBuilder& builder, size_t probe);
/// Defines `lookup`, that of the probe's build side.
void define_lookup(expr::Emitter& out, const codegen::JobLayout& layout, size_t probe);

}  // namespace lanewise::ops
