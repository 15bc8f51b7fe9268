#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// Old leaves and their additions become new leaves.

#include "index/gpu/update/update_keys-inl.h"

namespace lanewise::index {

/// Goes through old leaves and their additions in the order of their keys, additions after their equals.
template <class Tree>
class Merged {
 public:
  using Keys = KeyList<Tree>;
  using Key = decltype(Keys{}[0]);

  LANES_FN Merged(const Tree& tree, const UpdateJob& job) : tree_(&tree), job_(&job) {}

  /// Goes to the entry of that rank, which is one of leaves [leaf, leaf_end).
  LANES_FN void start(u64 rank, u32 leaf, u32 leaf_end) {
    const u64* ranks = array_at<const u64>(job_->ranks);
    leaf_ = leaf;
    if (ranks[leaf + 1] <= rank) leaf_ = u32(bound_in<true>(ranks, leaf + 1, leaf_end, rank) - 1);
    enter();
    const u64 within = rank - ranks[leaf_];
    u64 low = within > entries_ ? within - entries_ : 0, high = end_ - addition_;
    high = within < high ? within : high;
    while (low < high) {  // How many additions stand before it?
      const u64 middle = (low + high) / 2;
      if (added()[addition_ + middle] < keys_[slot_of(u32(within - 1 - middle))]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    addition_ += low;
    entry_ = u32(within - low);
    if (entry_ < entries_) go_to(slot_of(entry_));
    look_at_addition();
  }

  /// The entry, and where its value is; goes to the next one.
  LANES_FN void take(Key& key, u64& value) {
    while (entry_ == entries_ && addition_ == end_) {
      leaf_++;
      enter();
      if (entries_ != 0) go_to(slot_of(0));
      look_at_addition();
    }
    const NodeShape shape = tree_->leaf();
    if (entry_ == entries_ || (addition_ < end_ && next_added_ < next_key_)) {
      key = next_added_;
      value = job_->values + row_of(job_->added_rows, addition_) * shape.payload_bytes;
      addition_++;
      look_at_addition();
    } else {
      key = next_key_;
      value = u64(keys_.words) - shape.keys_at + shape.payload_at + u64(slot_) * shape.payload_bytes;
      if (++entry_ < entries_) go_to(behind(slot_));
    }
  }

 private:
  LANES_FN Keys added() const { return list_at(*tree_, job_->added_words); }
  LANES_FN void go_to(u32 slot) {
    slot_ = slot;
    next_key_ = keys_[slot];
  }
  LANES_FN void look_at_addition() {
    if (addition_ < end_) next_added_ = added()[addition_];
  }
  LANES_FN void enter() {
    const u32* begins = array_at<const u32>(job_->begins);
    const u8* node = node_at(*tree_, array_at<const Ref>(job_->refs)[leaf_]);
    keys_ = leaf_keys(*tree_, node);
    entries_ = array_at<const u32>(job_->counts)[leaf_];
    const bool all_stay = job_->keep == 0 || entries_ == tail_of(node, tree_->leaf()).count;
    keep_ = all_stay ? nullptr : array_at<const u32>(job_->keep) + u64(leaf_) * job_->keep_words;
    entry_ = 0;
    addition_ = begins[leaf_];
    end_ = begins[leaf_ + 1];
  }
  static LANES_FN u32 lowest(u32 bits) { return lanes::count_bits((bits & (0 - bits)) - 1); }
  /// The slot of the entry of that rank among those that stay.
  LANES_FN u32 slot_of(u32 rank) const {
    if (keep_ == nullptr) return rank;
    u32 word = 0;
    for (u32 here = lanes::count_bits(keep_[0]); rank >= here; here = lanes::count_bits(keep_[++word])) {
      rank -= here;
    }
    u32 bits = keep_[word];
    for (; rank != 0; rank--) bits &= bits - 1;
    return 32 * word + lowest(bits);
  }
  /// The slot of the next one.
  LANES_FN u32 behind(u32 slot) const {
    slot++;
    if (keep_ == nullptr) return slot;
    u32 bits = slot % 32 == 0 ? 0 : keep_[slot / 32] >> slot % 32;
    if (bits != 0) return slot + lowest(bits);
    u32 word = (slot + 31) / 32;
    while (keep_[word] == 0) word++;
    return 32 * word + lowest(keep_[word]);
  }

  const Tree* tree_;
  const UpdateJob* job_;
  Keys keys_{};
  const u32* keep_ = nullptr;  // none: all stay
  u64 addition_ = 0, end_ = 0;
  u32 leaf_ = 0, entries_ = 0, entry_ = 0, slot_ = 0;
  Key next_key_{}, next_added_{};
};

constexpr u32 kProduced = 8;  ///< neighbouring entries of a lane; a group has a lane for all of a leaf

/// For each kLooked leaves that are to be, in their places or not. All of a leaf is read before any of it is
/// written.
struct Produce {
  template <class Tree, class Group>
  static LANES_FN void run(const Tree& tree, const Group& group, const UpdateJob& job, u64 some) {
    const u64 behind = (some + 1) * kLooked < job.nodes ? (some + 1) * kLooked : job.nodes;
    for (u64 o = some * kLooked; o < behind; o++) {
      const Output& output = array_at<const Output>(job.outputs)[o];
      if (output.changed && output.in_place == job.in_place) produce(tree, group, job, output, o);
    }
  }

 private:
  template <class Tree, class Group>
  static LANES_FN void produce(const Tree& tree, const Group& group, const UpdateJob& job,
                               const Output& output, u64 o) {
    using Word = typename Tree::Word;
    const NodeShape shape = tree.leaf();
    u8* node = node_at(tree, output.ref);
    typename Group::template PerLane<Taken<Tree>> taken;
    group.each([&](u32 lane) { read(tree, job, output, lane * kProduced, taken[lane]); });
    group.sync();
    group.each([&](u32 lane) { write_keys(node, shape, output.count, lane * kProduced, taken[lane]); });
    if constexpr (Tree::kLong) write_planes(group, node, shape, output.count, taken);
    group.each([&](u32 lane) {
      Word* samples = reinterpret_cast<Word*>(node);
      for (u32 i = shape.slots / shape.per_line() - 1 + lane; i < shape.sample_slots; i += Group::width) {
        samples[i] = all_ones<Word>();
      }
    });
    if (shape.payload_bytes % 8 == 0) {
      write_values<u64>(group, node, shape, output.count, taken);
    } else if (shape.payload_bytes % 4 == 0) {
      write_values<u32>(group, node, shape, output.count, taken);
    } else {
      write_values<u8>(group, node, shape, output.count, taken);
    }
    group.sync();
    group.each([&](u32 lane) {
      if (lane != 0) return;
      *reinterpret_cast<NodeTail*>(node + shape.tail_at) = {output.count, held(kLeaves), job.version};
      mark_changed(job, output.ref);
      if (output.count == 0) {
        put_lowest_key(tree, job.node_lasts, o);
      } else {
        put_key(tree, job.node_lasts, o, leaf_keys(tree, node)[output.count - 1]);
      }
    });
    group.sync();
  }

  /// What a lane has read: first words of keys, where long keys lie, and where values are.
  template <class Tree>
  struct Taken {
    typename Tree::Word keys[kProduced];
    typename Merged<Tree>::Key lie[Tree::kLong ? kProduced : 1];
    u64 values[kProduced];
  };

  template <class Tree>
  static LANES_FN void read(const Tree& tree, const UpdateJob& job, const Output& output, u32 first,
                            Taken<Tree>& taken) {
    Merged<Tree> merged(tree, job);
    if (first < output.count) merged.start(output.rank + first, output.leaf, output.leaf_end);
    INDEX_UNROLL for (u32 i = 0; i < kProduced; i++) {
      taken.keys[i] = all_ones<typename Tree::Word>();
      taken.values[i] = 0;
      if (first + i >= output.count) continue;
      auto& key = taken.lie[Tree::kLong ? i : 0];
      merged.take(key, taken.values[i]);
      taken.keys[i] = first_word(key);
    }
  }

  template <class Tree>
  static LANES_FN void write_keys(u8* node, const NodeShape& shape, u32 count, u32 first,
                                  const Taken<Tree>& taken) {
    using Word = typename Tree::Word;
    if (first >= shape.slots) return;
    constexpr u32 kPer = 16 / sizeof(Word);
    auto* to = reinterpret_cast<Pack<Word, kPer>*>(const_cast<Word*>(keys_of<Word>(node, shape)) + first);
    INDEX_UNROLL for (u32 i = 0; i < kProduced; i += kPer) {
      Pack<Word, kPer> pack;
      INDEX_UNROLL for (u32 k = 0; k < kPer; k++) {
        pack.word[k] = first + i + k < count ? taken.keys[i + k] : all_ones<Word>();
      }
      to[i / kPer] = pack;
    }
    constexpr u32 kLast = kLine / sizeof(Word) - 1;
    INDEX_UNROLL for (u32 i = 0; i < kProduced; i++) {
      const u32 at = first + i;
      if (at % (kLast + 1) == kLast && at + 1 < shape.slots) {
        reinterpret_cast<Word*>(node)[at / (kLast + 1)] = at < count ? taken.keys[i] : all_ones<Word>();
      }
    }
  }

  /// The other words of long keys, plane by plane: who still reads a plane reads it before it is written.
  template <class Group, class Lanes>
  static LANES_FN void write_planes(const Group& group, u8* node, const NodeShape& shape, u32 count,
                                    Lanes& taken) {
    struct Held {
      u64 words[kProduced];
    };
    typename Group::template PerLane<Held> held;
    for (u32 plane = 1; plane < shape.planes; plane++) {
      group.each([&](u32 lane) {
        INDEX_UNROLL for (u32 i = 0; i < kProduced; i++) {
          if (lane * kProduced + i < count) held[lane].words[i] = taken[lane].lie[i].word(plane);
        }
      });
      group.sync();
      u64* to = reinterpret_cast<u64*>(node + shape.keys_at) + u64(plane) * shape.slots;
      group.each([&](u32 lane) {
        INDEX_UNROLL for (u32 i = 0; i < kProduced; i++) {
          if (lane * kProduced + i < count) to[lane * kProduced + i] = held[lane].words[i];
        }
      });
      group.sync();
    }
  }

  /// Unit by unit of all values, so that whatever their size is a lane holds few of them.
  template <class Unit, class Group, class Lanes>
  static LANES_FN void write_values(const Group& group, u8* node, const NodeShape& shape, u32 count,
                                    Lanes& taken) {
    struct Held {
      Unit units[kProduced];
    };
    typename Group::template PerLane<Held> held;
    const u32 units = shape.payload_bytes / sizeof(Unit);
    auto* to = reinterpret_cast<Unit*>(node + shape.payload_at);
    for (u32 unit = 0; unit < units; unit++) {
      group.each([&](u32 lane) {
        INDEX_UNROLL for (u32 i = 0; i < kProduced; i++) {
          if (lane * kProduced + i < count) {
            held[lane].units[i] = array_at<const Unit>(taken[lane].values[i])[unit];
          }
        }
      });
      group.sync();
      group.each([&](u32 lane) {
        const u32 first = lane * kProduced;
        if (sizeof(Unit) >= 4 && units == 1 && first + kProduced <= count) {
          constexpr u32 kPer = sizeof(Unit) >= 4 ? 16 / sizeof(Unit) : 1;
          INDEX_UNROLL for (u32 i = 0; i < kProduced; i += kPer) {
            Pack<Unit, kPer> pack;
            INDEX_UNROLL for (u32 k = 0; k < kPer; k++) pack.word[k] = held[lane].units[i + k];
            reinterpret_cast<Pack<Unit, kPer>*>(to + first)[i / kPer] = pack;
          }
          return;
        }
        INDEX_UNROLL for (u32 i = 0; i < kProduced; i++) {
          if (first + i < count) to[u64(first + i) * units + unit] = held[lane].units[i];
        }
      });
      group.sync();
    }
  }
};

}  // namespace lanewise::index
