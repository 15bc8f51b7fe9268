#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/kernel_builder.h"

/// Kernels over rows: those that filter them, and loops whose bodies sinks write.
namespace lanewise::ops {

using Write = std::function<void(expr::Emitter&)>;

/// The parts of a kernel over rows in addition to predicates and probes; strings are statements.
struct RowKernel {
  std::string name;
  codegen::StageRange stages;
  std::string bounds = "kThreads";  ///< of __launch_bounds__
  std::vector<ExprPtr> read = {};   ///< in addition to the predicates
  std::string before = {};          ///< runs before the rows
  std::string goes_on = {};         ///< a condition, tested before each group of rows
  Write sink = [](expr::Emitter&) {};
  std::string after_word = {};  ///< runs after each word of 32 rows
  std::string end = {};
  bool keeps_texts = false;  ///< strings that the kernel makes outlive their row
  bool rolled = false;       ///< a loop over words is not unrolled, as for long code
};
/// A kernel whose warps take groups of rows: it loads the first stage's fixed-width columns for a whole
/// group, then runs the stages for each row; `sink` writes the code for rows that pass.
void add_row_kernel(std::vector<codegen::KernelText>& texts, const codegen::KernelBuilder& builder,
                    const std::string& head, const RowKernel& kernel);

/// A kernel that takes the rows of JobLayout::kList.
struct ListKernel {
  std::string name;
  std::vector<ExprPtr> read;
  std::string before = {};  ///< a statement before the rows
  Write each;               ///< code for each `row`, the i-th of the list
  std::string end = {};
  std::string row = "list[i]";
  bool keeps_texts = false;  ///< strings that the kernel makes outlive their row
};
void add_list_kernel(codegen::KernelText& to, const codegen::KernelBuilder& builder,
                     const ListKernel& kernel);

/// A kernel that writes values and validity of outputs for the rows of JobLayout::kList.
struct ProjectKernel {
  std::vector<ExprPtr> read;
  std::vector<Type> types;  ///< by output
  std::string begin;        ///< runs first for each row
  std::function<expr::Emitted(expr::Emitter&, size_t)> output;
  bool notes_faults = true;  ///< false for slots: their rows' faults were noted when they were made
};
void add_project_kernel(codegen::KernelText& to, const codegen::KernelBuilder& builder,
                        const ProjectKernel& kernel);

/// The name of the kernel that writes the bitmap of a stage.
std::string filter_kernel(size_t stage);
void add_filter(std::vector<codegen::KernelText>& texts, const codegen::KernelBuilder& builder, size_t stage);
/// Kernels of the section's matches, and the filters of its stages before `end`.
void add_narrowing(std::vector<codegen::KernelText>& texts, const codegen::KernelBuilder& builder,
                   size_t end);

}  // namespace lanewise::ops
