#pragma once

#include <sys/mman.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "index/image/storage.h"

namespace lanewise::index {

/// Storage in memory that records the calls.
class RecordedStorage final : public Storage {
 public:
  struct Step {
    enum Kind { kWrite, kSync, kTruncate } kind;
    uint64_t at = 0;
    std::string bytes;
  };

  RecordedStorage() = default;
  explicit RecordedStorage(std::string bytes, bool writable = true)
      : bytes_(std::move(bytes)), writable_(writable) {}

  std::string name() const override { return "recorded"; }
  bool writable() const override { return writable_; }
  uint64_t size() const override { return bytes_.size(); }
  void read(uint64_t at, void* to, size_t bytes) const override {
    if (at + bytes > bytes_.size()) throw UserError("recorded ends too early");
    std::memcpy(to, bytes_.data() + at, bytes);
  }
  void write(uint64_t at, const void* from, size_t bytes) override {
    if (steps_left == 0) throw UserError("recorded is full");
    --steps_left;
    steps.push_back({Step::kWrite, at, std::string(static_cast<const char*>(from), bytes)});
    apply(steps.back(), bytes_);
  }
  void sync() override { steps.push_back({Step::kSync, 0, ""}); }
  void truncate(uint64_t size) override {
    steps.push_back({Step::kTruncate, size, ""});
    apply(steps.back(), bytes_);
  }
  void map(uint8_t* to, size_t bytes) const override {
    if (::mprotect(to, bytes, PROT_READ | PROT_WRITE) != 0) throw UserError("recorded cannot be mapped");
    std::memcpy(to, bytes_.data(), bytes);
  }

  static void apply(const Step& step, std::string& bytes) {
    if (step.kind == Step::kTruncate) bytes.resize(step.at);
    if (step.kind != Step::kWrite) return;
    if (bytes.size() < step.at + step.bytes.size()) bytes.resize(step.at + step.bytes.size());
    std::memcpy(bytes.data() + step.at, step.bytes.data(), step.bytes.size());
  }

  const std::string& bytes() const { return bytes_; }

  std::vector<Step> steps;
  uint64_t steps_left = UINT64_MAX;

 private:
  std::string bytes_;
  bool writable_ = true;
};

}  // namespace lanewise::index
