#pragma once

#include "pram/meta/meta.h"

/// The passes. Each takes a meta-program (or the list of nodes of one set) to one with the same results, and
/// writes down what it did.
namespace lanewise::pram {

/// Blocks with loops become one kernel each, where no processor uses a cell that another one writes.
void fuse_blocks(MetaProgram& meta, const Tree& tree);
/// Private variables that are the same for all processors of their block become the host's, and with them
/// ifs whose condition is.
void move_to_host(MetaProgram& meta, const Tree& tree);
/// Whiles whose condition is the same for all processors become the host's.
void loop_on_host(MetaProgram& meta);

/// Turns loops whose kernels the host can predict into batches, together with the kernels around them.
void batch_steps(MetaProgram& meta);

/// One list of nodes of a block, for the passes below; true if they changed it.
struct Nodes {
  std::vector<Meta>& list;
  uint32_t block;
  const Tree& tree;
  std::vector<MetaNote>& notes;
};

/// Kernels whose processors do not meet write without a second copy.
bool write_in_place(const Nodes& nodes);
/// Kernels that follow each other become one.
bool merge_kernels(const Nodes& nodes);
/// Branches become ifs within a kernel.
bool branch_in_kernel(const Nodes& nodes);
/// Loops become whiles within a kernel.
bool loop_in_kernel(const Nodes& nodes);

}  // namespace lanewise::pram
