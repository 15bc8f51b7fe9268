#pragma once

#include <memory>
#include <string>

#include "grep/decode.h"

namespace lanewise::cli::grep {

/// What `command path` prints; the file is its standard input, too. Throws UserError where the command cannot
/// be started; its stream does so at the end, where the command failed.
std::unique_ptr<ByteStream> preprocessed_stream(const std::string& command, const std::string& path,
                                                int file);

}  // namespace lanewise::cli::grep
