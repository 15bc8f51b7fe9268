#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/column.h"
#include "index/image/format.h"
#include "index/image/keys.h"

namespace lanewise {

/// A field of an index's key.
struct KeyField {
  Type type;
  bool nullable = false;  ///< NULL is a key, after all values; else NULL is rejected
};

}  // namespace lanewise

namespace lanewise::index {

/// A key in the order of trees: words, the first one most significant, and a string that decides between
/// equal words.
struct Probe {
  const void* words;
  std::string_view text;
};

/// A batch of probes.
struct Probes {
  const void* words = nullptr;              ///< row by row
  const std::string_view* texts = nullptr;  ///< for keys that are strings
  size_t count = 0;
  size_t stride = 0;  ///< bytes of a row

  Probe operator[](size_t i) const {
    return {static_cast<const char*>(words) + i * stride, texts == nullptr ? std::string_view() : texts[i]};
  }
};

/// The mapping of keys to the words and strings that trees compare. Each value becomes an unsigned number of
/// its type's size with the same order: signs are flipped, NaN is the greatest float, -0.0 is 0.0. The
/// numbers of the fields, each after a bit for NULL if it may be NULL, are concatenated into as few bits as
/// they need: 32, 64, or several words of 64. No value is reserved.
///
/// A key with a string field is a string of bytes: numbers in big-endian order, strings unchanged. In all but
/// the last field, 00 is written as 00 01, and 00 00 ends the string. The first eight bytes, padded with
/// zeros, are the key's word. The bytes are stored in the image and compared only if words are equal.
class KeyLayout {
 public:
  /// Throws UserError if there is no field, more than four fields, or a type without an order.
  explicit KeyLayout(std::vector<KeyField> fields);

  const std::vector<KeyField>& fields() const { return fields_; }
  u32 word() const { return word_; }      ///< bytes of a word: 4 or 8
  u32 planes() const { return planes_; }  ///< words of a key in a node; strings: word and position
  /// Total bytes of a key's words.
  u32 row_bytes() const { return word_ * planes_; }
  bool text() const { return text_; }
  bool simple() const { return simple_; }  ///< one number that is the whole word

  /// Throws UserError unless these keys fit this layout.
  void check(const Keys& keys) const;

  /// Converts part of a batch to probes, chunk by chunk.
  class Encoder {
   public:
    explicit Encoder(const KeyLayout& layout) : layout_(layout) {}
    /// Keys [first, first + count), which are valid until the next call. Throws UserError that names the row
    /// of a NULL that is rejected.
    Probes encode(const Keys& keys, size_t first, size_t count);

   private:
    void encode_words(const Keys& keys, size_t first, size_t count);
    void encode_texts(const Keys& keys, size_t first, size_t count);

    const KeyLayout& layout_;
    std::vector<u64> wide_;
    std::vector<u32> narrow_;
    std::string bytes_;
    std::vector<std::string_view> texts_;
  };

  /// Appends the key to a builder for each field.
  void decode(const Probe& key, std::vector<ColumnBuilder>& to) const;
  /// Appends `count` adjacent words of plane 0 as values of the only field, if the layout allows it;
  /// otherwise returns false.
  bool decode_plane(const void* words, size_t count, BufferBuilder<uint8_t>& to) const;

 private:
  std::vector<KeyField> fields_;
  std::vector<u32> field_at_;  // the first bit of each field
  bool text_ = false;
  bool simple_ = false;
  u32 word_ = 8;
  u32 planes_ = 1;
};

}  // namespace lanewise::index
