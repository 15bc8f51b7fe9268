#include "grep/encoding.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/error.h"

namespace lanewise::cli::grep {

namespace {

/// Names of the Encoding Standard that iconv spells differently.
struct Alias {
  std::string_view name, iconv;
};
constexpr Alias kAliases[] = {
    {"utf-8", "UTF-8"},
    {"utf8", "UTF-8"},
    {"unicode-1-1-utf-8", "UTF-8"},
    {"utf-16", "UTF-16LE"},
    {"utf-16le", "UTF-16LE"},
    {"utf-16be", "UTF-16BE"},
    {"latin1", "CP1252"},
    {"latin-1", "CP1252"},
    {"iso-8859-1", "CP1252"},
    {"iso8859-1", "CP1252"},
    {"l1", "CP1252"},
    {"ascii", "CP1252"},
    {"us-ascii", "CP1252"},
    {"windows-1252", "CP1252"},
    {"cp1252", "CP1252"},
    {"sjis", "CP932"},
    {"shift_jis", "CP932"},
    {"shift-jis", "CP932"},
    {"ms_kanji", "CP932"},
    {"windows-31j", "CP932"},
    {"euc-jp", "EUC-JP"},
    {"iso-2022-jp", "ISO-2022-JP"},
    {"gbk", "GBK"},
    {"gb2312", "GBK"},
    {"gb18030", "GB18030"},
    {"big5", "BIG5-HKSCS"},
    {"euc-kr", "CP949"},
    {"korean", "CP949"},
    {"koi8-r", "KOI8-R"},
    {"koi8-u", "KOI8-U"},
    {"macintosh", "MACINTOSH"},
    {"windows-874", "CP874"},
    {"iso-8859-9", "CP1254"},
    {"latin5", "CP1254"},
};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// iconv's name; empty if it has none.
std::string iconv_name(const std::string& label) {
  const std::string name = lower(label);
  for (const Alias& alias : kAliases) {
    if (alias.name == name) return std::string(alias.iconv);
  }
  const bool known = name.starts_with("iso-8859-") || name.starts_with("windows-") ||
                     name.starts_with("cp") || name.starts_with("latin") || name.starts_with("koi8") ||
                     name.starts_with("iso8859-");
  return known ? name : std::string();
}

/// The number of bytes of a malformed UTF-8 sequence that one U+FFFD replaces, by the Encoding Standard.
size_t malformed_bytes(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(0);
  const size_t length = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 1;
  const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (length == 1 || byte(1) < least || byte(1) > most) return 1;
  size_t bytes = 2;
  while (bytes < length && byte(bytes) >= 0x80 && byte(bytes) <= 0xBF) ++bytes;
  return bytes;
}

/// Converts bytes of an encoding to UTF-8; malformed ones become U+FFFD.
class Transcoded final : public ByteStream {
 public:
  Transcoded(std::unique_ptr<ByteStream> stream, std::string encoding)
      : stream_(std::move(stream)), encoding_(std::move(encoding)), bytes_(kBytes) {}
  Transcoded(const Transcoded&) = delete;
  Transcoded& operator=(const Transcoded&) = delete;
  ~Transcoded() override {
    if (converter_ != kNone) ::iconv_close(converter_);
  }

  size_t read(uint8_t* to, size_t size) override {
    if (!started_) start();
    if (converter_ == kNone) return read_as_is(to, size);
    if (size < 16) {  // a character must fit
      if (small_at_ == small_.size()) {
        small_.resize(64);
        small_.resize(convert(small_.data(), small_.size()));
        small_at_ = 0;
      }
      const size_t taken = std::min(size, small_.size() - small_at_);
      std::memcpy(to, small_.data() + small_at_, taken);
      small_at_ += taken;
      return taken;
    }
    return convert(to, size);
  }

 private:
  static constexpr size_t kBytes = size_t{64} << 10;
  inline static const iconv_t kNone = reinterpret_cast<iconv_t>(-1);

  bool fill() {
    if (at_ > 0) {
      std::memmove(bytes_.data(), bytes_.data() + at_, end_ - at_);
      end_ -= at_;
      at_ = 0;
    }
    const size_t got = ended_ ? 0 : stream_->read(bytes_.data() + end_, bytes_.size() - end_);
    ended_ = ended_ || got == 0;
    end_ += got;
    return got > 0;
  }

  /// Looks for a byte order mark. That of UTF-16 overrides the name.
  void start() {
    started_ = true;
    while (end_ < 3 && fill()) {
    }
    const std::string_view head(reinterpret_cast<const char*>(bytes_.data()), end_);
    std::string name = encoding_.empty() || encoding_ == "auto" ? "" : iconv_name(encoding_);
    if (head.starts_with("\xef\xbb\xbf")) {
      at_ = 3;
      if (name.empty()) name = "UTF-8";
    } else if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff")) {
      name = head[0] == '\xff' ? "UTF-16LE" : "UTF-16BE";
      at_ = 2;
    }
    if (!name.empty()) converter_ = ::iconv_open("UTF-8", name.c_str());
    unit_ = name.starts_with("UTF-16") ? 2 : 1;
    is_utf8_ = name == "UTF-8";
  }

  size_t read_as_is(uint8_t* to, size_t size) {
    if (at_ == end_) return ended_ ? 0 : stream_->read(to, size);
    const size_t taken = std::min(size, end_ - at_);
    std::memcpy(to, bytes_.data() + at_, taken);
    at_ += taken;
    return taken;
  }

  size_t convert(uint8_t* to, size_t size) {
    char* out = reinterpret_cast<char*>(to);
    size_t room = size;
    while (room == size) {
      if (at_ == end_ && !fill()) return 0;
      char* in = reinterpret_cast<char*>(bytes_.data()) + at_;
      size_t left = end_ - at_;
      const size_t result = ::iconv(converter_, &in, &left, &out, &room);
      at_ = end_ - left;
      if (result != static_cast<size_t>(-1)) continue;
      if (errno == E2BIG) break;
      if (errno == EINVAL && fill()) continue;  // a character continues in the next bytes
      for (const char byte : {'\xef', '\xbf', '\xbd'}) *out++ = byte;
      room -= 3;
      const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_, end_ - at_);
      at_ = std::min(end_, at_ + (is_utf8_ ? malformed_bytes(rest) : unit_));
    }
    return size - room;
  }

  std::unique_ptr<ByteStream> stream_;
  const std::string encoding_;
  std::vector<uint8_t> bytes_;
  size_t at_ = 0, end_ = 0;
  bool started_ = false, ended_ = false;
  iconv_t converter_ = kNone;
  size_t unit_ = 1;
  bool is_utf8_ = false;
  std::vector<uint8_t> small_;
  size_t small_at_ = 0;
};

}  // namespace

void check_encoding(const std::string& name) {
  if (name.empty() || name == "auto" || name == "none" || !iconv_name(name).empty()) return;
  throw UserError("unknown encoding: '" + name +
                  "'; known are utf-8, utf-16le, utf-16be, latin1, sjis, gbk, "
                  "euc-kr, koi8-r, windows-1251 and others of the web's standard");
}

bool needs_transcoding(std::string_view head, const std::string& encoding) {
  if (encoding == "none") return false;
  if (!encoding.empty() && encoding != "auto") return true;
  return head.starts_with("\xef\xbb\xbf") || head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff");
}

std::unique_ptr<ByteStream> transcoded_stream(std::unique_ptr<ByteStream> stream,
                                              const std::string& encoding) {
  return std::make_unique<Transcoded>(std::move(stream), encoding);
}

}  // namespace lanewise::cli::grep
