#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// What leaves are to be: how many of which run, with which entries.

#include "index/gpu/update/update_keys-inl.h"

namespace lanewise::index {

/// For each leaf.
struct Runs {
  static LANES_FN u64 entries(const UpdateJob& job, u64 i) {
    const u32* begins = array_at<const u32>(job.begins);
    return u64(array_at<const u32>(job.counts)[i]) + begins[i + 1] - begins[i];
  }
  template <class Tree>
  static LANES_FN Two value(const Tree&, const UpdateJob& job, u64 i) {
    return {entries(job, i), u64(i == 0 || entries(job, i - 1) >= job.least)};
  }
  template <class Tree>
  static LANES_FN void put(const Tree&, const UpdateJob& job, u64 i, const Two& own, const Two& before) {
    array_at<u64>(job.ranks)[i] = before.a;
    if (own.b != 0) array_at<u32>(job.runs)[before.b] = u32(i);
  }
  static LANES_FN void finish(const UpdateJob& job, const Two& all) {
    array_at<u64>(job.ranks)[job.leaves] = all.a;
    array_at<u32>(job.runs)[all.b] = u32(job.leaves);
    findings_of(job).entries = all.a;
    findings_of(job).runs = all.b;
  }
};

/// For each leaf, which stands for the run of its number.
struct Parts {
  template <class Tree>
  static LANES_FN Two value(const Tree& tree, const UpdateJob& job, u64 i) {
    const Findings& found = findings_of(job);
    if (i >= found.runs) return {};
    const u32* runs = array_at<const u32>(job.runs);
    const u64* ranks = array_at<const u64>(job.ranks);
    const u64 entries = ranks[runs[i + 1]] - ranks[runs[i]];
    u64 parts = entries <= tree.leaf().most ? 1 : (entries + job.per_leaf - 1) / job.per_leaf;
    if (entries == 0 && (found.entries != 0 || i != 0)) parts = 0;  // A tree has a leaf at least.
    return {parts, u64(parts != 0)};
  }
  template <class Tree>
  static LANES_FN void put(const Tree&, const UpdateJob& job, u64 i, const Two&, const Two& before) {
    array_at<u32>(job.first_outputs)[i] = u32(before.a);
    array_at<u32>(job.filled)[i] = u32(before.b);
  }
  static LANES_FN void finish(const UpdateJob& job, const Two& all) {
    array_at<u32>(job.first_outputs)[job.leaves] = u32(all.a);
    findings_of(job).outputs = all.a;
    findings_of(job).fresh = all.a - all.b;
  }
};

/// For each leaf that is to be.
struct Outputs {
  template <class Tree>
  static LANES_FN void run(const Tree& tree, const UpdateJob& job, u64 o) {
    const u64 runs = findings_of(job).runs;
    const u32* first_outputs = array_at<const u32>(job.first_outputs);
    const u64 in = bound_in<true>(first_outputs, 0, runs, u32(o)) - 1;
    const u64 part = o - first_outputs[in], parts = first_outputs[in + 1] - first_outputs[in];
    const u32 first = array_at<const u32>(job.runs)[in], behind = array_at<const u32>(job.runs)[in + 1];
    const u64* ranks = array_at<const u64>(job.ranks);
    const u64 all = ranks[behind] - ranks[first];
    Output output;
    output.rank = ranks[first] + share_of(all, parts, part);
    output.count = u32(ranks[first] + share_of(all, parts, part + 1) - output.rank);
    output.leaf = all == 0 ? first : u32(bound_in<true>(ranks, first, behind, output.rank) - 1);
    output.leaf_end = behind;
    output.in_place = part == 0;
    output.ref = part == 0 ? array_at<const Ref>(job.refs)[first]
                           : array_at<const Ref>(job.free_refs)[o - array_at<const u32>(job.filled)[in] - 1];
    const u32* begins = array_at<const u32>(job.begins);
    output.changed =
        parts > 1 || behind - first > 1 || begins[first] != begins[behind] ||
        array_at<const u32>(job.counts)[first] != tail_of(node_at(tree, output.ref), tree.leaf()).count;
    if (!output.changed) put_key(tree, job.node_lasts, o, list_at(tree, job.lasts)[first]);
    array_at<Output>(job.outputs)[o] = output;
    array_at<Ref>(job.node_refs)[o] = output.ref;
    array_at<u64>(job.node_entries)[o] = output.count;
  }
};

}  // namespace lanewise::index
