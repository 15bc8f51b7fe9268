#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/memory.h"
#include "index/image/format.h"
#include "index/image/geometry.h"
#include "index/image/node.h"
#include "index/image/region.h"
#include "index/image/storage.h"
#include "index/image/versions.h"

namespace lanewise::index {

/// The groups of an image in memory, from which slots are allocated. Changes are marked, so that a commit
/// writes, and a device copies, only them. One thread writes; others may read the nodes of snapshots
/// registered in `versions`.
class Pool {
 public:
  /// A new image of one group. Throws MemoryError.
  Pool(const Header& header, MemoryBudget* budget);
  /// A group whose bytes are elsewhere in the storage.
  struct Moved {
    u64 group;
    u64 at;
  };
  /// The image of `groups` groups at the start of the storage, checked on access.
  Pool(const Storage& storage, u64 groups, u64 group_bytes, const std::vector<Moved>& moved,
       MemoryBudget* budget);

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  Header& header() { return *reinterpret_cast<Header*>(region_.data()); }
  const Header& header() const { return *reinterpret_cast<const Header*>(region_.data()); }
  const Geometry& geometry() const { return *geometry_; }
  u8* data() const { return region_.data(); }
  u64 groups() const { return groups_.load(std::memory_order_acquire); }
  u8* group(u64 number) const { return data() + number * geometry_->group_bytes; }
  Trailer& trailer(u64 number) const {
    return *reinterpret_cast<Trailer*>(group(number + 1) - sizeof(Trailer));
  }
  Versions& versions() { return versions_; }

  /// The node in a slot of that class. The first access to a group of a file checks the whole group. Throws
  /// UserError that names the group if it is damaged or has no such slot.
  u8* node(Ref ref, SlotClass slot_class) const {
    const u64 at = u64{ref} * kLine;
    if (!trusted()) check_slot(at, slot_class);
    return data() + at;
  }
  /// A slot of a class of strings, and its bytes.
  u8* text(u64 at, u32* bytes) const;
  /// Whether all references of nodes have been checked.
  bool trusted() const { return trusted_.load(std::memory_order_acquire); }
  /// Checks all groups and all references of the tree's nodes; throws like node().
  void trust(const Root& root) const;
  /// An upper bound of the number of a tree's nodes, to detect cycles.
  u64 most_nodes() const {
    return groups() * (geometry_->slots_of(kInnerNodes) + geometry_->slots_of(kLeaves));
  }
  /// The error in a group; empty if there is none.
  std::string fault_of(u64 number) const;

  /// Allocates a slot and returns its position in bytes; its content is unspecified. Throws MemoryError
  /// without any change.
  u64 allocate(u32 slot_class);
  /// Frees a slot as soon as no open snapshot can see it. `version` is that of its node; 0: unknown.
  void release(u64 at, u32 slot_class, u64 version);
  /// Whether a snapshot may see a node of that version.
  bool seen(u64 version) { return version <= versions_.newest(); }
  /// Frees the slots that no snapshot sees any more.
  void collect();
  bool has_waiting() const { return !waiting_.empty(); }

  /// Makes room for an image with this number of groups, which the caller then writes. Throws MemoryError
  /// without any change.
  void extend(u64 groups);

  /// Marks a slot of that class, the header, or a whole group before it changes.
  void mark(u64 at, u32 slot_class) { mark_bytes(at, geometry_->slot_bytes[slot_class]); }
  void mark_header() { mark_bytes(0, sizeof(Header)); }
  void mark_group(u64 number) { mark_bytes(number * geometry_->group_bytes, geometry_->group_bytes); }
  /// A point in time, to find later changes.
  u64 moment() { return clock_++; }
  /// Calls f(number) for each group that has changed since that time; 0: since the image was created or
  /// opened.
  template <class F>
  void for_each_changed(u64 since, F f) const {
    for (u64 number = 0; number < groups(); ++number) {
      if (changed_at_[number] > since) f(number);
    }
  }
  /// Bytes of the pages by which changes are tracked.
  static constexpr u64 kPageBytes = 4096;
  /// Calls f(byte offset of the page) for each page that has changed since that time.
  template <class F>
  void for_each_changed_page(u64 since, F f) const {
    const u64 pages = geometry_->group_bytes / kPageBytes;
    for_each_changed(since, [&](u64 number) {
      for (u64 page = number * pages; page < (number + 1) * pages; ++page) {
        if (page_changed_at_[page] > since) f(page * kPageBytes);
      }
    });
  }
  /// Groups that have changed since the storage was written.
  template <class F>
  void for_each_unsaved(F f) const {
    for_each_changed(saved_, f);
  }
  void saved() { saved_ = moment(); }
  /// Writes the trailers of unsaved groups for the commit with this number.
  void seal(u64 commit);

 private:
  struct Waiting {
    u64 at;
    u32 slot_class;
    u64 seen_until;  ///< snapshots up to this version may see it
  };

  void check_slot(u64 at, u32 slot_class) const;
  void check_group(u64 number) const;
  void check_below(Ref ref, u32 height, u64& nodes) const;
  bool slot_exists(u64 at, u32 slot_class) const;
  std::string fault_in_nodes(u64 number, u32 slot_class) const;
  void add_group(u32 slot_class);
  void give_back(u64 at, u32 slot_class);
  void mark_bytes(u64 at, u64 bytes) {
    const u64 number = at / geometry_->group_bytes;
    if (!trusted()) check_group(number);
    changed_at_[number] = clock_;
    for (u64 page = at / kPageBytes; page * kPageBytes < at + bytes; ++page) page_changed_at_[page] = clock_;
  }
  /// Time stamps for this number of groups; those of new groups are `time`.
  void stamp(u64 groups, u64 time) {
    changed_at_.resize(groups, time);
    page_changed_at_.resize(groups * (geometry_->group_bytes / kPageBytes), time);
  }

  std::string name_ = "index";
  Region region_;
  Reservation held_;
  std::unique_ptr<Geometry> geometry_;
  std::atomic<u64> groups_{1};
  u64 from_file_ = 0;            // groups read from storage
  mutable std::mutex checking_;  // a group is read as a whole only before its first change
  mutable std::unique_ptr<std::atomic<u8>[]> checked_;
  mutable std::atomic<bool> trusted_{true};
  std::vector<u64> changed_at_;       // time of each group's last change
  std::vector<u64> page_changed_at_;  // time of each page's last change
  u64 clock_ = 1;
  u64 saved_ = 0;
  std::deque<Waiting> waiting_;
  Versions versions_;
};

}  // namespace lanewise::index
