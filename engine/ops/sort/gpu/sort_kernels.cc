#include "ops/sort/gpu/sort_kernels.h"

#include <fmt/format.h>

#include "ops/gpu/rows/row_kernels.h"

namespace lanewise::ops {

using expr::Emitted;
using expr::Emitter;
using What = SortWord::What;
using Word = codegen::JobLayout::Word;

SortKernels::SortKernels(const codegen::KernelBuilder& builder, const plan::Sort& sort)
    : ColumnKernels(builder), sort_(sort) {
  std::vector<bool> may_be_null;  // by key
  for (size_t i = 0; i < sort.keys.size(); ++i) may_be_null.push_back(builder.may_be_null(key(i)));
  words_ = sort_words(sort.keys, may_be_null);
}

const ExprPtr& SortKernels::key(size_t key) const {
  const std::vector<ExprPtr>& outputs = builder().program().outputs;
  return outputs[outputs.size() - sort_.keys.size() + key];
}

std::string SortKernels::word_kernel(size_t word) { return fmt::format("sort_word_{}", word); }
std::string SortKernels::size_kernel(size_t key) { return fmt::format("sort_size_{}", key); }

/// Leaves the word of row i in JobLayout::kOut.
void SortKernels::write_word(Emitter& out, const SortWord& word) const {
  const auto is_down = [&](size_t key) { return sort_.keys[key].descending; };
  std::vector<std::pair<size_t, Emitted>> keys;  // each is computed once
  const auto key_of = [&](size_t key) {
    if (keys.empty() || keys.back().first != key) keys.emplace_back(key, out.emit(*this->key(key)));
    return keys.back().second;
  };
  out.line("u64 word = 0;");
  const auto take = [&](size_t key, unsigned bits, const std::string& number) {
    const Emitted value = key_of(key);
    const std::string made = value.valid.empty() ? number : fmt::format("({} ? {} : 0)", value.valid, number);
    out.line(bits == 64 ? fmt::format("word = {};", made)
                        : fmt::format("word = word << {} | {};", bits, made));
  };
  if (word.text)
    take(*word.text, 64,
         fmt::format("text_word<{}>({}, job.words[{}])", is_down(*word.text), key_of(*word.text).value,
                     size_t{Word::kDepth}));
  for (const SortWord::Part& part : word.parts) {
    const Emitted key = key_of(part.key);
    const std::string order = fmt::format("order_of<{}>({})", is_down(part.key), key.value);
    switch (part.what) {
      case What::kNull:
        out.line(fmt::format("word = word << 1 | u64({}({}));", sort_.keys[part.key].nulls_first ? "" : "!",
                             key.is_valid()));
        break;
      case What::kValue:
        take(part.key, part.bits, order);
        break;
      case What::kHigh:
        take(part.key, part.bits, fmt::format("u64({} >> 64)", order));
        break;
      case What::kLow:
        take(part.key, part.bits, fmt::format("u64({})", order));
        break;
      case What::kSize:
        take(part.key, part.bits, fmt::format("order_of<{}>(u32({}.size))", is_down(part.key), key.value));
        break;
    }
  }
  out.line(fmt::format("job.at<u{0}>({1})[i] = u{0}(word);", word.bytes() * 8, size_t{Word::kOut}));
}

std::vector<codegen::KernelText> SortKernels::texts() const {
  return ColumnKernels::texts("#include \"codegen/order-inl.h\"\n",
                              [&](codegen::KernelText& text) { add_words(text); });
}

void SortKernels::add_words(codegen::KernelText& text) const {
  for (size_t i = 0; i < words_.size(); ++i) {
    const SortWord& word = words_[i];
    std::vector<ExprPtr> read;
    for (const SortWord::Part& part : word.parts) read.push_back(key(part.key));
    if (word.text) read.push_back(key(*word.text));
    add_list_kernel(text, builder(), {.name = word_kernel(i), .read = read, .each = [&](Emitter& out) {
                                        write_word(out, word);
                                      }});
    if (!word.text) continue;
    const auto note_size = [&](Emitter& out) {
      const Emitted key = out.emit(*read[0]);
      out.line(fmt::format("const u64 size = {} ? {}.size : 0;", key.is_valid(), key.value));
      out.line("if (size > longest) longest = u32(size);");
      out.line(fmt::format("if (size > job.words[{}]) atomicOr(job.at<u32>({}) + i / 32, 1u << i % 32);",
                           size_t{Word::kDepth}, size_t{Word::kActive}));
    };
    add_list_kernel(text, builder(),
                    {.name = size_kernel(*word.text),
                     .read = read,
                     .before = "u32 longest = 0;",
                     .each = note_size,
                     .end = fmt::format("note_greatest(longest, job.at<u32>({}));", size_t{Word::kOut})});
  }
}

}  // namespace lanewise::ops
