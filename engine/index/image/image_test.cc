#include "index/image/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <string>

#include "base/error.h"
#include "base/testing/temporary_folder.h"
#include "base/testing/test_size.h"
#include "index/index.h"
#include "index/testing/recorded_storage.h"
#include "index/tree/tree.h"

namespace lanewise::index {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

/// All entries of the image that opens from these bytes.
std::multimap<uint32_t, uint32_t> content(const std::string& bytes, bool writable) {
  RecordedStorage storage(bytes, writable);
  const std::unique_ptr<Pool> pool = open_image(storage, nullptr);
  const std::unique_ptr<Tree> tree = make_tree(*pool);
  const Root root = pool->header().root;
  tree->verify(root);
  std::multimap<uint32_t, uint32_t> all;
  Path path;
  tree->seek_rank(root, 0, path);
  do {
    const Node<u64> leaf = tree->leaf(path.nodes[0]);
    for (u32 i = 0; i < leaf.count(); ++i) {
      const u8* keys = reinterpret_cast<const u8*>(leaf.samples()) + leaf.shape().keys_at;
      uint32_t value;
      std::memcpy(&value, leaf.payload(i), 4);
      all.emplace(reinterpret_cast<const u32*>(keys)[i], value);
    }
  } while (tree->next_leaf(path));
  return all;
}

/// An image in recorded storage, and its content at each commit.
class Recorded {
 public:
  Recorded()
      : pool_(make_header({{TypeId::kUInt32}}, 4, 16, 15, 100, false), nullptr), tree_(make_tree(pool_)) {
    tree_->start();
    states.push_back({});
    insert(2000);
    write_image(pool_, storage);
    states.push_back(model_);
  }

  void change_and_commit(size_t more) {
    insert(more);
    erase(more / 2);
    commit_image(pool_, storage, stuck);
    states.push_back(model_);
  }

  void insert(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const uint32_t key = static_cast<uint32_t>(random_()), value = static_cast<uint32_t>(model_.size());
      tree_->insert({&key, {}}, reinterpret_cast<const u8*>(&value), Existing::kAdd);
      model_.emplace(key, value);
    }
  }

  RecordedStorage storage;
  std::vector<std::multimap<uint32_t, uint32_t>> states;
  bool stuck = false;

 private:
  void erase(size_t count) {
    for (size_t i = 0; i < count && !model_.empty(); ++i) {
      auto at = model_.lower_bound(static_cast<uint32_t>(random_()));
      if (at == model_.end()) at = model_.begin();
      Path path;
      tree_->seek(pool_.header().root, {&at->first, {}}, false, path);
      tree_->erase(path);
      model_.erase(at);
    }
  }

  Pool pool_;
  std::unique_ptr<Tree> tree_;
  std::mt19937 random_{11};
  std::multimap<uint32_t, uint32_t> model_;
};

/// The commit that an image belongs to: -1 before the first.
int state_of(const Recorded& recorded, const std::string& bytes, bool writable) {
  std::multimap<uint32_t, uint32_t> found;
  try {
    found = content(bytes, writable);
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), AnyOf(HasSubstr("is not an index"), HasSubstr("group 0 is damaged")));
    return -1;
  }
  for (size_t i = recorded.states.size(); i-- > 1;) {
    if (recorded.states[i] == found) return static_cast<int>(i);
  }
  ADD_FAILURE() << "the image is of no commit";
  return -2;
}

TEST(Image, EveryCrashLeavesACommit) {
  Recorded recorded;
  for (const size_t more : {300, 3000, 1}) recorded.change_and_commit(more);
  std::mt19937 random(5);
  using Step = RecordedStorage::Step;
  std::string synced;             // what is durable
  std::vector<const Step*> open;  // what was written since
  int safe = -1;                  // the last commit whose call has returned before `open` began
  int begun = 0;
  size_t number = 0;
  for (const Step& step : recorded.storage.steps) {
    open.push_back(&step);
    ++number;
    if (step.kind == Step::kSync) {
      for (const Step* done : open) RecordedStorage::apply(*done, synced);
      open.clear();
      const int state = state_of(recorded, synced, false);
      EXPECT_GE(state, safe);
      safe = state;
      begun = std::max(begun, state);
    }
    // If the process dies, everything it wrote is there. If the machine dies, any part of what was not synced
    // is.
    const size_t tries = test_size(2, 4, 20);
    for (size_t i = 0; i < tries; ++i) {
      std::string bytes = synced;
      for (const Step* done : open) {
        if (i == 0 || random() % 2 == 0) {
          RecordedStorage::apply(*done, bytes);
        } else if (done->kind == Step::kWrite && random() % 2 == 0) {
          RecordedStorage::apply(
              {Step::kWrite, done->at, done->bytes.substr(0, random() % done->bytes.size())}, bytes);
        }
      }
      const int state = state_of(recorded, bytes, random() % 2 == 0);
      ASSERT_TRUE(state == safe || state == std::max(safe, 0) + 1) << "step " << number << " gives " << state;
    }
  }
  EXPECT_EQ(safe, 4);
}

