#include "lanes/search/fixed.h"

#include "lanes/testing/find_check.h"

namespace lanewise::lanes {
namespace {

class FindFixed : public FindCheck {
 protected:
  Target ran() const override {
    const bool has_own = GetParam() == Target::avx512 || GetParam() == Target::avx2;
    return has_own ? GetParam() : Target::scalar;
  }
  void check(const std::vector<std::string>& texts, const std::string& wanted) {
    const auto at = [&](Place place, const Contains& holds) {
      if (!HasFatalFailure()) FindCheck::check(FixedFinder(GetParam(), wanted, place), texts, 'a', holds);
    };
    at(Place::whole, [&](std::string_view text) { return text == wanted; });
    at(Place::begin, [&](std::string_view text) { return text.starts_with(wanted); });
    at(Place::end, [&](std::string_view text) { return text.ends_with(wanted); });
  }
};

TEST_P(FindFixed, RandomTexts) {
  for (const size_t rows : {0, 1, 7, 8, 9, 63, 64, 65, 130, 1000}) {
    for (int letters : {1, 2, 3}) {
      const auto texts = random_texts(rows, letters);
      for (size_t size : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 70}) {
        std::string wanted(size, 'a');
        for (char& c : wanted) c = char('a' + random_() % letters);
        check(texts, wanted);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(FindFixed, NearMisses) {
  for (size_t size : {1, 5, 8, 9, 12, 16, 23, 32, 33, 40, 100}) {
    std::string wanted(size, '\xff');
    for (char& c : wanted) c = char(random_());
    std::vector<std::string> texts{wanted, wanted + wanted, wanted.substr(1), wanted.substr(0, size - 1)};
    for (size_t at = 0; at < size; at++) {
      texts.push_back(wanted);
      texts.back()[at] ^= 1;
    }
    check(texts, wanted);
    if (HasFatalFailure()) return;
  }
}

TEST_P(FindFixed, HugeRows) {
  const std::string huge(1 << 20, 'h');
  check({huge, "h", "", huge + "h", huge.substr(1)}, huge);
  check({huge, "h", "", huge + "i"}, "hh");
}

INSTANTIATE_TEST_SUITE_P(All, FindFixed, ::testing::ValuesIn(kTargets),
                         [](const auto& each) { return std::string(name(each.param)); });

}  // namespace
}  // namespace lanewise::lanes
