#include "gpu/staging.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>

#include "base/machine.h"

namespace lanewise::gpu {

namespace {

constexpr size_t kSmallest = size_t{256} << 10;  // of a piece: smaller ones gain nothing

}  // namespace

Staging::Staging(Device& device, const Options& options)
    : device_(device), chunk_(options.chunk), budget_(options.budget), stream_(device) {
  const int threads = options.threads > 0 ? options.threads : std::min(machine_cores(), 8);
  for (int i = 0; i < threads; i++)
    workers_.push_back({{Slot{PinnedBuffer(), Event(device)}, Slot{PinnedBuffer(), Event(device)}}});
  for (size_t i = 1; i < workers_.size(); i++) {
    threads_.emplace_back([this, i](const std::stop_token& stop) { serve(stop, i); });
  }
}

Staging::~Staging() { device_.release(&cuda::Calls::stream_synchronize, stream_.handle()); }

Staging::Worker& Staging::pinned(size_t index) {
  for (Slot& slot : workers_[index].slots)
    if (slot.memory.size() == 0) slot.memory = PinnedBuffer(device_, chunk_, budget_, "staging");
  return workers_[index];
}

void Staging::serve(const std::stop_token& stop, size_t index) {
  std::unique_lock lock(mutex_);
  uint64_t done = 0;
  while (wake_.wait(lock, stop, [&] { return jobs_ != done && index < wanted_; })) {
    done = jobs_;
    running_++;
    const auto& job = *job_;
    lock.unlock();
    job(workers_[index]);
    lock.lock();
    if (--running_ == 0) idle_.notify_one();
  }
}

void Staging::run(size_t bytes, const std::function<void(Worker&, const Next&)>& copy) {
  // Two pieces for each thread, so that it copies while the device moves.
  const size_t share = (bytes / (2 * workers_.size()) + 4096) / 4096 * 4096;
  const size_t piece = std::clamp(share, std::min(kSmallest, chunk_), chunk_);
  std::atomic<size_t> taken{0};
  const Next next = [&] {
    const size_t at = std::min(taken.fetch_add(piece), bytes);
    return Piece{at, std::min(piece, bytes - at)};
  };
  std::exception_ptr failure;
  std::mutex failing;
  const std::function<void(Worker&)> work = [&](Worker& worker) {
    try {
      copy(worker, next);
    } catch (...) {
      taken.store(bytes);  // the others stop
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
    }
  };

  const size_t threads = std::min(workers_.size(), (bytes + piece - 1) / piece);
  for (size_t i = 0; i < threads; i++) pinned(i);
  std::unique_lock lock(mutex_);
  job_ = &work;
  jobs_++;
  wanted_ = threads;
  lock.unlock();
  if (threads > 1) wake_.notify_all();
  work(workers_[0]);
  lock.lock();
  wanted_ = 0;  // a thread that has not woken yet finds nothing left
  idle_.wait(lock, [&] { return running_ == 0; });
  lock.unlock();

  if (!failure) return;
  // Nothing may move into or out of memory that ends now.
  device_.release(&cuda::Calls::stream_synchronize, stream_.handle());
  std::rethrow_exception(failure);
}

void Staging::upload(cuda::Address to, const void* from, size_t bytes, Stream& stream) {
  upload(
      to, bytes,
      [from](uint8_t* memory, size_t at, size_t count) {
        std::memcpy(memory, static_cast<const uint8_t*>(from) + at, count);
      },
      stream);
}

void Staging::upload(cuda::Address to, size_t bytes, const Fill& fill, Stream& stream) {
  if (bytes == 0) return;
  const std::lock_guard lock(transfer_);
  Event asked(device_);
  asked.record(stream);
  stream_.wait(asked);
  run(bytes, [&](Worker& worker, const Next& next) {
    int turn = 0;
    for (Piece piece = next(); piece.bytes != 0; piece = next(), turn ^= 1) {
      Slot& slot = worker.slots[turn];
      slot.moved.synchronize();
      fill(slot.memory.data(), piece.at, piece.bytes);
      stream_.copy_to_device(to + piece.at, slot.memory.data(), piece.bytes);
      slot.moved.record(stream_);
    }
  });
  asked.record(stream_);
  stream.wait(asked);
}

void Staging::download(std::span<const Download> all, Stream& stream) {
  const std::lock_guard lock(transfer_);
  size_t room = std::min(kSmallest, chunk_);
  std::vector<Download> few;
  for (const Download& each : all) {
    if (each.bytes > room) {
      download_much(each, stream);
    } else if (each.bytes != 0) {
      room -= each.bytes;
      few.push_back(each);
    }
  }
  if (!few.empty()) download_few(few, stream);
}

/// In the caller's stream: to wait in another one for it takes longer than such a copy.
void Staging::download_few(std::span<const Download> few, Stream& stream) {
  Slot& slot = pinned(0).slots[0];
  slot.moved.synchronize();  // an upload may still read it
  try {
    size_t at = 0;
    for (const Download& each : few) {
      stream.copy_to_host(slot.memory.data() + at, each.from, each.bytes);
      at += each.bytes;
    }
    slot.moved.record(stream);
    slot.moved.synchronize();
  } catch (...) {  // nothing may move into memory that ends now
    device_.release(&cuda::Calls::stream_synchronize, stream.handle());
    throw;
  }
  size_t at = 0;
  for (const Download& each : few) {
    std::memcpy(each.to, slot.memory.data() + at, each.bytes);
    at += each.bytes;
  }
}

void Staging::download_much(const Download& much, Stream& stream) {
  Event asked(device_);
  asked.record(stream);
  stream_.wait(asked);
  run(much.bytes, [&](Worker& worker, const Next& next) {
    Piece pieces[2];  // on their way into the slots
    const auto ask = [&](int turn) {
      Slot& slot = worker.slots[turn];
      pieces[turn] = next();
      if (pieces[turn].bytes == 0) return;
      slot.moved.synchronize();  // an upload may still read it
      stream_.copy_to_host(slot.memory.data(), much.from + pieces[turn].at, pieces[turn].bytes);
      slot.moved.record(stream_);
    };
    ask(0);
    ask(1);
    for (int turn = 0; pieces[turn].bytes != 0; turn ^= 1) {
      Slot& slot = worker.slots[turn];
      slot.moved.synchronize();
      std::memcpy(static_cast<uint8_t*>(much.to) + pieces[turn].at, slot.memory.data(), pieces[turn].bytes);
      ask(turn);
    }
  });
}

}  // namespace lanewise::gpu
