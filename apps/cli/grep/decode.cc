#include "grep/decode.h"

#include <bzlib.h>
#include <lz4frame.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/error.h"

namespace lanewise::cli::grep {

namespace {

constexpr std::string_view kGzip = "\x1f\x8b", kZstandard = "\x28\xb5\x2f\xfd", kBzip2 = "BZh";
constexpr std::string_view kXz("\xfd\x37\x7a\x58\x5a\x00", 6), kLz4 = "\x04\x22\x4d\x18", kZ = "\x1f\x9d";
constexpr uint64_t kMostMemory = uint64_t{512} << 20;  // xz; its strongest preset takes 65 MiB
constexpr size_t kInputBytes = size_t{128} << 10;

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(int descriptor) : descriptor_(descriptor) {}
  size_t read(uint8_t* to, size_t size) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_, to, size);
      if (got >= 0) return static_cast<size_t>(got);
      if (errno != EINTR) throw UserError(std::strerror(errno));
    }
  }

 private:
  int descriptor_;
};

/// Compressed bytes for a decoder.
class Packed {
 public:
  explicit Packed(int descriptor) : stream_(descriptor), bytes_(kInputBytes) {}

  /// The bytes that were read and not yet used; empty only at the end.
  std::string_view rest() {
    if (at_ == end_) {
      at_ = 0;
      end_ = stream_.read(bytes_.data(), bytes_.size());
    }
    return {reinterpret_cast<const char*>(bytes_.data()) + at_, end_ - at_};
  }
  /// At least kMagicBytes, if the file has that many.
  std::string_view head() {
    while (end_ - at_ < kMagicBytes) {
      const size_t got = stream_.read(bytes_.data() + end_, bytes_.size() - end_);
      if (got == 0) break;
      end_ += got;
    }
    return {reinterpret_cast<const char*>(bytes_.data()) + at_, end_ - at_};
  }
  void use(size_t bytes) { at_ += bytes; }

 private:
  PlainStream stream_;
  std::vector<uint8_t> bytes_;
  size_t at_ = 0, end_ = 0;
};

[[noreturn]] void cut_short() { throw UserError("the compressed file ends too early"); }
[[noreturn]] void needs_memory() {
  throw UserError("the compressed file needs more than 512 MiB of memory, or more than is free");
}
[[noreturn]] void damaged() { throw UserError("the compressed file is damaged"); }

/// The bytes that were read to detect the format, then the rest.
class UnpackedStream final : public ByteStream {
 public:
  explicit UnpackedStream(Packed packed) : packed_(std::move(packed)) {}
  size_t read(uint8_t* to, size_t size) override {
    const std::string_view rest = packed_.rest();
    const size_t taken = std::min(size, rest.size());
    std::memcpy(to, rest.data(), taken);
    packed_.use(taken);
    return taken;
  }

 private:
  Packed packed_;
};

/// The contents of all members of a file, concatenated; trailing bytes are ignored.
class GzipStream final : public ByteStream {
 public:
  explicit GzipStream(Packed packed) : packed_(std::move(packed)) {
    if (inflateInit2(&state_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream() override { inflateEnd(&state_); }

  size_t read(uint8_t* to, size_t size) override {
    state_.next_out = to;
    state_.avail_out = static_cast<uInt>(std::min<size_t>(size, UINT32_MAX));
    while (state_.next_out == to && !ended_) {
      const std::string_view rest = packed_.rest();
      if (rest.empty()) cut_short();
      state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
      state_.avail_in = static_cast<uInt>(rest.size());
      const int code = inflate(&state_, Z_NO_FLUSH);
      packed_.use(rest.size() - state_.avail_in);
      if (code == Z_STREAM_END) {
        ended_ = !packed_.head().starts_with(kGzip);
        inflateReset(&state_);
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        damaged();
      }
    }
    return static_cast<size_t>(state_.next_out - to);
  }

 private:
  Packed packed_;
  z_stream state_{};
  bool ended_ = false;
};

class ZstandardStream final : public ByteStream {
 public:
  explicit ZstandardStream(Packed packed) : packed_(std::move(packed)), state_(ZSTD_createDCtx()) {
    if (state_ == nullptr) throw std::bad_alloc();
  }
  ZstandardStream(const ZstandardStream&) = delete;
  ZstandardStream& operator=(const ZstandardStream&) = delete;
  ~ZstandardStream() override { ZSTD_freeDCtx(state_); }

  size_t read(uint8_t* to, size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos == 0) {
      const std::string_view rest = packed_.rest();
      if (rest.empty() && !in_frame_) break;
      ZSTD_inBuffer in{rest.data(), rest.size(), 0};
      const size_t code = ZSTD_decompressStream(state_, &out, &in);
      if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge) needs_memory();
      if (ZSTD_isError(code)) damaged();
      if (rest.empty() && out.pos == 0) cut_short();
      packed_.use(in.pos);
      in_frame_ = code != 0;
    }
    return out.pos;
  }

 private:
  Packed packed_;
  ZSTD_DCtx* state_;
  bool in_frame_ = true;
};

class Bzip2Stream final : public ByteStream {
 public:
  explicit Bzip2Stream(Packed packed) : packed_(std::move(packed)) { start(); }
  Bzip2Stream(const Bzip2Stream&) = delete;
  Bzip2Stream& operator=(const Bzip2Stream&) = delete;
  ~Bzip2Stream() override { BZ2_bzDecompressEnd(&state_); }

