// Ranks of lists and depths of trees, on cores and on a device, against loops; input that is not a list or
// tree is rejected.
#include "graph/chains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "base/testing/test_size.h"
#include "graph/gpu/device_chains.h"
#include "graph/testing/devices.h"

namespace lanewise::graph {
namespace {

/// Lists of about `length` elements each, in shuffled order or not.
std::vector<int64_t> make_lists(size_t size, size_t length, bool mixed) {
  Random random(size + length);
  std::vector<int64_t> order(size), next(size, -1);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = size; mixed && i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (size_t i = 1; i < size; ++i) {
    if (random.below(length) != 0) next[static_cast<size_t>(order[i - 1])] = order[i];
  }
  return next;
}

/// The parent of each vertex is one of the `near` before it, in shuffled order; some are roots.
std::vector<int64_t> make_trees(size_t size, size_t near) {
  Random random(size + near);
  std::vector<int64_t> order(size), parent(size);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = size; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (size_t i = 0; i < size; ++i) {
    const bool root = i == 0 || random.below(1'000) == 0;
    parent[static_cast<size_t>(order[i])] = root ? order[i] : order[i - 1 - random.below(std::min(i, near))];
  }
  return parent;
}

/// From each element to the end, following the pointers backwards.
std::vector<int64_t> distances_to_ends(const std::vector<int64_t>& link) {
  std::vector<int64_t> distance(link.size(), -1), path;
  for (size_t first = 0; first < link.size(); ++first) {
    for (auto at = static_cast<int64_t>(first); distance[static_cast<size_t>(at)] < 0;) {
      path.push_back(at);
      const int64_t there = link[static_cast<size_t>(at)];
      if (there < 0 || there == at) {
        distance[static_cast<size_t>(at)] = 0;
        path.pop_back();
        break;
      }
      at = there;
    }
    for (; !path.empty(); path.pop_back()) {
      const auto at = static_cast<size_t>(path.back());
      distance[at] = distance[static_cast<size_t>(link[at])] + 1;
    }
  }
  return distance;
}

constexpr size_t kSizes[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 1'000, 5'000};

/// The results of cores and of the device.
template <class Lists, class Trees>
void expect_right_ranks(Lists ranks_of, Trees depths_of) {
  std::vector<size_t> sizes(std::begin(kSizes), std::end(kSizes));
  sizes.push_back(test_size<size_t>(10'000, 300'000));
  for (const size_t size : sizes) {
    for (const size_t length : {size_t{1}, size_t{2}, size_t{100}, size_t{10'000'000}}) {
      for (const bool mixed : {false, true}) {
        const std::vector<int64_t> next = make_lists(size, length, mixed);
        EXPECT_EQ(ranks_of(next), distances_to_ends(next)) << size << " of " << length;
      }
      const std::vector<int64_t> parent = make_trees(size, length);
      EXPECT_EQ(depths_of(parent), distances_to_ends(parent)) << size << " near " << length;
    }
  }
}

std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

template <class Lists, class Trees>
void expect_refusals(Lists ranks_of, Trees depths_of) {
  const auto list = [&](const std::vector<int64_t>& next) { return refusal([&] { ranks_of(next); }); };
  const auto tree = [&](const std::vector<int64_t>& parent) { return refusal([&] { depths_of(parent); }); };
  EXPECT_EQ(list({1, 3, -1}), "a list of 3 elements: 1 points at 3");
  EXPECT_EQ(list({1, -2, -1}), "a list of 3 elements: 1 points at -2");
  EXPECT_EQ(list({2, 2, -1}), "a list of 3 elements: 2 follows 0 and 1; expected one predecessor");
  EXPECT_EQ(list({1, 2, 0, -1}), "cycle through element 0");
  EXPECT_EQ(list({0}), "cycle through element 0");
  EXPECT_EQ(tree({0, 4, 1}), "a tree of 3 elements: 1 points at 4");
  EXPECT_EQ(tree({0, -1, 1}), "a tree of 3 elements: 1 points at -1");
  EXPECT_EQ(tree({0, 2, 3, 1}), "cycle through element 1");
  // Cycles that contain many starts of parts, and a list.
  std::vector<int64_t> next = make_lists(5'000, 10'000'000, true);
  const auto end = static_cast<size_t>(std::find(next.begin(), next.end(), -1) - next.begin());
  std::vector<bool> follows(next.size());
  for (const int64_t there : next) {
    if (there >= 0) follows[static_cast<size_t>(there)] = true;
  }
  next[end] = std::find(follows.begin(), follows.end(), false) - follows.begin();
  next.push_back(-1);
  EXPECT_EQ(list(next), "cycle through element 0");
  next.back() = static_cast<int64_t>(next.size()) - 1;
  EXPECT_EQ(tree(next), "cycle through element 0");
}

TEST(Chains, OnCores) {
  expect_right_ranks([](const auto& next) { return list_ranks(next); },
                     [](const auto& parent) { return tree_depths(parent); });
}

TEST(Chains, WhatIsNoneIsRefused) {
  expect_refusals([](const auto& next) { return list_ranks(next); },
                  [](const auto& parent) { return tree_depths(parent); });
}

class ChainsOnDevice : public testing::TestWithParam<Steps::Where> {
 protected:
  void SetUp() override {
    gpu::Device* const gpu = device_for(GetParam(), LANEWISE_SOURCE_DIR);
    if (gpu == nullptr) GTEST_SKIP() << "no GPU, or no compiler for it";
    there_.emplace(*gpu, GetParam());
  }

  std::optional<DeviceChains> there_;
};

TEST_P(ChainsOnDevice, AreAsLoops) {
  expect_right_ranks([&](const auto& next) { return there_->list_ranks(next); },
                     [&](const auto& parent) { return there_->tree_depths(parent); });
}

TEST_P(ChainsOnDevice, WhatIsNoneIsRefused) {
  expect_refusals([&](const auto& next) { return there_->list_ranks(next); },
                  [&](const auto& parent) { return there_->tree_depths(parent); });
}

INSTANTIATE_TEST_SUITE_P(On, ChainsOnDevice, testing::Values(Steps::Where::kHost, Steps::Where::kGpu),
                         [](const auto& test) { return test.param == Steps::Where::kHost ? "Host" : "Gpu"; });

}  // namespace
}  // namespace lanewise::graph
