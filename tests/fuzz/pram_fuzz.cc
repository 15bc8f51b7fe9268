// Any bytes as a PRAM program: rejected with a UserError, or formatted and run for some steps.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/memory.h"
#include "pram/language/format.h"
#include "pram/run.h"

using namespace lanewise;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const pram::Program program = pram::Program::parse(text);
    const std::string formatted = pram::format(text);
    if (pram::format(formatted) != formatted) std::abort();
    pram::Program::parse(formatted);
    MemoryBudget budget(16 << 20);
    pram::Options options;
    options.budget = &budget;
    options.max_steps = 200;
    pram::run(program, {}, options);
  } catch (const UserError&) {
  }
  return 0;
}
