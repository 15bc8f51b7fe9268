#include "expr/vectors/compare_texts.h"

#include <gtest/gtest.h>

#include <random>

namespace lanewise::expr {
namespace {

constexpr Comparison kComparisons[] = {Comparison::eq, Comparison::ne, Comparison::lt,
                                       Comparison::le, Comparison::gt, Comparison::ge};

bool holds(Comparison op, int order) {
  switch (op) {
    case Comparison::eq:
      return order == 0;
    case Comparison::ne:
      return order != 0;
    case Comparison::lt:
      return order < 0;
    case Comparison::le:
      return order <= 0;
    case Comparison::gt:
      return order > 0;
    case Comparison::ge:
      return order >= 0;
  }
  return false;
}

/// Strings that share their first bytes, some with NUL bytes at the end, some with bytes above 0x7f.
std::string random_text(std::mt19937& random) {
  std::string text(random() % 30, 'a');
  for (char& c : text) {
    if (random() % 8 == 0) c = "b\0\xff"[random() % 3];
  }
  return text;
}

template <class Offset>
void check(size_t count, std::mt19937& random) {
  std::string bytes;
  std::vector<Offset> offsets{0};
  std::vector<std::string> texts;
  for (size_t i = 0; i < count; ++i) {
    texts.push_back(random_text(random));
    bytes += texts.back();
    offsets.push_back(static_cast<Offset>(bytes.size()));
  }
  bytes.append(8, '\0');
  Vector text{.type = TypeId::kVarchar, .form = Vector::Form::kText, .values = offsets.data()};
  text.wide_offsets = sizeof(Offset) == 8;
  text.bytes = reinterpret_cast<const uint8_t*>(bytes.data());

  for (uint32_t each : {1, 3, 64}) {  // every row active, every third, one per word
    Arena arena;
    auto* active = arena.allocate<uint64_t>(bits::words(count) + 1);
    std::fill_n(active, bits::words(count) + 1, 0);
    for (size_t i = 0; i < count; i += each) bits::set(active, i);
    ActiveSet rows(static_cast<uint32_t>(count), arena);
    rows.narrow(active);
    std::vector<uint64_t> found(bits::words(count) + 1);
    for (int round = 0; round < 20; ++round) {
      const std::string wanted = count && round % 2 ? texts[random() % count] : random_text(random);
      for (Comparison op : kComparisons) {
        compare_texts(op, text, wanted, rows, found.data());
        for (size_t i = 0; i < bits::words(count) * 64; ++i) {
          const bool hit = i < count && i % each == 0 && holds(op, texts[i].compare(wanted));
          ASSERT_EQ(bits::test(found.data(), i), hit) << count << " row " << i << " op " << int(op);
        }
      }
    }
  }
}

TEST(CompareTexts, AsStringsCompare) {
  std::mt19937 random(7);
  for (size_t count : {0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 1000}) {
    check<uint32_t>(count, random);
    check<uint64_t>(count, random);
  }
}

}  // namespace
}  // namespace lanewise::expr
