// Arrow arrays with any format, offsets, codes and validity: imported whole, or rejected with a UserError.
// Buffers have the lengths that the interface promises; the fuzzer fills them.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/arrow/arrow.h"

using namespace lanewise;

namespace {

constexpr int64_t kRows = 40;
constexpr size_t kBytes = 4096;  // of a string column

/// Takes values from the fuzzer's input; zeros after its end.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  uint8_t byte() { return size_ == 0 ? 0 : (--size_, *data_++); }
  void fill(void* out, size_t bytes) {
    const size_t taken = std::min(bytes, size_);
    std::memcpy(out, data_, taken);
    data_ += taken;
    size_ -= taken;
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

const char* const kFormats[] = {"n",       "b",          "c",       "C",    "s",   "S",   "i",   "I",
                                "l",       "L",          "f",       "g",    "u",   "U",   "z",   "Z",
                                "vu",      "e",          "tdD",     "tdm",  "tts", "ttm", "ttu", "ttn",
                                "tss:",    "tsm:",       "tsu:UTC", "tsn:", "tiM", "tiD", "tin", "d:9,2",
                                "d:38,10", "d:40,2,256", "w:7",     "+l",   "+s",  "+m"};

/// One array and its schema, with everything that they point to.
struct Made {
  std::string format;
  ArrowSchema schema{};
  ArrowArray array{};
  std::vector<uint64_t> validity = std::vector<uint64_t>(2), first = std::vector<uint64_t>(2 * kRows + 8),
                        second = std::vector<uint64_t>(kBytes / 8 + 8);
  const void* buffers[3] = {};
};

void release_schema(ArrowSchema* schema) { schema->release = nullptr; }
void release_array(ArrowArray* array) { array->release = nullptr; }

/// The last offset stays within the bytes, as the interface promises; those before it may have any value.
template <typename Offset>
void end_within(std::vector<uint64_t>& words, int64_t entries) {
  Offset last;
  char* at = reinterpret_cast<char*>(words.data()) + entries * sizeof(Offset);
  std::memcpy(&last, at, sizeof last);
  last = static_cast<Offset>(static_cast<uint64_t>(last) % kBytes);
  std::memcpy(at, &last, sizeof last);
}

void make(Input& in, Made& made, int64_t length, int64_t offset, Made* dictionary) {
  const uint8_t choice = in.byte();
  made.format =
      choice < 250 ? kFormats[choice % std::size(kFormats)] : std::string(1, static_cast<char>(in.byte()));
  made.schema.format = made.format.c_str();
  made.schema.name = "column";
  made.schema.flags = in.byte() & 7;
  made.schema.release = release_schema;
  made.array.length = length;
  made.array.offset = offset;
  made.array.null_count = in.byte() % 4 == 0 ? 0 : -1;
  in.fill(made.validity.data(), 16);
  in.fill(made.first.data(), made.first.size() * 8 - 64);
  in.fill(made.second.data(), 64);
  const bool narrow = made.format == "u" || made.format == "z",
             wide = made.format == "U" || made.format == "Z";
  if (narrow) end_within<int32_t>(made.first, length + offset);
  if (wide) end_within<int64_t>(made.first, length + offset);
  made.buffers[0] = in.byte() % 3 == 0 ? nullptr : made.validity.data();
  made.buffers[1] = made.first.data();
  made.buffers[2] = made.second.data();
  made.array.n_buffers = made.format == "n" ? 0 : narrow || wide ? 3 : 2;
  made.array.buffers = made.buffers;
  made.array.release = release_array;
  if (dictionary != nullptr) {
    made.schema.dictionary = &dictionary->schema;
    made.array.dictionary = &dictionary->array;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input in(data, size);
  const int64_t offset = in.byte() % 8, length = in.byte() % (kRows - 8), entries = in.byte() % 16;
  const bool with_dictionary = in.byte() % 3 == 0;
  Made dictionary, column;
  if (with_dictionary) make(in, dictionary, entries, 0, nullptr);
  make(in, column, length, offset, with_dictionary ? &dictionary : nullptr);

  ArrowSchema* schema_children[] = {&column.schema};
  ArrowArray* array_children[] = {&column.array};
  ArrowSchema schema{.format = "+s",
                     .name = "",
                     .metadata = nullptr,
                     .flags = 0,
                     .n_children = 1,
                     .children = schema_children,
                     .dictionary = nullptr,
                     .release = release_schema,
                     .private_data = nullptr};
  const void* no_buffers[] = {nullptr};
  ArrowArray array{.length = length,
                   .null_count = 0,
                   .offset = 0,
                   .n_buffers = 1,
                   .n_children = 1,
                   .buffers = no_buffers,
                   .children = array_children,
                   .dictionary = nullptr,
                   .release = release_array,
                   .private_data = nullptr};
  try {
    for (const Batch& batch : arrow::import_array(schema, &array)) {
      for (const auto& values : batch.columns) {
        for (int64_t row = 0; row < batch.rows; ++row) {
          if (!values->is_null(row)) (void)values->value(row).to_string();
        }
      }
    }
  } catch (const UserError&) {
  }
  return 0;
}
