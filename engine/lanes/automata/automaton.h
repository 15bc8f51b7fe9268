#pragma once

// Freestanding: this text is also compiled by NVRTC. No standard headers here.

namespace lanewise::lanes {

/// A complete deterministic automaton over bytes, as lane code reads it. The memory belongs to the caller.
///
/// States are numbered so that both tests of a lane are one comparison:
///   state >= match       the row matches, whatever follows (such states absorb)
///   state >= end_accept  the row matches if it ends here
/// `dead` absorbs and never matches; it is `states` if there is none. Likewise `match`.
struct AutomatonView {
  const unsigned char* class_of;  ///< 256 entries: byte -> class
  const unsigned short* next;     ///< states x classes, row-major: next[state * classes + class]
  unsigned states;
  unsigned classes;
  unsigned start;
  unsigned dead;
  unsigned end_accept;
  unsigned match;
};

}  // namespace lanewise::lanes
