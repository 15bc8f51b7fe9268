// Searches for a literal on a GPU, a real one or the emulated one, against std::string's.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "codegen/kernel_text.h"
#include "gpu/modules/kernels.h"
#include "gpu/testing/gpu.h"
#include "ops/filter/gpu/match.h"
#include "ops/filter/gpu/match_kernels.h"

namespace lanewise::ops {
namespace needle_test {

using Texts = std::vector<std::string>;

bool matches(const std::string& text, const std::string& needle, std::string_view form) {
  if (form == "prefix") return text.starts_with(needle);
  if (form == "suffix") return text.ends_with(needle);
  if (form == "equality") return text == needle;
  return text.find(needle) != std::string::npos;
}

MatchKind kind_of(std::string_view form) {
  const auto forms = text::forms::all_forms();
  return {&*(*std::ranges::find(forms, form, [](const auto* kind) { return kind->name; }))->gpu};
}

std::string random_text(Random& random, size_t size, unsigned letters) {
  std::string text(size, 0);
  for (char& byte : text) byte = static_cast<char>('a' + random.below(letters));
  return text;
}

class NeedlesOnGpu : public gpu::GpuTest {
 protected:
  NeedlesOnGpu() : GpuTest(LANEWISE_SOURCE_DIR) {}

  /// The rows' bytes begin `skipped` bytes after an aligned address, after and before others.
  template <class Offset>
  void search(std::string_view form, const Texts& texts, const std::string& needle, unsigned blocks,
              size_t skipped) {
    SCOPED_TRACE(testing::Message() << form << ", " << texts.size() << " rows, a needle of " << needle.size()
                                    << " bytes, blocks: " << blocks << ", skipped: " << skipped);
    std::string bytes = needle + needle;
    bytes.resize(skipped, needle.back());
    std::vector<Offset> offsets{static_cast<Offset>(skipped)};
    std::vector<uint32_t> expected((texts.size() + 63) / 64 * 2);
    for (size_t i = 0; i < texts.size(); ++i) {
      bytes += texts[i];
      offsets.push_back(static_cast<Offset>(bytes.size()));
      if (matches(texts[i], needle, form)) expected[i / 32] |= 1u << i % 32;
    }
    bytes += needle + needle + std::string(64, 0);
    const gpu::DeviceBuffer on = upload(offsets),
                            text = upload(std::vector<char>(bytes.begin(), bytes.end())),
                            hits = upload(std::vector<uint32_t>(expected.size()));
    kernel::NeedleJob job = needle_job(needle);
    job.rows = texts.size();
    job.offsets = on.address();
    job.bytes = text.address();
    job.hits = hits.address();
    kernel(form, sizeof(Offset) == 8).launch(*stream_, {.blocks = blocks, .threads = kernel::kThreads}, job);
    EXPECT_EQ(fetch<uint32_t>(hits, expected.size()), expected);
  }

  void search_all(const Texts& texts, const std::string& needle) {
    for (const std::string_view form : {"prefix", "suffix", "equality", "contains"}) {
      for (const size_t skipped : {0, 1, 15, 16, 77}) {
        search<uint32_t>(form, texts, needle, 1, skipped);
        search<uint64_t>(form, texts, needle, 3, skipped);
      }
    }
  }

 private:
  gpu::Kernel kernel(std::string_view form, bool wide_offsets) {
    const std::pair key(form, wide_offsets);
    auto found = modules_.find(key);
    if (found == modules_.end()) {
      const codegen::KernelText text =
          match_text("match_0", kind_of(form), wide_offsets, kernel::Asked::kAll, false);
      found = modules_.emplace(key, gpu::build(*gpu_, codegen::kernel_source(text.text())).module).first;
    }
    return found->second.kernel("match_pattern");
  }

  std::map<std::pair<std::string_view, bool>, gpu::Module> modules_;
};

TEST_F(NeedlesOnGpu, FindsThem) {
  Random random(1);
  for (const size_t rows : {1, 31, 32, 33, 63, 64, 65, 1'000, 20'000}) {
    Texts texts;
    for (size_t i = 0; i < rows; ++i) texts.push_back(random_text(random, random.below(50), 4));
    for (const size_t size : {1, 2, 3, 5, 9, 31})
      search<uint32_t>("contains", texts, random_text(random, size, 4), 2, 5);
  }
}

TEST_F(NeedlesOnGpu, RowsEndWhereverTheyDo) {
  Random random(2);
  const std::string needle = "needle";
  Texts texts;  // which begin and end with parts of it, so that it lies across rows
  for (size_t i = 0; i < 3'000; ++i) {
    const size_t cut = random.below(needle.size() + 1);
    texts.push_back(needle.substr(cut) + random_text(random, random.below(9), 3) +
                    needle.substr(0, random.below(needle.size() + 1)));
  }
  search_all(texts, needle);
  texts.assign(2'000, "");
  search_all(texts, needle);
  texts[700] = needle;
  texts[701] = "needl";
  search_all(texts, needle);
}

TEST_F(NeedlesOnGpu, RowsBeginAndEndWithThem) {
  Random random(4);
  for (const size_t size : {1, 7, 8, 9, 10, 40, 64}) {
    const std::string needle = random_text(random, size, 26);
    for (const unsigned one_in : {1, 2, 10, 1'000}) {  // has at least its first bytes
      Texts texts;
      for (size_t i = 0; i < 1'500; ++i) {
        const size_t part =
            random.below(one_in) == 0 ? size - std::min<size_t>(random.below(3), size / 2) : 0;
        texts.push_back(needle.substr(0, part) + random_text(random, random.below(4), 26) +
                        needle.substr(size - part));
        if (random.below(one_in) == 0) texts.back() = needle;
      }
      search_all(texts, needle);
    }
  }
}

TEST_F(NeedlesOnGpu, SomeRowsAreHuge) {
  Random random(3);
  Texts texts;
  for (size_t i = 0; i < 300; ++i) texts.push_back(random_text(random, i % 100 == 50 ? 70'000 : i % 20, 26));
  for (const size_t i : {size_t{50}, size_t{250}}) texts[i].replace(69'990, 10, "abcdefghij");
  texts[99] = "abcdefghij";
  search_all(texts, "abcdefghij");
}

TEST_F(NeedlesOnGpu, EachPlaceMayBeOne) {
  const Texts texts(500, std::string(40, 'a'));
  search_all(texts, "a");
  search_all(texts, "aa");
  search_all(texts, std::string(40, 'a'));
  search_all(texts, std::string(41, 'a'));
  search_all(texts, std::string(30, 'a') + "b");
}

TEST_F(NeedlesOnGpu, BytesAreAnyBytes) {
  Texts texts;
  for (size_t i = 0; i < 2'000; ++i)
    texts.push_back(std::string(i % 7, 0) + "\xff\x80" + std::string(i % 3, 0) + "\x01");
  search_all(texts, std::string(1, 0));
  search_all(texts, std::string(6, 0));
  search_all(texts, std::string("\xff\x80\0\0\x01", 5));
  search_all(texts, "\x80\x01");
}

}  // namespace needle_test
}  // namespace lanewise::ops
