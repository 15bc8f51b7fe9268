#include "index/kernels/search-inl.h"

namespace lanewise::index {

const SearchKernels kPlainSearch = {{search_batch<PlainLine, u32>, search_node<PlainLine, u32>},
                                    {search_batch<PlainLine, u64>, search_node<PlainLine, u64>}};

}  // namespace lanewise::index
