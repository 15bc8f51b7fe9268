#pragma once

#include <memory>
#include <string>

#include "grep/decode.h"

namespace lanewise::cli::grep {

/// The output of `command path`, whose standard input is the file. Throws UserError if the command cannot be
/// started; the stream throws at its end if the command failed.
std::unique_ptr<ByteStream> preprocessed_stream(const std::string& command, const std::string& path,
                                                int file);

}  // namespace lanewise::cli::grep
