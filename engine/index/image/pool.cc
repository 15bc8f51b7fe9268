#include "index/image/pool.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"

namespace lanewise::index {

namespace {
constexpr u64 kSumBytes = sizeof(u64);
}

Pool::Pool(const Header& header, MemoryBudget* budget)
    : held_(budget, "index"), geometry_(std::make_unique<Geometry>(header, "index")) {
  held_.resize(geometry_->group_bytes);
  region_.grow(geometry_->group_bytes);
  std::memcpy(region_.data(), &header, sizeof header);
  stamp(1, clock_);
}

Pool::Pool(const Storage& storage, u64 groups, u64 group_bytes, const std::vector<Moved>& moved,
           MemoryBudget* budget)
    : name_(storage.name()), held_(budget, "index"), groups_(groups), from_file_(groups) {
  const u64 bytes = groups * group_bytes;
  if (bytes > region_.reserved()) {
    throw MemoryError(fmt::format("{}: {} bytes are more than this process can address", name_, bytes));
  }
  if (storage.writable()) held_.resize(bytes);  // It may differ from the file later, page by page.
  storage.map(region_.data(), bytes);
  region_.assume(bytes);
  for (const Moved& one : moved) storage.read(one.at, region_.data() + one.group * group_bytes, group_bytes);
  const u64 sum = checksum(reinterpret_cast<const u64*>(data()), (group_bytes - kSumBytes) / 8);
  u64 stored;
  std::memcpy(&stored, data() + group_bytes - kSumBytes, kSumBytes);
  if (sum != stored)
    throw UserError(fmt::format("{}: group 0 is damaged: its checksum does not match its bytes", name_));
  geometry_ = std::make_unique<Geometry>(header(), name_);
  if (header().groups != groups || geometry_->group_bytes != group_bytes) {
    throw UserError(name_ + " is damaged: its header contradicts its first bytes");
  }
  const Root& root = header().root;
  if (root.height > kMaxHeight || root.entries > most_nodes() * geometry_->leaf.most) {
    throw UserError(fmt::format("{} is damaged: its tree has {} levels and {} entries", name_, root.height,
                                root.entries));
  }
  checked_ = std::make_unique<std::atomic<u8>[]>(groups);
  trusted_ = false;
  stamp(groups, 0);
  check_group(0);
}

u8* Pool::text(u64 at, u32* bytes) const {
  const u64 number = at / geometry_->group_bytes;
  if (number == 0 || number >= groups()) throw UserError(fmt::format("{}: no string at byte {}", name_, at));
  check_group(number);
  const u32 slot_class = trailer(number).slot_class;
  if (slot_class < kTexts || !slot_exists(at, slot_class)) {
    throw UserError(fmt::format("{}: no string at byte {}", name_, at));
  }
  *bytes = geometry_->slot_bytes[slot_class];
  return data() + at;
}

bool Pool::slot_exists(u64 at, u32 slot_class) const {
  const u64 within = at % geometry_->group_bytes;
  const u32 bytes = geometry_->slot_bytes[slot_class];
  return within % bytes == 0 && within / bytes < geometry_->slots_of(slot_class);
}

void Pool::check_slot(u64 at, u32 slot_class) const {
  const u64 number = at / geometry_->group_bytes;
  bool exists = number != 0 && number < groups();
  if (exists) {
    check_group(number);
    exists = trailer(number).slot_class == slot_class && slot_exists(at, slot_class);
  }
  if (exists && slot_class <= kLeaves) {
    const NodeShape& shape = slot_class == kLeaves ? geometry_->leaf : geometry_->inner;
    exists = Node<u64>(data() + at, shape).tail().holds == held(slot_class);
  }
  if (!exists) {
    throw UserError(fmt::format("{}: expected {} at byte {}, found none", name_,
                                slot_class == kLeaves       ? "a leaf"
                                : slot_class == kInnerNodes ? "an inner node"
                                                            : "a string",
                                at));
  }
}

void Pool::check_group(u64 number) const {
  if (number >= from_file_ || checked_[number].load(std::memory_order_acquire) != 0) return;
  std::lock_guard lock(checking_);
  if (checked_[number].load(std::memory_order_acquire) != 0) return;
  const std::string fault = fault_of(number);
  if (!fault.empty()) throw UserError(fmt::format("{}: group {} {}", name_, number, fault));
  checked_[number].store(1, std::memory_order_release);
}

void Pool::trust(const Root& root) const {
  if (trusted()) return;
  for (u64 number = 0; number < from_file_; ++number) check_group(number);
  u64 nodes = 0;
  check_below(root.node, root.height, nodes);
  trusted_.store(true, std::memory_order_release);
}

void Pool::check_below(Ref ref, u32 height, u64& nodes) const {
  if (++nodes > most_nodes()) throw UserError(name_ + ": a node has several parents");
  if (height == 0) {
    node(ref, kLeaves);
    return;
  }
  const Node<u64> inner(node(ref, kInnerNodes), geometry_->inner);
  for (u32 i = 0; i < inner.count(); ++i) check_below(inner.children()[i], height - 1, nodes);
}

std::string Pool::fault_of(u64 number) const {
  const Trailer& end = trailer(number);
  const auto* words = reinterpret_cast<const u64*>(group(number));
  if (checksum(words, (geometry_->group_bytes - kSumBytes) / 8) != end.checksum) {
    return fmt::format("(bytes {} to {}) is damaged: its checksum does not match its bytes",
                       number * geometry_->group_bytes, (number + 1) * geometry_->group_bytes);
  }
  if (std::memcmp(end.magic, kTrailerMagic, sizeof end.magic) != 0 || end.group != number ||
      end.slot_class >= kSlotClasses) {
    return "is not what stands at its end";
  }
  return number == 0 || end.slot_class >= kTexts ? "" : fault_in_nodes(number, end.slot_class);
}

/// Checks counts that would make a search leave its node. References are checked when they are followed.
std::string Pool::fault_in_nodes(u64 number, u32 slot_class) const {
  const NodeShape& shape = slot_class == kLeaves ? geometry_->leaf : geometry_->inner;
  for (u32 i = 0; i < geometry_->slots_of(slot_class); ++i) {
    const Node<u64> node(group(number) + u64{i} * shape.bytes, shape);
    const NodeTail& tail = node.tail();
    if (tail.holds == held(slot_class) &&
        (tail.count > shape.most || (slot_class == kInnerNodes && tail.count == 0))) {
      return fmt::format("has a node of {} entries, more than {} or none", tail.count, shape.most);
    }
  }
  return "";
}

void Pool::add_group(u32 slot_class) {
  const u64 number = groups();
  const u64 bytes = (number + 1) * geometry_->group_bytes;
  if (bytes / kLine > UINT32_MAX) throw MemoryError(name_ + ": an index has at most 2^32 lines of 64 bytes");
  region_.grow(bytes);
  held_.resize(held_.bytes() + geometry_->group_bytes);
  stamp(number + 1, 0);
  header().groups = number + 1;
  groups_.store(number + 1, std::memory_order_release);
  Trailer& end = trailer(number);
  end.slot_class = slot_class;
  mark_group(number);
  FreeSlots& slots = header().free[slot_class];
  slots.fresh = number * geometry_->group_bytes;
  slots.fresh_left = geometry_->slots_of(slot_class);
}

void Pool::extend(u64 to_groups) {
  const u64 bytes = geometry_->group_bytes;
  if (to_groups <= groups()) return;
  held_.resize(held_.bytes() + (to_groups - groups()) * bytes);
  region_.grow(to_groups * bytes);
  stamp(to_groups, clock_);
  mark_header();
  header().groups = to_groups;
  groups_.store(to_groups, std::memory_order_release);
}

u64 Pool::allocate(u32 slot_class) {
  mark_header();
  FreeSlots& slots = header().free[slot_class];
  if (slots.first == 0 && slots.fresh_left == 0) add_group(slot_class);
  const bool returned = slots.first != 0;
  const u64 at = returned ? slots.first : slots.fresh;
  const u64 number = at / geometry_->group_bytes;  // It may come from a file.
  if (number == 0 || number >= groups() || !slot_exists(at, slot_class)) {
    throw UserError(fmt::format("{}: its list of free slots names byte {}", name_, at));
  }
  mark(at, slot_class);
  if (returned) {
    std::memcpy(&slots.first, data() + at, sizeof slots.first);
    --slots.returned;
  } else {
    slots.fresh += geometry_->slot_bytes[slot_class];
    --slots.fresh_left;
  }
  return at;
}

void Pool::release(u64 at, u32 slot_class, u64 version) {
  if (version != 0 ? seen(version) : versions_.newest() != 0) {
    waiting_.push_back({at, slot_class, versions_.newest()});
  } else {
    give_back(at, slot_class);
  }
}

void Pool::give_back(u64 at, u32 slot_class) {
  FreeSlots& slots = header().free[slot_class];
  mark(at, slot_class);
  mark_header();
  if (slot_class <= kLeaves) {
    Node<u64>(data() + at, slot_class == kLeaves ? geometry_->leaf : geometry_->inner).tail().holds = 0;
  }
  std::memcpy(data() + at, &slots.first, sizeof slots.first);
  slots.first = at;
  ++slots.returned;
}

void Pool::collect() {
  const u64 oldest = versions_.oldest();
  for (; !waiting_.empty() && waiting_.front().seen_until < oldest; waiting_.pop_front()) {
    give_back(waiting_.front().at, waiting_.front().slot_class);
  }
}

void Pool::seal(u64 commit) {
  header().commit = commit;
  mark_header();
  for_each_unsaved([&](u64 number) {
    mark_bytes((number + 1) * geometry_->group_bytes - sizeof(Trailer), sizeof(Trailer));
    Trailer& end = trailer(number);
    std::memcpy(end.magic, kTrailerMagic, sizeof end.magic);
    end.group = number;
    end.commit = commit;
    end.checksum =
        checksum(reinterpret_cast<const u64*>(group(number)), (geometry_->group_bytes - kSumBytes) / 8);
  });
}

}  // namespace lanewise::index
