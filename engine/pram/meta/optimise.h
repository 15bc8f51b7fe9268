#pragma once

#include "pram/meta/meta.h"

/// The passes. Each transforms a meta-program (or the list of nodes of one set) without changing results, and
/// records what it did.
namespace lanewise::pram {

/// Turns blocks with loops into one kernel each, if no processor uses a cell that another one writes.
void fuse_blocks(MetaProgram& meta, const Tree& tree);
/// Moves private variables that are equal for all processors of their block to the host, and with them
/// ifs with such conditions.
void move_to_host(MetaProgram& meta, const Tree& tree);
/// Moves whiles whose condition is equal for all processors to the host.
void loop_on_host(MetaProgram& meta);

/// Turns loops whose kernels the host can predict into batches, together with the surrounding kernels.
void batch_steps(MetaProgram& meta);

/// One list of nodes of a block, for the passes below. They return true if they changed it.
struct Nodes {
  std::vector<Meta>& list;
  uint32_t block;
  const Tree& tree;
  std::vector<MetaNote>& notes;
};

/// Lets kernels without dependences between processors write without a second copy.
bool write_in_place(const Nodes& nodes);
/// Merges consecutive kernels.
bool merge_kernels(const Nodes& nodes);
/// Turns branches into ifs within a kernel.
bool branch_in_kernel(const Nodes& nodes);
/// Turns loops into whiles within a kernel.
bool loop_in_kernel(const Nodes& nodes);

}  // namespace lanewise::pram