  size_t read(uint8_t* to, size_t size) override {
    state_.next_out = reinterpret_cast<char*>(to);
    state_.avail_out = static_cast<unsigned>(std::min<size_t>(size, UINT32_MAX));
    while (state_.next_out == reinterpret_cast<char*>(to) && !ended_) {
      const std::string_view rest = packed_.rest();
      if (rest.empty()) cut_short();
      state_.next_in = const_cast<char*>(rest.data());
      state_.avail_in = static_cast<unsigned>(rest.size());
      const int code = BZ2_bzDecompress(&state_);
      packed_.use(rest.size() - state_.avail_in);
      if (code == BZ_STREAM_END) {
        ended_ = !packed_.head().starts_with(kBzip2);
        const auto out = std::pair(state_.next_out, state_.avail_out);
        BZ2_bzDecompressEnd(&state_);
        start();
        std::tie(state_.next_out, state_.avail_out) = out;
      } else if (code != BZ_OK) {
        damaged();
      }
    }
    return static_cast<size_t>(state_.next_out - reinterpret_cast<char*>(to));
  }

 private:
  void start() {
    state_ = {};
    if (BZ2_bzDecompressInit(&state_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  Packed packed_;
  bz_stream state_{};
  bool ended_ = false;
};

/// xz, including several streams, and lzma.
class LzmaStream final : public ByteStream {
 public:
  explicit LzmaStream(Packed packed) : packed_(std::move(packed)) {
    if (lzma_auto_decoder(&state_, kMostMemory, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  }
  LzmaStream(const LzmaStream&) = delete;
  LzmaStream& operator=(const LzmaStream&) = delete;
  ~LzmaStream() override { lzma_end(&state_); }

  size_t read(uint8_t* to, size_t size) override {
    state_.next_out = to;
    state_.avail_out = size;
    while (state_.next_out == to && !ended_) {
      const std::string_view rest = packed_.rest();
      state_.next_in = reinterpret_cast<const uint8_t*>(rest.data());
      state_.avail_in = rest.size();
      const lzma_ret code = lzma_code(&state_, rest.empty() ? LZMA_FINISH : LZMA_RUN);
      packed_.use(rest.size() - state_.avail_in);
      if (code == LZMA_STREAM_END) {
        ended_ = true;
      } else if (code == LZMA_BUF_ERROR) {
        cut_short();
      } else if (code == LZMA_MEMLIMIT_ERROR || code == LZMA_MEM_ERROR) {
        needs_memory();
      } else if (code != LZMA_OK) {
        damaged();
      }
    }
    return static_cast<size_t>(state_.next_out - to);
  }

 private:
  Packed packed_;
  lzma_stream state_ = LZMA_STREAM_INIT;
  bool ended_ = false;
};

class Lz4Stream final : public ByteStream {
 public:
  explicit Lz4Stream(Packed packed) : packed_(std::move(packed)) {
    if (LZ4F_isError(LZ4F_createDecompressionContext(&state_, LZ4F_VERSION))) throw std::bad_alloc();
  }
  Lz4Stream(const Lz4Stream&) = delete;
  Lz4Stream& operator=(const Lz4Stream&) = delete;
  ~Lz4Stream() override { LZ4F_freeDecompressionContext(state_); }

  size_t read(uint8_t* to, size_t size) override {
    for (;;) {
      const std::string_view rest = packed_.rest();
      if (rest.empty()) {
        if (in_frame_) cut_short();
        return 0;
      }
      size_t written = size, used = rest.size();
      const size_t code = LZ4F_decompress(state_, to, &written, rest.data(), &used, nullptr);
      if (LZ4F_isError(code)) damaged();
      packed_.use(used);
      in_frame_ = code != 0;
      if (written > 0) return written;
    }
  }

 private:
  Packed packed_;
  LZ4F_dctx* state_ = nullptr;
  bool in_frame_ = true;
};

}  // namespace

bool is_compressed(std::string_view head, std::string_view name) {
  const auto begins = [&](std::string_view magic) { return head.starts_with(magic); };
  return begins(kGzip) || begins(kZstandard) || begins(kBzip2) || begins(kXz) || begins(kLz4) || begins(kZ) ||
         name.ends_with(".lzma") || name.ends_with(".br");
}

std::unique_ptr<ByteStream> plain_stream(int descriptor) { return std::make_unique<PlainStream>(descriptor); }

std::unique_ptr<ByteStream> decoded_stream(int descriptor, std::string_view name) {
  Packed packed(descriptor);
  const std::string_view head = packed.head();
  if (head.starts_with(kGzip)) return std::make_unique<GzipStream>(std::move(packed));
  if (head.starts_with(kZstandard)) return std::make_unique<ZstandardStream>(std::move(packed));
  if (head.starts_with(kBzip2)) return std::make_unique<Bzip2Stream>(std::move(packed));
  if (head.starts_with(kXz)) return std::make_unique<LzmaStream>(std::move(packed));
  if (head.starts_with(kLz4)) return std::make_unique<Lz4Stream>(std::move(packed));
  if (name.ends_with(".lzma")) return std::make_unique<LzmaStream>(std::move(packed));
  if (head.starts_with(kZ))
    throw UserError("files of compress (.Z) are not supported; search what zcat prints");
  if (name.ends_with(".br")) throw UserError("Brotli (.br) is not supported; search what brotli -dc prints");
  return std::make_unique<UnpackedStream>(std::move(packed));
}

}  // namespace lanewise::cli::grep
