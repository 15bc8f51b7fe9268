#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "pram/tree/diagnostic.h"
#include "pram/tree/tree.h"
#include "pram/tree/value.h"

namespace lanewise::pram {

/// A run failed: overflow, division by zero, an index out of range, a conflict, too many steps.
class RunError : public UserError {
 public:
  RunError(const std::string& rendered, Place place, uint64_t step, uint32_t processor)
      : UserError(rendered), place_(place), step_(step), processor_(processor) {}

  const Place& place() const { return place_; }
  uint64_t step() const { return step_; }  ///< counts from 1; 0: before the first
  uint32_t processor() const { return processor_; }

 private:
  Place place_;
  uint64_t step_;
  uint32_t processor_;
};

/// Two processors that used one cell in one step.
struct Conflict {
  enum class Kind : uint8_t {
    kRead,     ///< both read it
    kWrite,    ///< both wrote it
    kUnequal,  ///< both wrote it, with different values
    kTwice,    ///< one processor wrote it twice in one assignment
  };

  Kind kind = Kind::kRead;
  Place place;
  uint64_t step = 0;
  uint32_t variable = 0;
  uint64_t cell = 0;            ///< row by row
  uint32_t processors[2] = {};  ///< the two smallest that conflict
  Word values[2] = {};          ///< the values that they wrote
};

class ConflictError : public RunError {
 public:
  ConflictError(const std::string& rendered, const Conflict& conflict)
      : RunError(rendered, conflict.place, conflict.step, conflict.processors[0]), conflict_(conflict) {}
  const Conflict& conflict() const { return conflict_; }

 private:
  Conflict conflict_;
};

}  // namespace lanewise::pram
