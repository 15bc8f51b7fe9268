#include <algorithm>

#include "pram/meta/optimise.h"

namespace lanewise::pram {

namespace {

struct KernelPass {
  Pass pass;
  bool (*run)(const Nodes&);
};

constexpr KernelPass kKernelPasses[] = {
    {Pass::kInPlace, write_in_place},
    {Pass::kMerge, merge_kernels},
    {Pass::kBranches, branch_in_kernel},
    {Pass::kLoops, loop_in_kernel},
};

/// Runs a pass on the lists of nodes of all blocks, innermost first.
bool on_blocks(std::vector<Meta>& list, std::optional<uint32_t> block, MetaProgram& meta, const Tree& tree,
               const KernelPass& pass) {
  bool changed = false;
  for (Meta& node : list) {
    const std::optional<uint32_t> inner = node.kind == Meta::Kind::kAll ? node.block : block;
    changed |= on_blocks(node.body, inner, meta, tree, pass);
    changed |= on_blocks(node.otherwise, inner, meta, tree, pass);
  }
  if (block) changed |= pass.run({list, *block, tree, meta.notes});
  return changed;
}

}  // namespace

MetaProgram compile(const Tree& tree, const Passes& passes) {
  MetaProgram meta = lower(tree);
  if (has(passes, Pass::kFuse)) fuse_blocks(meta, tree);
  if (has(passes, Pass::kHost)) move_to_host(meta, tree);
  if (has(passes, Pass::kLoops)) loop_on_host(meta);
  // One pass may enable another.
  for (bool changed = true; changed;) {
    changed = false;
    for (const KernelPass& pass : kKernelPasses) {
      if (has(passes, pass.pass)) changed |= on_blocks(meta.body, std::nullopt, meta, tree, pass);
    }
  }
  if (has(passes, Pass::kBatch)) batch_steps(meta);
  std::stable_sort(meta.notes.begin(), meta.notes.end(),
                   [](const MetaNote& a, const MetaNote& b) { return a.line < b.line; });
  return meta;
}

}  // namespace lanewise::pram
