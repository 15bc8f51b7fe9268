#include "primitives/testing/merge.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace lanewise {
namespace {

struct Item {
  int key;
  int origin;
  friend bool operator==(const Item&, const Item&) = default;
};

TEST(Merge, IsStableForAllSizes) {
  std::mt19937 random(1);
  const auto less = [](const Item& a, const Item& b) { return a.key < b.key; };
  for (const size_t a_size : {0, 1, 31, 32, 33, 63, 64, 65, 5000}) {
    for (const size_t b_size : {0, 1, 2, 64, 65, 3000}) {
      for (const int distinct : {1, 3, 1000}) {
        std::vector<Item> a(a_size), b(b_size);
        for (Item& item : a) item.key = static_cast<int>(random()) % distinct;
        for (Item& item : b) item.key = static_cast<int>(random()) % distinct;
        std::stable_sort(a.begin(), a.end(), less);
        std::stable_sort(b.begin(), b.end(), less);
        for (size_t i = 0; i < a_size; ++i) a[i].origin = static_cast<int>(i);
        for (size_t i = 0; i < b_size; ++i) b[i].origin = -1 - static_cast<int>(i);
        std::vector<Item> expected(a_size + b_size), merged(a_size + b_size);
        std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), less);
        for (const size_t grain : {1, 7, 1000, 100000}) {
          merge<Item>(a, b, merged.data(), less, grain);
          ASSERT_TRUE(merged == expected) << a_size << " and " << b_size << " by " << grain;
        }
      }
    }
  }
}

}  // namespace
}  // namespace lanewise
