#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.
//
// How a batch of changes is merged into a tree in memory of a device, step by step; written once. All that is
// done is proportional to the batch, to the leaves that it touches and, lightly, to the number of leaves:
//
//   Encode, a sort         the batch's keys as words in order, each with its row; Merge, Arrange sort where
//                          words are not the whole order
//   Leaves                 what each leaf holds, and its greatest key
//   Resolve or Match,      what becomes of each change: an addition, an erasure, another value
//   Compact
//   Slices, Keep           which additions go to which leaf; which of its entries stay
//   Runs, Parts            leaves that would be less than half full form a run with the leaf after them,
//   each
//                          other leaf is a run of its own; how many leaves each run is to become
//   Outputs, Override,     the first leaf of a run is written in its place, after the others, that go to free
//   Produce                slots
//   Inner                  the levels above, all again
//
// Strings of a batch are written where they can be compared with those of the image (WriteTexts), and those
// of additions to slots that the host has chosen. Which slots are free is found by marking (MarkTexts). Keys
// of inner nodes share the strings of entries; only what goes back to the host has its own (BoundTexts).
//
// A step is done for each item by a lane, by a Group, or as a scan (update_scan-inl.h). In addition to what
// search-inl.h says a Group offers
//   sync()                  what its lanes have written is seen by all of them
//   PerLane<T>              a T for each lane, named by the lane
//   bits(f)                 of 32 lanes: a bit for each where f(lane) is true
//   prefix(value, with)     with(lane, sum of value(lane) over the lanes before), returns the sum over all

#include "index/gpu/update/update_batch-inl.h"
#include "index/gpu/update/update_job-inl.h"
#include "index/gpu/update/update_keys-inl.h"
#include "index/gpu/update/update_leaves-inl.h"
#include "index/gpu/update/update_levels-inl.h"
#include "index/gpu/update/update_merge-inl.h"
#include "index/gpu/update/update_plan-inl.h"
#include "index/gpu/update/update_scan-inl.h"
#include "index/gpu/update/update_slots-inl.h"
#include "index/gpu/update/update_sort-inl.h"
#include "index/gpu/update/update_texts-inl.h"
