#pragma once

#include "index/image/node.h"

namespace lanewise::index {

/// A tree of keys of one word, as the kernels see it. It is not checked.
struct TreeView {
  u8* data;
  Ref root;
  u32 height;
  NodeShape inner, leaf;
};

/// For each key, the leaf where its search ends, and the first slot there whose key is not below it.
template <class Word>
using BatchSearch = void (*)(const TreeView& tree, const Word* keys, u64 count, Ref* leaves, u32* slots);

/// The number of keys of a node that are below the key.
template <class Word>
using NodeKernel = u32 (*)(const u8* node, const NodeShape& shape, Word key);

template <class Word>
struct SearchKernelsOf {
  BatchSearch<Word> batch;
  NodeKernel<Word> node;
};

struct SearchKernels : SearchKernelsOf<u32>, SearchKernelsOf<u64> {};

extern const SearchKernels kPlainSearch;
#if defined(__x86_64__)
extern const SearchKernels kAvx2Search;
extern const SearchKernels kAvx512Search;
#endif

}  // namespace lanewise::index
