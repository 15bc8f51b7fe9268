#include "base/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/blocks.h"
#include "base/error.h"
#include "base/size.h"
#include "base/spill_file.h"

namespace lanewise {

namespace {
// Large buffers leave a quarter of the limit to small ones, small ones a sixteenth to memory that cannot
// spill; at most kMostLeft.
constexpr size_t kLarge = size_t{512} << 10;  // larger than a block of scratch memory
constexpr size_t kMostLeft = size_t{1} << 30;

size_t padded(size_t bytes) { return (bytes + kPadding + 63) / 64 * 64; }

thread_local int depth = 0;  // reclaimers that this thread is running: then it must not wait for others
thread_local Allocations* recording = nullptr;
}  // namespace

/// Memory aligned to 64 bytes, and its place in a budget.
struct Buffer::Block {
  Reservation reservation;
  void* memory = nullptr;
  size_t size = 0;
  bool huge = false;
  std::shared_ptr<const void> disk;  // null: it is in memory

  Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    if (disk != nullptr) {
      blocks::unmap(memory, size);
    } else if (memory != nullptr) {
      is_large() ? blocks::give_back(memory, size, huge) : std::free(memory);
    }
  }

  bool is_large() const { return size >= blocks::kSmallest; }
  void spill(MemoryBudget* budget, std::string_view what);
  uint8_t* data() const {
    return reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(memory) + 63) / 64 * 64);
  }
};

struct Reclaimer::Entry {
  std::recursive_mutex mutex;
  bool running = false;
  std::function<size_t(size_t)> reclaim;
};

Reclaimer::~Reclaimer() {
  if (entry_ == nullptr) return;
  const std::lock_guard lock(entry_->mutex);
  entry_->reclaim = nullptr;
}

Reclaimer MemoryBudget::add_reclaimer(std::function<size_t(size_t)> reclaim) {
  auto entry = std::make_shared<Reclaimer::Entry>();
  entry->reclaim = std::move(reclaim);
  const std::lock_guard lock(mutex_);
  std::erase_if(reclaimers_, [](const auto& known) { return known.expired(); });
  reclaimers_.push_back(entry);
  return Reclaimer(std::move(entry));
}

template <class Done>
size_t MemoryBudget::ask_reclaimers(size_t bytes, Done done) {
  std::vector<std::weak_ptr<Reclaimer::Entry>> known;
  {
    const std::lock_guard lock(mutex_);
    known = reclaimers_;
  }
  size_t freed = 0;
  for (const auto& weak : known) {
    const auto entry = weak.lock();
    if (entry == nullptr) continue;
    std::unique_lock lock(entry->mutex, std::defer_lock);
    if (depth != 0 && !lock.try_lock()) continue;
    if (depth == 0) lock.lock();
    if (entry->running || entry->reclaim == nullptr) continue;
    struct Running {
      explicit Running(Reclaimer::Entry& of) : entry(of) { entry.running = ++depth != 0; }
      ~Running() {
        entry.running = false;
        --depth;
      }
      Reclaimer::Entry& entry;
    } const running(*entry);
    freed += entry->reclaim(bytes > freed ? bytes - freed : 0);
    if (done(freed)) break;
  }
  return freed;
}

bool MemoryBudget::try_reserve(size_t bytes, size_t limit) {
  size_t used = used_->load(std::memory_order_relaxed);
  do {
    if (bytes > limit || used > limit - bytes) return false;
  } while (!used_->compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  size_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < used + bytes && !peak_.compare_exchange_weak(peak, used + bytes, std::memory_order_relaxed)) {
  }
  return true;
}

bool MemoryBudget::reserve_leaving(size_t bytes, size_t left) {
  const size_t limit = this->limit() - std::min(left, this->limit());
  if (try_reserve(bytes, limit)) return true;
  bool taken = false;
  ask_reclaimers(bytes + left, [&](size_t) { return taken = try_reserve(bytes, limit); });
  return taken || try_reserve(bytes, limit);
}

bool MemoryBudget::reserve_for(size_t size, size_t more, Reservation& reservation) {
  if (spill_file_ == nullptr) {
    reservation.resize(reservation.bytes() + more);
    return true;
  }
  const size_t left = std::min(limit() / (size >= kLarge ? 4 : 16), kMostLeft);
  if (!reserve_leaving(more, left)) return false;
  reservation.adopt(more);
  return true;
}

void MemoryBudget::reserve(size_t bytes, std::string_view what) {
  if (reserve_leaving(bytes, 0)) return;
  throw MemoryError(fmt::format("{} needs {} more, but {} of the memory limit of {} are in use; {}", what,
                                format_size(bytes), format_size(used()), format_size(limit()), raise_));
}

size_t MemoryBudget::reclaim(size_t bytes) {
  return ask_reclaimers(bytes, [&](size_t freed) { return freed >= bytes; });
}

