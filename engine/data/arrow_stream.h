#pragma once

#include <cstring>
#include <string>

#include "base/error.h"

namespace lanewise::arrow {

/// Throws UserError, `what` and what the stream says, where a call of an ArrowArrayStream or an
/// ArrowDeviceArrayStream gave a `code` that is not 0.
template <class Stream>
void check_stream(Stream& stream, int code, const std::string& what = "") {
  if (code == 0) return;
  const char* error = stream.get_last_error(&stream);
  throw UserError(what + (error == nullptr ? std::strerror(code) : error));
}

}  // namespace lanewise::arrow
