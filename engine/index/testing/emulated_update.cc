#include <algorithm>
#include <numeric>
#include <vector>

#include "index/testing/emulated_groups.h"
#include "index/testing/emulated_runner.h"

namespace lanewise::index {

namespace {

template <class Of, class Tree>
void scan(const Tree& tree, const UpdateJob& job, u64 items) {
  const EmulatedGroup<kBlockThreads> group;
  for (u64 chunk = 0; chunk * scan_chunk(items) < items; ++chunk)
    Sums<Of>::run(tree, group, job, chunk, items);
  for (u64 chunk = 0; chunk * scan_chunk(items) < items; ++chunk)
    Places<Of>::run(tree, group, job, chunk, items);
}

template <class Of, u32 T, class Tree>
void by_groups(const Tree& tree, const UpdateJob& job, u64 items) {
  for (u64 i = 0; i < items; ++i) Of::run(tree, EmulatedGroup<T>{}, job, i);
}

template <class Of, class Tree>
void by_lanes(const Tree& tree, const UpdateJob& job, u64 items) {
  for (u64 i = 0; i < items; ++i) Of::run(tree, job, i);
}

template <class Tree>
void text_step(const Tree& tree, Step step, const UpdateJob& job, u64 items) {
  if constexpr (Tree::kLong) {
    if (step == Step::kWriteTexts) return by_groups<WriteTexts, 32>(tree, job, items);
    if (step == Step::kMarkTexts) return by_groups<MarkTexts, 32>(tree, job, items);
    if (step == Step::kLinkTexts) return by_lanes<LinkTexts>(tree, job, items);
    return by_groups<BoundTexts, 32>(tree, job, items);
  }
}

template <class Word, bool kLong = false>
void step_with(const SearchKernel& kernel, u32 leaf_lanes, Step step, const TreeAt& at, const UpdateJob& job,
               u64 items) {
  const AnyTree<Word, KeyForm::words, kLong> tree{at, kernel};
  switch (step) {
    case Step::kEncode:
      if (kernel.form == KeyForm::integers) {
        return by_lanes<Encode>(AnyTree<Word, KeyForm::integers>{at, kernel}, job, items);
      }
      if (kernel.form == KeyForm::reals) {
        return by_lanes<Encode>(AnyTree<Word, KeyForm::reals>{at, kernel}, job, items);
      }
      return by_lanes<Encode>(tree, job, items);
    case Step::kMerge:
      return by_lanes<Merge>(tree, job, items);
    case Step::kArrange:
      return by_lanes<Arrange>(tree, job, items);
    case Step::kLeaves:
      return by_lanes<Leaves>(tree, job, items);
    case Step::kResolve:
      return by_lanes<Resolve>(tree, job, items);
    case Step::kMatch:
      return by_lanes<Match>(tree, job, items);
    case Step::kCompact:
      return scan<Compact>(tree, job, items);
    case Step::kSlices:
      return by_lanes<Slices>(tree, job, items);
    case Step::kKeep:
      return by_groups<Keep, 32>(tree, job, items);
    case Step::kRuns:
      return scan<Runs>(tree, job, items);
    case Step::kParts:
      return scan<Parts>(tree, job, items);
    case Step::kMarkUsed:
      return by_lanes<MarkUsed>(tree, job, items);
    case Step::kFreeSlot:
      return scan<FreeSlot>(tree, job, items);
    case Step::kOutputs:
      return by_lanes<Outputs>(tree, job, items);
    case Step::kOverride:
      return by_lanes<Override>(tree, job, items);
    case Step::kProduce:
      if (leaf_lanes == 32) return by_groups<Produce, 32>(tree, job, items);
      return by_groups<Produce, kBlockThreads>(tree, job, items);
    case Step::kInner:
      return by_groups<Inner, 32>(tree, job, items);
    case Step::kNewGroups:
      return by_lanes<NewGroups>(tree, job, items);
    case Step::kLink:
      return by_lanes<Link>(tree, job, items);
    case Step::kWriteTexts:
    case Step::kMarkTexts:
    case Step::kLinkTexts:
    case Step::kBoundTexts:
      return text_step(tree, step, job, items);
  }
}

template <class Word>
void sort_words(gpu::SortPairs& pairs) {
  const Word* words = array_at<Word>(pairs.keys[0]);
  std::vector<u64> order(pairs.count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](u64 a, u64 b) { return words[a] < words[b]; });
  for (u64 i = 0; i < pairs.count; ++i) {
    array_at<Word>(pairs.keys[1])[i] = words[order[i]];
    array_at<u32>(pairs.values[1])[i] = array_at<u32>(pairs.values[0])[order[i]];
  }
}

}  // namespace

void EmulatedRunner::step(const UpdateKernels& kernels, Step step, const TreeAt& tree, const UpdateJob& job,
                          u64 items, gpu::Stream&) {
  SearchKernel kernel{};
  kernel.form = kernels.form;
  kernel.word = kernels.word;
  kernel.leaf_keys = kernels.leaf_keys;
  kernel.inner_keys = kernels.inner_keys;
  kernel.value_bytes = kernels.value_bytes;
  kernel.planes = kernels.planes;
  kernel.text = kernels.text;
  if (kernels.planes > 1) {
    step_with<u64, true>(kernel, kernels.leaf_lanes(), step, tree, job, items);
  } else if (kernels.word == 4) {
    step_with<u32>(kernel, kernels.leaf_lanes(), step, tree, job, items);
  } else {
    step_with<u64>(kernel, kernels.leaf_lanes(), step, tree, job, items);
  }
}

void EmulatedRunner::sort(gpu::SortPairs& pairs, gpu::DevicePool&, gpu::Stream&) {
  if (pairs.key_bytes == 4) {
    sort_words<u32>(pairs);
  } else {
    sort_words<u64>(pairs);
  }
  pairs.place = 1;
}

}  // namespace lanewise::index
