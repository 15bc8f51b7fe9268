#include "grep/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "base/error.h"

namespace lanewise::cli::grep {
namespace {

/// Returns a string in pieces of random sizes.
class PiecesStream final : public ByteStream {
 public:
  PiecesStream(std::string text, size_t longest) : text_(std::move(text)), longest_(longest) {}
  size_t read(uint8_t* to, size_t size) override {
    const size_t got = std::min({size, 1 + random_() % longest_, text_.size() - at_});
    std::memcpy(to, text_.data() + at_, got);
    at_ += got;
    return got;
  }

 private:
  std::string text_;
  size_t longest_;
  size_t at_ = 0;
  std::mt19937 random_{4};
};

std::unique_ptr<Input> file_with(const std::string& text, InputLimits limits) {
  std::FILE* file = std::tmpfile();
  EXPECT_EQ(std::fwrite(text.data(), 1, text.size(), file), text.size());
  std::fflush(file);
  std::unique_ptr<Input> input = mapped_input(::fileno(file), text.size(), limits);
  std::fclose(file);
  return input;
}

/// The contents of all blocks; each holds whole lines, and only the first and the last are marked as such.
std::string read_all(Input& input) {
  std::string all;
  Block block;
  bool last = false;
  for (bool first = true; input.claim(block); first = false) {
    input.fill(block);
    EXPECT_EQ(block.first, first);
    EXPECT_FALSE(last);
    last = block.last;
    EXPECT_TRUE(block.size() == 0 || block.text()[block.size() - 1] == '\n');
    all.append(reinterpret_cast<const char*>(block.text()), block.size());
    volatile uint8_t behind = 0;
    for (int i = 0; i < 64; ++i) behind = behind + block.text()[block.size() + i];  // for sanitizers
  }
  EXPECT_TRUE(last);
  return all;
}

std::string random_lines(std::mt19937& random, size_t lines, size_t longest) {
  std::string text;
  for (; lines > 0; --lines) {
    text.append(random() % 4 ? random() % 8 : random() % longest, static_cast<char>('a' + random() % 20));
    text += '\n';
  }
  return text;
}

TEST(Input, EveryLineOnce) {
  std::mt19937 random(2);
  for (const size_t block : {1, 2, 31, 32, 33, 63, 64, 65, 1000}) {
    for (int round = 0; round < 30; ++round) {
      std::string text = random_lines(random, 1 + random() % 60, 300);
      const std::string expected = text;
      if (random() % 2 && text.size() > 1 && text[text.size() - 2] != '\n')
        text.pop_back();  // no line end at the end
      const InputLimits limits{block, 1 << 20};
      const auto file = file_with(text, limits);
      ASSERT_EQ(read_all(*file), expected) << block;
      for (const size_t piece : {1, 7, 5000}) {
        const auto stream = stream_input(Descriptor(-1), std::make_unique<PiecesStream>(text, piece), limits);
        ASSERT_EQ(read_all(*stream), expected) << block << " " << piece;
      }
    }
  }
}

TEST(Input, BlocksOfAFileInAnyOrder) {
  std::mt19937 random(3);
  const std::string text = random_lines(random, 500, 200);
  const auto file = file_with(text, {64, 1 << 20});
  std::vector<Block> blocks;
  for (Block block; file->claim(block);) blocks.push_back(std::move(block));
  EXPECT_GT(blocks.size(), 50);
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) file->fill(*block);
  std::string all;
  for (const Block& block : blocks) all.append(reinterpret_cast<const char*>(block.text()), block.size());
  EXPECT_EQ(all, text);
}

TEST(Input, EmptyStream) {
  const auto stream = stream_input(Descriptor(-1), std::make_unique<PiecesStream>("", 9));
  EXPECT_EQ(read_all(*stream), "");
}

TEST(Input, FilesThatEndWithAPage) {
  for (const size_t size : {4095, 4096, 4097, 8192 - 64, 8192 - 63, 8192}) {
    for (const size_t block : {100, 4096, 1 << 20}) {
      const std::string text = "x\n" + std::string(size - 3, 'y') + "\n";
      EXPECT_EQ(read_all(*file_with(text, {block, 1 << 20})), text) << size << " " << block;
    }
  }
}

TEST(Input, LineTooLong) {
  const InputLimits limits{64, 300};
  const auto fails = [](Input& input) {
    Block block;
    while (input.claim(block)) input.fill(block);
  };
  const std::string good = "a\n" + std::string(299, 'b') + "\nc\n",
                    bad = "a\n" + std::string(70'000, 'b') + "\n";
  const auto file = file_with(good, limits);
  EXPECT_EQ(read_all(*file), good);
  const auto stream = stream_input(Descriptor(-1), std::make_unique<PiecesStream>(good, 100), limits);
  EXPECT_EQ(read_all(*stream), good);
  const auto too_long = testing::ThrowsMessage<UserError>(testing::HasSubstr("a line is longer than 300 B"));
  EXPECT_THAT([&] { fails(*file_with(bad, limits)); }, too_long);
  EXPECT_THAT([&] { fails(*stream_input(Descriptor(-1), std::make_unique<PiecesStream>(bad, 100), limits)); },
              too_long);
}

}  // namespace
}  // namespace lanewise::cli::grep
