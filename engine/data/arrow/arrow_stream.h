#pragma once

#include <cstring>
#include <string>

#include "base/error.h"

namespace lanewise::arrow {

/// Throws UserError with `what` and the stream's message if a call of an ArrowArrayStream or an
/// ArrowDeviceArrayStream returned a `code` other than 0.
template <class Stream>
void check_stream(Stream& stream, int code, const std::string& what = "") {
  if (code == 0) return;
  const char* error = stream.get_last_error(&stream);
  throw UserError(what + (error == nullptr ? std::strerror(code) : error));
}

}  // namespace lanewise::arrow
