#pragma once

#include <boost/context/fiber.hpp>
#include <memory>
#include <vector>

#include "gpu/testing/emulator/interface.h"

namespace lanewise::emulator {

/// A launch of a kernel: its thread function, and its shape.
struct Launch {
  void (*start)(void** arguments);
  void** arguments;
  Extent blocks, threads;
  unsigned shared_bytes;  ///< dynamic
};

/// Runs a launch's blocks, one after another, on the calling thread. A block's threads take turns:
/// each runs until it waits for others.
class Processor {
 public:
  Processor();
  ~Processor();
  /// Runs block `number` of the launch. Prints a message and aborts if its threads wait for each other
  /// forever.
  void run(const Launch& launch, unsigned number);

  /// The services for the kernels.
  static const Services& services();

 private:
  struct Thread;
  struct Warp;

  static const Place& place();
  static int meet(bool value);
  static unsigned long long exchange(Exchange what, unsigned mask, unsigned long long value, unsigned source);
  static unsigned gather();

  void add_thread();
  void resume(Thread& thread);
  void wait();  // in a thread: until it is resumed
  void end_meeting_if_all_came();
  void end_exchange_if_all_came(Warp& warp, unsigned mask);
  bool end_gatherings();  // one of each warp; false: there was none

  boost::context::fiber scheduler_;
  std::vector<std::unique_ptr<Thread>> threads_;  // those beyond `count_` wait for a larger block
  std::vector<Warp> warps_;
  std::unique_ptr<unsigned char[]> shared_;
  const Launch* launch_ = nullptr;
  Thread* running_ = nullptr;
  unsigned count_ = 0, ended_ = 0, met_ = 0, votes_ = 0;
};

}  // namespace lanewise::emulator
