#include <type_traits>

#include "index/testing/emulated_groups.h"
#include "index/testing/emulated_runner.h"

namespace lanewise::index {

namespace {

template <class Operation, u32 T, class Way, class Tree>
void play_search(const Tree& tree, const Job& job) {
  using Team = EmulatedTeam<T>;
  for (u64 first = 0; first < job.count; first += Team::queries) {
    Team::template book<Operation::kInStep>(job.found, first, job.count, [&](const auto& group, u64 q) {
      return Operation::template run<Way>(tree, group, job, q);
    });
  }
}

/// How nodes of this tree are searched.
template <class Tree, class Search>
using In = std::conditional_t<Tree::kLong, ByParts<Search>, Search>;

template <class Operation, class Tree>
void with_operation(const Tree& tree, const Job& job) {
  if (tree.kernel.by_level()) {
    if (tree.kernel.threads() == 2) return play_search<Operation, 2, Stored<In<Tree, ByLines>>>(tree, job);
    if (tree.kernel.threads() == 4) return play_search<Operation, 4, Stored<In<Tree, ByLines>>>(tree, job);
    return play_search<Operation, 8, Stored<In<Tree, ByLines>>>(tree, job);
  }
  switch (tree.kernel.threads()) {
    case 1:
      return play_search<Operation, 1, Down<In<Tree, ByLines>>>(tree, job);
    case 2:
      return play_search<Operation, 2, Down<In<Tree, ByLines>>>(tree, job);
    case 4:
      return play_search<Operation, 4, Down<In<Tree, ByLines>>>(tree, job);
    case 8:
      return play_search<Operation, 8, Down<In<Tree, ByLines>>>(tree, job);
    case kBlockThreads:
      return play_search<Operation, kBlockThreads, Down<In<Tree, ByKeys>>>(tree, job);
    default:
      ADD_FAILURE() << "nobody emulates groups of " << tree.kernel.threads();
  }
}

template <class Tree>
void with_tree(const Tree& tree, const Job& job) {
  switch (tree.kernel.operation) {
    case Operation::kFind:
      return with_operation<Find>(tree, job);
    case Operation::kBound:
      return with_operation<Bound>(tree, job);
    case Operation::kRange:
      return with_operation<Range>(tree, job);
    case Operation::kPick:
      return with_operation<Pick>(tree, job);
    case Operation::kNode:
      if (tree.kernel.strategy == DeviceStrategy::keys)
        return play_search<OneNode<In<Tree, ByKeys>>, kBlockThreads, Stored<In<Tree, ByLines>>>(tree, job);
      return play_search<OneNode<In<Tree, BySegments>>, kBlockThreads, Stored<In<Tree, ByLines>>>(tree, job);
    case Operation::kText:
      if constexpr (Tree::kLong) play_search<TextOf, 4, Down<In<Tree, ByLines>>>(tree, job);
  }
}

template <class Word>
void with_word(const SearchKernel& kernel, const TreeAt& tree, const Job& job) {
  switch (kernel.form) {
    case KeyForm::words:
      return with_tree(AnyTree<Word, KeyForm::words>{tree, kernel}, job);
    case KeyForm::integers:
      return with_tree(AnyTree<Word, KeyForm::integers>{tree, kernel}, job);
    case KeyForm::reals:
      return with_tree(AnyTree<Word, KeyForm::reals>{tree, kernel}, job);
  }
}

}  // namespace

void EmulatedRunner::search(const SearchKernel& kernel, const TreeAt& tree, const Job& job, gpu::Stream&) {
  last_tree = tree;
  ++launches;
  if (kernel.planes > 1) {
    with_tree(AnyTree<u64, KeyForm::words, true>{tree, kernel}, job);
  } else if (kernel.word == 4) {
    with_word<u32>(kernel, tree, job);
  } else {
    with_word<u64>(kernel, tree, job);
  }
}

}  // namespace lanewise::index
