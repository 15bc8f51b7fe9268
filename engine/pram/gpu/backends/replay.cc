#include "pram/gpu/backends/replay.h"

#include <utility>

namespace lanewise::pram {

namespace {

constexpr size_t kFewest = 2;  // minimum launches of a graph
constexpr size_t kMost = 256;  // maximum number of recorded sequences

}  // namespace

void Replay::turn(bool on) {
  on_ = on;
  waits_.clear();
  key_.clear();
  asked_.clear();
}

void Replay::launch(const gpu::Kernel& kernel, uint64_t blocks, unsigned threads,
                    std::span<const uint64_t> arguments) {
  waits_.push_back({&kernel, blocks, threads, {arguments.begin(), arguments.end()}});
  key_.insert(key_.end(), {reinterpret_cast<uint64_t>(&kernel), blocks, threads, arguments.size()});
  key_.insert(key_.end(), arguments.begin(), arguments.end());
}

void Replay::fill(uint64_t address, unsigned char byte, size_t bytes) {
  waits_.push_back({nullptr, 0, 0, {address, byte, bytes}});
  key_.insert(key_.end(), {0, address, byte, bytes});
}

void Replay::ask() {
  for (const Work& work : waits_) {
    if (work.kernel == nullptr) {
      stream_.fill(work.arguments[0], static_cast<unsigned char>(work.arguments[1]), work.arguments[2]);
    } else {
      work.kernel->launch_words(stream_, {.blocks = work.blocks, .threads = work.threads}, work.arguments);
    }
  }
}

void Replay::flush() {
  if (waits_.empty()) return;
  if (asked_.size() == kMost) asked_.clear();
  if (const auto found = asked_.find(key_); found == asked_.end()) {
    ask();
    if (waits_.size() >= kFewest) asked_.emplace(std::move(key_), std::nullopt);
  } else {
    if (!found->second) found->second.emplace(stream_, [&] { ask(); });
    found->second->launch(stream_);
  }
  waits_.clear();
  key_.clear();
}

}  // namespace lanewise::pram
