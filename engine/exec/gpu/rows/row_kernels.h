#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exec/gpu/codegen/kernel_builder.h"

/// Kernels over rows: what narrows them, and the loops that sinks fill.
namespace lanewise::exec {

using Write = std::function<void(expr::Emitter&)>;

/// What a kernel over rows does apart from trying predicates and finding rows.
struct RowKernel {
  std::string name;
  StageRange stages;
  std::string bounds = "kThreads";  ///< of __launch_bounds__
  std::vector<ExprPtr> read = {};   ///< in addition to the predicates
  std::string before = {};          ///< the rows: a statement
  std::string goes_on = {};         ///< a condition, before each group of rows
  Write sink = [](expr::Emitter&) {};
  std::string after_word = {};  ///< for each word of rows
  std::string end = {};
  bool keeps_texts = false;  ///< of one row when it takes the next one
  bool rolled = false;       ///< words one after the other by the same code, as where it is long
};
/// A kernel whose warps take groups of rows: loads what its first stage reads and has a fixed width for the
/// whole group at once, then goes through its stages row by row; `sink` writes what becomes of the rows that
/// pass.
void add_row_kernel(std::vector<KernelText>& texts, const KernelBuilder& builder, const std::string& head,
                    const RowKernel& kernel);

/// A kernel that takes the rows of JobLayout::kList.
struct ListKernel {
  std::string name;
  std::vector<ExprPtr> read;
  std::string before = {};  ///< the rows: a statement
  Write each;               ///< for each `row`, the i-th of them
  std::string end = {};
  std::string row = "list[i]";
  bool keeps_texts = false;  ///< of one row when it takes the next one
};
void add_list_kernel(KernelText& to, const KernelBuilder& builder, const ListKernel& kernel);

/// A kernel that writes values and validity of outputs for the rows of JobLayout::kList.
struct ProjectKernel {
  std::vector<ExprPtr> read;
  std::vector<Type> types;  ///< by output
  std::string begin;        ///< for each row
  std::function<expr::Emitted(expr::Emitter&, size_t)> output;
  bool notes_faults = true;  ///< of rows; not of slots, whose rows' faults were noted when they were made
};
void add_project_kernel(KernelText& to, const KernelBuilder& builder, const ProjectKernel& kernel);

/// The name of the kernel that writes the bitmap of a stage.
std::string filter_kernel(size_t stage);
void add_filter(std::vector<KernelText>& texts, const KernelBuilder& builder, size_t stage);
/// Kernels of the section's matches, and the filters of its stages before `end`.
void add_narrowing(std::vector<KernelText>& texts, const KernelBuilder& builder, size_t end);

}  // namespace lanewise::exec
