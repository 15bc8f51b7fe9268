#include "gpu/testing/emulator/block.h"

#include <algorithm>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstdio>
#include <cstdlib>

namespace lanewise::emulator {

namespace {

constexpr size_t kStackBytes = 256 << 10;
constexpr size_t kSharedBytes = 228 << 10;

thread_local Processor* current = nullptr;

}  // namespace

struct Processor::Thread {
  enum State { kReady, kMeets, kExchanges, kGathers, kEnded };

  boost::context::fiber fiber;
  Place place;
  unsigned number;
  State state = kEnded;
  // Its exchange, meeting or gathering:
  Exchange what;
  unsigned mask, source;
  unsigned long long value, result;
  const void* caller;
};

struct Processor::Warp {
  unsigned waiting = 0, ended = 0;  // lanes, as bits
};

Processor::Processor() : shared_(new unsigned char[kSharedBytes]) {}
Processor::~Processor() = default;

const Services& Processor::services() {
  static constexpr Services services = {&place, &meet, &exchange, &gather};
  return services;
}

// What may be called on another core's thread later must look its processor up again: no inlining.
[[gnu::noinline]] const Place& Processor::place() { return current->running_->place; }

void Processor::add_thread() {
  Thread* const thread = threads_.emplace_back(std::make_unique<Thread>()).get();
  thread->number = static_cast<unsigned>(threads_.size() - 1);
  thread->fiber =
      boost::context::fiber(std::allocator_arg, boost::context::protected_fixedsize_stack(kStackBytes),
                            [this, thread](boost::context::fiber&& scheduler) {
                              scheduler_ = std::move(scheduler);
                              for (;;) {
                                launch_->start(launch_->arguments);
                                thread->state = Thread::kEnded;
                                ended_++;
                                warps_[thread->number / 32].ended |= 1u << thread->number % 32;
                                wait();
                              }
                              return std::move(scheduler_);
                            });
}

void Processor::resume(Thread& thread) {
  running_ = &thread;
  thread.fiber = std::move(thread.fiber).resume();
}

void Processor::wait() { scheduler_ = std::move(scheduler_).resume(); }

void Processor::run(const Launch& launch, unsigned number) {
  current = this;
  launch_ = &launch;
  count_ = launch.threads.x * launch.threads.y * launch.threads.z;
  while (threads_.size() < count_) add_thread();
  warps_.assign((count_ + 31) / 32, Warp());
  ended_ = met_ = votes_ = 0;
  const Extent block = {number % launch.blocks.x, number / launch.blocks.x % launch.blocks.y,
                        number / launch.blocks.x / launch.blocks.y};
  for (unsigned i = 0; i < count_; i++) {
    const Extent at = {i % launch.threads.x, i / launch.threads.x % launch.threads.y,
                       i / launch.threads.x / launch.threads.y};
    threads_[i]->place = {at, block, launch.threads, launch.blocks, shared_.get()};
    threads_[i]->state = Thread::kReady;
  }
  if (count_ % 32) warps_.back().ended = ~0u << count_ % 32;

  for (bool any = true; any;) {
    any = false;
    for (unsigned i = 0; i < count_; i++) {
      Thread& thread = *threads_[i];
      if (thread.state != Thread::kReady) continue;
      any = true;
      resume(thread);
      if (thread.state != Thread::kEnded) continue;
      // Others may have waited for this one alone.
      Warp& warp = warps_[i / 32];
      for (unsigned lane = 0; lane < 32; lane++) {
        if (warp.waiting >> lane & 1) end_exchange_if_all_came(warp, threads_[i / 32 * 32 + lane]->mask);
      }
      end_meeting_if_all_came();
    }
    if (!any) any = end_gatherings();
  }
  if (ended_ == count_) return;
  std::fprintf(stderr, "emulated GPU: block %u: %u of %u threads wait for each other for ever\n", number,
               count_ - ended_, count_);
  std::abort();
}

int Processor::meet(bool value) {
  Processor& self = *current;
  Thread& thread = *self.running_;
  thread.state = Thread::kMeets;
  self.met_++;
  self.votes_ += value;
  self.end_meeting_if_all_came();
  if (thread.state == Thread::kMeets) self.wait();
  return static_cast<int>(thread.result);
}

void Processor::end_meeting_if_all_came() {
  if (met_ == 0 || met_ + ended_ < count_) return;
  for (unsigned i = 0; i < count_; i++) {
    if (threads_[i]->state != Thread::kMeets) continue;
    threads_[i]->state = Thread::kReady;
    threads_[i]->result = votes_;
  }
  met_ = votes_ = 0;
}

unsigned long long Processor::exchange(Exchange what, unsigned mask, unsigned long long value,
                                       unsigned source) {
  Processor& self = *current;
  Thread& thread = *self.running_;
  Warp& warp = self.warps_[thread.number / 32];
  thread.what = what, thread.mask = mask, thread.value = value, thread.source = source;
  thread.state = Thread::kExchanges;
  warp.waiting |= 1u << thread.number % 32;
  if ((mask >> thread.number % 32 & 1) == 0) {
    std::fprintf(stderr, "emulated GPU: lane %u is not in the mask %08x of its own exchange\n",
                 thread.number % 32, mask);
    std::abort();
  }
  self.end_exchange_if_all_came(warp, mask);
  if (thread.state == Thread::kExchanges) self.wait();
  return thread.result;
}

void Processor::end_exchange_if_all_came(Warp& warp, unsigned mask) {
  const unsigned here = mask & ~warp.ended;
  if (here == 0 || (warp.waiting & here) != here) return;
  const size_t first = static_cast<size_t>(&warp - warps_.data()) * 32;
  const auto each = [&](auto&& visit) {
    for (unsigned lane = 0; lane < 32; lane++) {
      if (here >> lane & 1) visit(lane, *threads_[first + lane]);
    }
  };
  unsigned long long votes = 0, sum = 0, united = 0, least = ~0ull;
  bool same = true;
  const Exchange what = threads_[first + static_cast<unsigned>(__builtin_ctz(here))]->what;
  each([&](unsigned lane, Thread& thread) {
    same &= thread.what == what && thread.mask == mask;
    votes |= static_cast<unsigned long long>(thread.value != 0) << lane;
    sum += thread.value;
    united |= thread.value;
    least = std::min(least, thread.value);
  });
  if (!same) return;  // lanes of this mask wait elsewhere: a mistake, found when no lane can go on
  each([&](unsigned, Thread& thread) {
    if (what == Exchange::kVote) thread.result = votes;
    if (what == Exchange::kSum) thread.result = sum;
    if (what == Exchange::kUnion) thread.result = united;
    if (what == Exchange::kLeast) thread.result = least;
    if (what == Exchange::kRead) {
      const bool takes_part = thread.source < 32 && here >> thread.source & 1;
      thread.result = takes_part ? threads_[first + thread.source]->value : thread.value;
    }
    thread.state = Thread::kReady;
  });
  warp.waiting &= ~here;
}

unsigned Processor::gather() {
  Processor& self = *current;
  Thread& thread = *self.running_;
  thread.state = Thread::kGathers;
  thread.caller = __builtin_return_address(0);
  self.wait();
  return static_cast<unsigned>(thread.result);
}

bool Processor::end_gatherings() {
  bool any = false;
  for (unsigned first = 0; first < count_; first += 32) {
    unsigned lanes = 0;
    const void* caller = nullptr;
    const unsigned end = std::min(count_ - first, 32u);
    for (unsigned lane = 0; lane < end; lane++) {
      const Thread& thread = *threads_[first + lane];
      if (thread.state != Thread::kGathers || (lanes != 0 && thread.caller != caller)) continue;
      caller = thread.caller;
      lanes |= 1u << lane;
    }
    for (unsigned lane = 0; lane < end; lane++) {
      if ((lanes >> lane & 1) == 0) continue;
      threads_[first + lane]->result = lanes;
      threads_[first + lane]->state = Thread::kReady;
    }
    any |= lanes != 0;
  }
  return any;
}

}  // namespace lanewise::emulator