TEST(Image, RecoveryMayCrashToo) {
  Recorded recorded;
  recorded.change_and_commit(500);
  const auto& steps = recorded.storage.steps;
  std::string bytes;
  size_t syncs = 0;
  for (const auto& step : steps) {  // up to the journal's sync
    RecordedStorage::apply(step, bytes);
    if (step.kind == RecordedStorage::Step::kSync && ++syncs == 3) break;
  }
  RecordedStorage recovering(bytes);
  open_image(recovering, nullptr);
  ASSERT_GT(recovering.steps.size(), 3u);
  for (const auto& step : recovering.steps) {
    EXPECT_EQ(state_of(recorded, bytes, false), 2);
    RecordedStorage::apply(step, bytes);
  }
  EXPECT_EQ(state_of(recorded, bytes, true), 2);
}

TEST(Image, AFailedWriteIsNoCommit) {
  Recorded recorded;
  const size_t size = recorded.storage.bytes().size();
  recorded.storage.steps_left = 3;
  EXPECT_THROW(recorded.change_and_commit(1000), UserError);
  EXPECT_FALSE(recorded.stuck);
  EXPECT_EQ(recorded.storage.bytes().size(), size);
  EXPECT_EQ(state_of(recorded, recorded.storage.bytes(), false), 1);
  recorded.storage.steps_left = UINT64_MAX;
  recorded.change_and_commit(10);
  EXPECT_EQ(state_of(recorded, recorded.storage.bytes(), false), 2);
}

TEST(Image, FlippedBitsAreFoundAndNamed) {
  const Recorded recorded;
  std::mt19937_64 random(6);
  for (int i = 0; i < test_size(20, 100); ++i) {
    std::string bytes = recorded.storage.bytes();
    const size_t at = random() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
    try {
      content(bytes, false);
      FAIL() << "a bit of byte " << at << " was flipped, and nobody saw";
    } catch (const UserError& error) {
      if (at >= kMinGroupBytes) {
        EXPECT_THAT(error.what(), HasSubstr("group " + std::to_string(at / kMinGroupBytes) + " "));
      }
    }
  }
}

TEST(Image, WhatIsNoIndexIsRefused) {
  const Recorded recorded;
  const std::string& whole = recorded.storage.bytes();
  const auto error_of = [](const std::string& bytes) -> std::string {
    try {
      content(bytes, true);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(error_of(""), HasSubstr("is not an index"));
  EXPECT_THAT(error_of(std::string(200000, 'x')), HasSubstr("is not an index"));
  EXPECT_THAT(error_of(whole.substr(0, whole.size() - 1)), HasSubstr("truncated"));
  std::string other = whole;
  other[16] = 9;
  EXPECT_THAT(error_of(other), HasSubstr("format 9"));
  other = whole;
  std::reverse(other.begin() + 20, other.begin() + 24);
  EXPECT_THAT(error_of(other), HasSubstr("byte order"));
}

/// A process that commits is killed, again and again.
TEST(Image, KilledProcessesLoseNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.file("killed.index");
  IndexOptions options;
  options.key = {{TypeId::kUInt32}};
  options.value_bytes = 4;
  {
    Index index(options);
    index.save(path);
  }
  uint64_t least = 0;
  for (int round = 0; round < test_size(3, 12, 100); ++round) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(pipe[0]);
      Index index = Index::open(path, Index::Mode::kWrite);
      for (auto at = static_cast<uint32_t>(index.size());; at += 1000) {
        std::vector<uint32_t> keys(1000);
        for (uint32_t i = 0; i < 1000; ++i) keys[i] = (at + i) * 0x9e3779b1u;
        index.insert(keys, keys);
        index.commit();
        const uint64_t size = index.size();
        if (::write(pipe[1], &size, sizeof size) != sizeof size) ::_exit(0);
      }
    }
    ::close(pipe[1]);
    uint64_t told = 0;
    const int commits = 1 + round % 5;
    for (int i = 0; i < commits; ++i) ASSERT_EQ(::read(pipe[0], &told, sizeof told), ssize_t{sizeof told});
    ::usleep(static_cast<useconds_t>(round * 977 % 5000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(pipe[0], &told, sizeof told) == sizeof told) {
    }
    ::close(pipe[0]);
    const Index index = Index::open(path);
    index.verify();
    EXPECT_EQ(index.size() % 1000, 0u);
    EXPECT_GE(index.size(), told);
    EXPECT_LE(index.size(), told + 1000);
    least = index.size();
  }
  EXPECT_GT(least, 0u);
}

TEST(Image, OneWriterOrReaders) {
  const TemporaryFolder folder;
  const std::string path = folder.file("locked.index");
  IndexOptions options;
  options.key = {{TypeId::kUInt32}};
  Index(options).save(path);
  const Index first = Index::open(path), second = Index::open(path);
  EXPECT_THROW(Index::open(path, Index::Mode::kWrite), UserError);
  EXPECT_THROW(Index::open(folder.file("nowhere")), UserError);
  EXPECT_THROW(Index::open(folder.path().string()), UserError);
}

}  // namespace
}  // namespace lanewise::index
