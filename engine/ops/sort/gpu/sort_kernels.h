#pragma once

#include <string>
#include <vector>

#include "ops/collect/gpu/column_kernels.h"
#include "ops/sort/gpu/sort_words.h"
#include "plan/node.h"

namespace lanewise::ops {

/// The kernels of ORDER BY. The program's outputs are the rows' columns, then the keys.
///
///   sort_word_N  the N-th of words() for the rows of a list -> kOut
///   sort_size_N  the longest string of sort key N in those rows -> kOut, u32; sets the bits of kActive at
///   the
///                places of strings of more than kDepth bytes
class SortKernels : public ColumnKernels {
 public:
  /// Both outlive it.
  SortKernels(const codegen::KernelBuilder& builder, const plan::Sort& sort);

  /// What is compared, most significant first.
  const std::vector<SortWord>& words() const { return words_; }
  std::vector<codegen::KernelText> texts() const override;
  static std::string word_kernel(size_t word);
  static std::string size_kernel(size_t key);

 private:
  const ExprPtr& key(size_t key) const;
  void write_word(expr::Emitter& out, const SortWord& word) const;
  void add_words(codegen::KernelText& text) const;

  const plan::Sort& sort_;
  std::vector<SortWord> words_;
};

}  // namespace lanewise::ops
