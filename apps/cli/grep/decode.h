#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace lanewise::cli::grep {

/// Bytes in order, from a descriptor or a decoder.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Writes up to `size` bytes to `to`, at least one unless at the end; returns how many. Throws UserError.
  virtual size_t read(uint8_t* to, size_t size) = 0;
};

/// Whether decoded_stream() decompresses a file with these first bytes.
bool is_compressed(std::string_view head, std::string_view name);
inline constexpr size_t kMagicBytes = 6;

/// The bytes of a descriptor, unchanged. The descriptor is not closed.
std::unique_ptr<ByteStream> plain_stream(int descriptor);

/// The bytes of a descriptor, decompressed if they begin as gzip, Zstandard, bzip2, xz or lz4, or if `name`
/// ends with .lzma. Throws UserError for formats that are recognised but not supported: .Z, Brotli.
std::unique_ptr<ByteStream> decoded_stream(int descriptor, std::string_view name);

}  // namespace lanewise::cli::grep
