#include "api/c/error.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "base/error.h"
#include "expr/conversion_error.h"
#include "gpu/error.h"
#include "ops/host_function.h"
#include "pram/machine/error.h"
#include "sql/duckdb/errors.h"
#include "text/syntax/pattern_error.h"

namespace lanewise::c {

namespace {

/// The error of the current exception, without a message.
lw_error kind_of_current() {
  try {
    throw;
  } catch (const sql::SqlError& e) {
    return {LW_ERROR_SQL, e.position() ? static_cast<int64_t>(*e.position()) : -1, nullptr};
  } catch (const sql::UnsupportedError&) {
    return {LW_ERROR_UNSUPPORTED, -1, nullptr};
  } catch (const text::PatternError&) {
    return {LW_ERROR_PATTERN, -1, nullptr};
  } catch (const ConversionError&) {
    return {LW_ERROR_VALUE, -1, nullptr};
  } catch (const MemoryError&) {
    return {LW_ERROR_MEMORY, -1, nullptr};
  } catch (const gpu::DeviceError&) {
    return {LW_ERROR_DEVICE, -1, nullptr};
  } catch (const pram::ProgramError&) {
    return {LW_ERROR_PROGRAM, -1, nullptr};
  } catch (const pram::RunError&) {
    return {LW_ERROR_PROGRAM, -1, nullptr};
  } catch (const CancelledError&) {
    return {LW_ERROR_CANCELLED, -1, nullptr};
  } catch (const ops::HostFunctionError&) {
    return {LW_ERROR_FUNCTION, -1, nullptr};
  } catch (const UserError&) {
    return {LW_ERROR_USER, -1, nullptr};
  } catch (const std::bad_alloc&) {
    return {LW_ERROR_MEMORY, -1, nullptr};
  } catch (...) {
    return {LW_ERROR_INTERNAL, -1, nullptr};
  }
}

std::string message_of_current() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "the system has no memory left; set memory_limit";
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception of an unknown type";
  }
}

}  // namespace

lw_code guarded(lw_error* error, const std::function<void()>& body) {
  if (error != nullptr) *error = {LW_OK, -1, nullptr};
  try {
    body();
    return LW_OK;
  } catch (...) {
    lw_error found = kind_of_current();
    if (error == nullptr) return found.code;
    try {
      found.message = copied(message_of_current());
    } catch (const std::bad_alloc&) {  // only the code
    }
    *error = found;
    return found.code;
  }
}

char* copied(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

void check_process() {
  static std::atomic<pid_t> first{::getpid()};
  if (first.load() != ::getpid()) {
    throw UserError(
        "Lanewise was used before this process was forked, and its threads do not exist in the new process: "
        "start processes with 'spawn' or 'forkserver'");
  }
}

}  // namespace lanewise::c

void lw_error_release(lw_error* error) {
  if (error == nullptr) return;
  std::free(error->message);
  *error = {LW_OK, -1, nullptr};
}

void lw_text_free(char* text) { std::free(text); }
