#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "grep/decode.h"

namespace lanewise::cli::grep {

/// Whether this is the name of an encoding, empty, "auto" or "none". Throws UserError if it is not.
void check_encoding(const std::string& name);

/// Whether a file with these first bytes must be converted: it has a byte order mark, and `encoding` is not
/// "none".
bool needs_transcoding(std::string_view head, const std::string& encoding);

/// A stream converted to UTF-8: from `encoding`, or by its byte order mark, which is removed.
std::unique_ptr<ByteStream> transcoded_stream(std::unique_ptr<ByteStream> stream,
                                              const std::string& encoding);

}  // namespace lanewise::cli::grep
