#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanewise::ops {

/// How keys find rows on cores. Every form finds the same ones.
enum class LookupForm : uint8_t {
  automatic,  ///< the fastest that the keys allow
  hash,       ///< a hash table of words: keys that fit in 64 bits
  bytes,      ///< a hash table of the keys' bytes: all keys
  direct,     ///< an array by number: integers
  bitmap,     ///< a bit for each number: integers, if only their existence matters
};

/// The form of that name; no name is automatic. Throws UserError for other names.
LookupForm require_lookup_form(std::string_view text);

/// Why keys find rows as they do, on cores and on GPUs.
struct LookupReason {
  enum class Kind : uint8_t {
    kForced,
    kImpossible,   ///< another one was forced
    kExistence,    ///< the join does not read the rows that have a key
    kNarrow,       ///< a place for each number of the keys' range takes little memory
    kWide,         ///< it takes more than a hash table
    kNotIntegers,  ///< keys are one word
    kNotWords,     ///< strings, and keys of more than 64 bits
    kSeveralKeys,
    kNoKey,
    // Of GPUs only:
    kAscending,
    kPlaced,
    kFull,
    kRepeated,
  };
  Kind kind;
  uint64_t span = 0;        ///< kWide: the greatest key less the least one
  bool impossible = false;  ///< another one was forced

  std::string text() const;
};

/// What decides how keys find rows.
struct KeyFacts {
  size_t rows = 0;
  bool existence = false;             ///< only whether a key is there matters
  bool are_words = true;              ///< keys fit in 64 bits, perhaps together
  bool are_integers = true;           ///< words are compared as numbers
  std::optional<uint64_t> span = {};  ///< the greatest key less the least one; absent: no row has a key

  LookupReason reason(LookupReason::Kind kind) const { return {kind, span.value_or(0)}; }
};

struct LookupChoice {
  LookupForm form;
  LookupReason reason;
};

/// `forced`, if the keys allow it.
LookupChoice choose_lookup(const KeyFacts& keys, LookupForm forced);

}  // namespace lanewise::ops
