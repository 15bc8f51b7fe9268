#include <fmt/format.h>

#include "exec/gpu/codegen/kernel_writer.h"

/// The kernels of ORDER BY.
namespace lanewise::exec {

using expr::Emitted;
using expr::Emitter;
using What = SortWord::What;

std::string KernelWriter::sort_word_kernel(size_t word) { return fmt::format("sort_word_{}", word); }
std::string KernelWriter::sort_size_kernel(size_t key) { return fmt::format("sort_size_{}", key); }

/// A kernel that takes the rows of Job::kList: `each` is written for each `row`, the i-th of them.
void KernelWriter::list_kernel(KernelText& to, const std::string& name, const std::vector<ExprPtr>& read,
                               const std::string& before, const Write& each, const std::string& end,
                               const std::string& row, bool keeps_texts) const {
  Emitter out = emitter(Access::kRow);
  out.line("");
  out.open(
      fmt::format("extern \"C\" __global__ void __launch_bounds__(kThreads) {}(const Job job) {{", name));
  out.line(fmt::format("const u64 rows = job.words[{}];", size_t{kRows}));
  out.line(fmt::format("const u32* const list = job.at<const u32>({});", size_t{kList}));
  pointers(out, read);
  out.line_if_texts(heap_declaration());
  if (!before.empty()) out.line(before);
  out.open(
      "for (u64 i = blockIdx.x * u64(kThreads) + threadIdx.x; i < rows; i += gridDim.x * u64(kThreads)) {");
  out.line(fmt::format("const u64 row = {};", row));
  out.line("bool failed = false;");
  if (!keeps_texts) out.line_if_texts("heap.rewind();");
  each(out);
  out.line_if_texts("failed &= !heap.lost();");
  out.line(fmt::format("if (failed) note_fault(job.at<u64>({}), job.words[{}] + row);", size_t{kFault},
                       size_t{kFirstRow}));
  out.close();
  if (!end.empty()) out.line(end);
  out.close();
  add(to, name, out);
}

/// Leaves the word of row i in Job::kOut.
void KernelWriter::sort_word(Emitter& out, const SortWord& word) const {
  const auto is_down = [&](size_t key) { return sink_.sort->keys[key].descending; };
  std::vector<std::pair<size_t, Emitted>> keys;  // each is computed once
  const auto key_of = [&](size_t key) {
    if (keys.empty() || keys.back().first != key)
      keys.emplace_back(key, out.emit(*program_.outputs[sink_.sort_output(key)]));
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
                     size_t{kDepth}));
  for (const SortWord::Part& part : word.parts) {
    const Emitted key = key_of(part.key);
    const std::string order = fmt::format("order_of<{}>({})", is_down(part.key), key.value);
    switch (part.what) {
      case What::kNull:
        out.line(fmt::format("word = word << 1 | u64({}({}));",
                             sink_.sort->keys[part.key].nulls_first ? "" : "!", key.is_valid()));
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
  out.line(fmt::format("job.at<u{0}>({1})[i] = u{0}(word);", word.bytes() * 8, size_t{kOut}));
}

void KernelWriter::sort_kernels(KernelText& to) const {
  for (size_t i = 0; i < sort_words_.size(); ++i) {
    const SortWord& word = sort_words_[i];
    std::vector<ExprPtr> read;
    for (const SortWord::Part& part : word.parts)
      read.push_back(program_.outputs[sink_.sort_output(part.key)]);
    if (word.text) read.push_back(program_.outputs[sink_.sort_output(*word.text)]);
    list_kernel(to, sort_word_kernel(i), read, "", [&](Emitter& out) { sort_word(out, word); }, "");
    if (!word.text) continue;
    list_kernel(
        to, sort_size_kernel(*word.text), read, "u32 longest = 0;",
        [&](Emitter& out) {
          const Emitted key = out.emit(*read[0]);
          out.line(fmt::format("const u64 size = {} ? {}.size : 0;", key.is_valid(), key.value));
          out.line("if (size > longest) longest = u32(size);");
          out.line(fmt::format("if (size > job.words[{}]) atomicOr(job.at<u32>({}) + i / 32, 1u << i % 32);",
                               size_t{kDepth}, size_t{kActive}));
        },
        fmt::format("note_greatest(longest, job.at<u32>({}));", size_t{kOut}));
  }
}

}  // namespace lanewise::exec
