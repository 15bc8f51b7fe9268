#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "grep/decode.h"

namespace lanewise::cli::grep {

/// Whether the name is one of an encoding, or empty, "auto" or "none". Throws UserError where it is not.
void check_encoding(const std::string& name);

/// Whether a file that begins so is not read as it is: by a byte order mark, unless `encoding` is "none".
bool needs_transcoding(std::string_view head, const std::string& encoding);

/// A stream as UTF-8: from `encoding`, or as a byte order mark says, which is taken off.
std::unique_ptr<ByteStream> transcoded_stream(std::unique_ptr<ByteStream> stream,
                                              const std::string& encoding);

}  // namespace lanewise::cli::grep
