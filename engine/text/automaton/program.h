#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "text/automaton/limits.h"
#include "text/syntax/ast.h"

namespace lanewise::text::automaton {

/// One transition on a byte.
struct Transition {
  uint8_t lo;
  uint8_t hi;
  uint32_t next;

  bool operator==(const Transition&) const = default;
};

struct Instruction {
  enum Op : uint8_t {
    kBytes,   ///< read a byte: transitions [first, first + count) are disjoint, ascending; if none fits,
              ///< the thread dies
    kSplit,   ///< go to `next`, or else to `other`
    kAssert,  ///< go to `next` if assertion `mask` holds here
    kSave,    ///< record the position in `slot`, go to `next`
    kMatch,
  };
  Op op;
  uint16_t mask = 0;
  uint16_t level = 0;  ///< number of preceding '%'; a thread makes all threads of lower levels redundant
  uint32_t next = 0;   ///< kBytes: first
  uint32_t other = 0;  ///< kBytes: count; kSave: slot
};

/// A nondeterministic automaton over bytes (Thompson's construction), linear in the size of the expanded
/// pattern.
struct Program {
  std::vector<Instruction> instructions;
  std::vector<Transition> transitions;
  uint32_t start = 0;
  int groups = 0;
  uint16_t assertions = 0;  ///< all that occur in it
  bool has_levels = false;

  /// The target of `byte` from a kBytes instruction; kNone if there is none.
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t step(const Instruction& instruction, uint8_t byte) const;
};

enum class Direction : uint8_t { kForward, kBackward };

/// Compiles the pattern to a program. Throws UserError if it exceeds limits.program_size. kBackward: for
/// the reversed text, without groups; not for LIKE.
Program compile_program(const syntax::Ast& ast, const Limits& limits,
                        Direction direction = Direction::kForward);

/// Bytes that the program cannot distinguish share a class.
struct ByteClasses {
  std::array<uint8_t, 256> class_of;
  std::vector<uint8_t> member;  ///< one byte of each class

  size_t size() const { return member.size(); }
};

ByteClasses byte_classes(const Program& program);

/// ASCII letters, digits and '_': the word bytes of \b.
constexpr bool is_word_byte(uint8_t b) {
  return (b >= '0' && b <= '9') || (b >= 'A' && b <= 'Z') || (b >= 'a' && b <= 'z') || b == '_';
}

}  // namespace lanewise::text::automaton
