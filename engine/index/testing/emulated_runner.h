#pragma once

#include <gtest/gtest.h>

#include "base/bits.h"
#include "index/device/search_kernels.h"
#include "index/device/warp-inl.h"

namespace lanewise::index {

/// T lanes, one after the other.
template <u32 T>
struct EmulatedGroup {
  static constexpr u32 width = T;

  template <class F>
  auto sum(F f) const {
    auto all = f(0);
    for (u32 lane = 1; lane < T; ++lane) all += f(lane);
    return all;
  }
  template <class F>
  u32 pick(F f) const {
    u32 picked = kNone;
    for (u32 lane = 0; lane < T; ++lane) {
      const u32 mine = f(lane);
      if (mine == kNone) continue;
      EXPECT_EQ(picked, kNone) << "two lanes answer";
      picked = mine;
    }
    return picked;
  }
  template <class F>
  void each(F f) const {
    for (u32 lane = 0; lane < T; ++lane) f(lane);
  }
};

/// What a warp of tiles or, where T is a whole block, a block is on a device.
template <u32 T>
struct EmulatedTeam {
  static constexpr u32 queries = T < 32 ? 32 / T : 1;

  template <bool, class F>
  static void book(u64 found, u64 first, u64 count, F f) {
    for (u64 q = first; q < std::min(first + queries, count); ++q) {
      if (f(EmulatedGroup<T>{}, q) && found != 0) bits::set(reinterpret_cast<uint64_t*>(found), q);
    }
  }
};

/// A tree whose layout is known when it runs.
template <class WordType, KeyForm kForm>
struct AnyTree : TreeAt {
  using Word = WordType;
  static constexpr KeyForm form = kForm;
  static constexpr u32 kLevels = kMaxHeight + 1;
  SearchKernel kernel;

  u32 height() const { return kernel.height; }
  NodeShape inner() const { return node_shape(true, sizeof(Word), 1, kernel.inner_keys, 0); }
  NodeShape leaf() const { return node_shape(false, sizeof(Word), 1, kernel.leaf_keys, kernel.value_bytes); }
};

/// Runs the kernels' text on the host, for the stand-in of the driver, whose memory is the host's.
class EmulatedRunner final : public SearchRunner {
 public:
  void run(const SearchKernel& kernel, const TreeAt& tree, const Job& job, device::Stream&) override {
    last_tree = tree;
    ++launches;
    if (kernel.word == 4) {
      with_word<u32>(kernel, tree, job);
    } else {
      with_word<u64>(kernel, tree, job);
    }
  }

  inline static TreeAt last_tree;
  inline static int launches = 0;

 private:
  template <class Word>
  static void with_word(const SearchKernel& kernel, const TreeAt& tree, const Job& job) {
    switch (kernel.form) {
      case KeyForm::words:
        return with_tree(AnyTree<Word, KeyForm::words>{tree, kernel}, job);
      case KeyForm::integers:
        return with_tree(AnyTree<Word, KeyForm::integers>{tree, kernel}, job);
      case KeyForm::reals:
        return with_tree(AnyTree<Word, KeyForm::reals>{tree, kernel}, job);
    }
  }
  template <class Tree>
  static void with_tree(const Tree& tree, const Job& job) {
    switch (tree.kernel.operation) {
      case Operation::kFind:
        return with_operation<Find>(tree, job);
      case Operation::kBound:
        return with_operation<Bound>(tree, job);
      case Operation::kRange:
        return with_operation<Range>(tree, job);
      case Operation::kNode:
        if (tree.kernel.strategy == DeviceStrategy::keys)
          return play<OneNode<ByKeys>, kBlockThreads, Stored>(tree, job);
        return play<OneNode<BySegments>, kBlockThreads, Stored>(tree, job);
    }
  }
  template <class Operation, class Tree>
  static void with_operation(const Tree& tree, const Job& job) {
    if (tree.kernel.by_level()) {
      if (tree.kernel.threads() == 4) return play<Operation, 4, Stored>(tree, job);
      return play<Operation, 8, Stored>(tree, job);
    }
    switch (tree.kernel.threads()) {
      case 1:
        return play<Operation, 1, Down<ByLines>>(tree, job);
      case 2:
        return play<Operation, 2, Down<ByLines>>(tree, job);
      case 4:
        return play<Operation, 4, Down<ByLines>>(tree, job);
      case 8:
        return play<Operation, 8, Down<ByLines>>(tree, job);
      case kBlockThreads:
        return play<Operation, kBlockThreads, Down<ByKeys>>(tree, job);
      default:
        ADD_FAILURE() << "nobody emulates groups of " << tree.kernel.threads();
    }
  }
  template <class Operation, u32 T, class Way, class Tree>
  static void play(const Tree& tree, const Job& job) {
    using Team = EmulatedTeam<T>;
    for (u64 first = 0; first < job.count; first += Team::queries) {
      Team::template book<Operation::kInStep>(job.found, first, job.count, [&](const auto& group, u64 q) {
        return Operation::template run<Way>(tree, group, job, q);
      });
    }
  }
};

}  // namespace lanewise::index