bool MemoryBudget::is_short() {
  if (spill_file_ == nullptr) return false;
  const size_t most = limit() - 2 * std::min(limit() / 4, kMostLeft);
  if (used() > most) reclaim(used() - most);
  return used() > most;
}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  if (this != &other) {
    resize(0);
    budget_ = other.budget_;
    what_ = other.what_;
    used_ = other.used_;
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

void Reservation::resize(size_t bytes) {
  if (budget_ != nullptr) {
    if (bytes > bytes_) budget_->reserve(bytes - bytes_, what_);
    if (bytes < bytes_) used_->fetch_sub(bytes_ - bytes, std::memory_order_relaxed);
  }
  bytes_ = bytes;
}

Buffer Buffer::allocate(size_t bytes, MemoryBudget* budget, std::string_view what, Access access) {
  const size_t size = padded(bytes);
  Buffer buffer;
  buffer.size_ = bytes;
  auto block = std::make_shared<Block>();
  block->reservation = Reservation(budget, what);
  if (budget != nullptr && !budget->reserve_for(size, size, block->reservation)) {
    std::shared_ptr<uint8_t> memory = budget->spill_file_->allocate(size, what);
    buffer.data_ = memory.get();
    buffer.owned_by_ = Owner::kFile;
    buffer.owner_ = std::move(memory);
    std::memset(buffer.mutable_data() + bytes, 0, size - bytes);
    return buffer;
  }
  block->size = size;
  block->huge = access == Access::kRandom && size >= 2 * blocks::kHugePage;
  // Not posix_memalign(): in glibc its blocks, once freed, are too small for the next call of the same size.
  block->memory = block->is_large() ? blocks::take(size, block->huge) : std::malloc(size + 64);
  if (block->memory == nullptr) {
    throw MemoryError(fmt::format("{}: the system has no {} left", what, format_size(size)));
  }
  uint8_t* data = block->data();
  std::memset(data + bytes, 0, size - bytes);  // so that over-reads are deterministic
  buffer.data_ = data;
  buffer.owned_by_ = Owner::kBlock;
  if (recording != nullptr) Allocations::record(block, what);
  buffer.owner_ = std::move(block);
  return buffer;
}

Buffer::Block* Buffer::block() const {
  return owned_by_ == Owner::kBlock ? static_cast<Block*>(const_cast<void*>(owner_.get())) : nullptr;
}

void Buffer::Block::spill(MemoryBudget* budget, std::string_view what) {
  if (size < kLarge || !is_large() || disk != nullptr || budget == nullptr || budget->spill_file() == nullptr)
    return;
  disk = budget->spill_file()->move(memory, size, what);
  if (disk != nullptr) reservation.resize(0);
}

void Buffer::spill(MemoryBudget* budget, std::string_view what) const {
  if (block() != nullptr) block()->spill(budget, what);
}

bool Buffer::spilled() const {
  return owned_by_ == Owner::kFile || (block() != nullptr && block()->disk != nullptr);
}

void Buffer::grow(size_t bytes, size_t used, MemoryBudget* budget, std::string_view what) {
  const size_t size = padded(bytes);
  Block* const block = this->block();
  if (block != nullptr && block->is_large() && !block->huge && block->disk == nullptr &&
      (budget == nullptr || budget->reserve_for(size, size - block->size, block->reservation))) {
    if (void* memory = blocks::grow(block->memory, block->size, size)) {
      block->memory = memory;
      block->size = size;
      data_ = block->data();
      size_ = bytes;
      std::memset(mutable_data() + bytes, 0, size - bytes);
      return;
    }
    block->reservation.resize(block->size);
  }
  Buffer larger = allocate(bytes, budget, what);
  if (used != 0) std::memcpy(larger.mutable_data(), data_, used);
  *this = std::move(larger);
}

Buffer Buffer::wrap(const void* data, size_t bytes, std::shared_ptr<const void> owner) {
  Buffer buffer;
  buffer.data_ = static_cast<const uint8_t*>(data);
  buffer.size_ = bytes;
  buffer.owner_ = std::move(owner);
  return buffer;
}

Allocations::Scope::Scope(Allocations& allocations, std::string_view what)
    : outer_(std::exchange(recording, &allocations)) {
  allocations.what_ = what;
}

Allocations::Scope::~Scope() { recording = outer_; }

void Allocations::record(const std::shared_ptr<Buffer::Block>& block, std::string_view what) {
  if (block->is_large() && !block->huge && what == recording->what_) recording->blocks_.push_back(block);
}

void Allocations::spill(MemoryBudget* budget) {
  for (const auto& block : std::exchange(blocks_, {})) {
    if (const auto existing = block.lock()) existing->spill(budget, what_);
  }
}

}  // namespace lanewise
