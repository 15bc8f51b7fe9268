#include <fmt/format.h>

#include <utility>

#include "gpu/memory.h"
#include "gpu/staging.h"
#include "primitives/scramble.h"
#include "study/bench/index_device.h"

namespace lanewise::cli::bench {

namespace {

/// A string of 8 to 40 letters and digits that `i` determines.
std::string text_of(uint64_t i) {
  constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz012345";
  std::string text(8 + hash::of_word(i) % 33, ' ');
  uint64_t bits = 0;
  for (size_t at = 0; at < text.size(); ++at, bits >>= 5) {
    if (at % 12 == 0) bits = hash::scramble(i + at);
    text[at] = kLetters[bits % 32];
  }
  return text;
}

/// Strings, and values or bits for them, in the device's memory.
struct ThereTexts {
  uint64_t count;
  gpu::DeviceBuffer bytes, begins, values, found;

  DeviceIndex::Texts texts() const { return {bytes.address(), begins.address()}; }
};

/// An index of strings on the device, and batches for it there.
class ResidentTexts {
 public:
  ResidentTexts(const Index& index, gpu::Device& device)
      : index_(index, device), device_(device), pool_(device), staging_(device) {}

  std::shared_ptr<ThereTexts> upload(const std::vector<std::string_view>& texts) {
    std::vector<uint64_t> begins = {0};
    std::string bytes;
    for (const std::string_view text : texts) {
      bytes += text;
      begins.push_back(bytes.size());
    }
    bytes.resize(bytes.size() / 4 * 4 + 4);
    const uint64_t count = texts.size();
    auto made = std::make_shared<ThereTexts>(
        ThereTexts{count, there(bytes.size()), there(begins.size() * sizeof(uint64_t)),
                   there(count * sizeof(uint32_t)), there(bits::words(count) * sizeof(uint64_t))});
    staging_.upload(made->bytes.address(), bytes.data(), bytes.size(), index_.stream());
    staging_.upload(made->begins.address(), begins.data(), made->begins.size(), index_.stream());
    index_.stream().fill(made->values.address(), 7, made->values.size());
    return made;
  }

  void find(const ThereTexts& of, const std::string& strategy) {
    index_.use_strategy(strategy);
    index_.find(of.texts(), of.count, of.values.address(), of.found.address());
  }
  uint64_t digest(const ThereTexts& of, const std::string& strategy) {
    find(of, strategy);
    std::vector<uint32_t> values(of.count);
    staging_.download(values.data(), of.values.address(), of.values.size(), index_.stream());
    return digest_of(std::span<const uint32_t>(values));
  }
  double seconds(const std::function<void()>& run) {
    gpu::Event start(device_, true), end(device_, true);
    start.record(index_.stream());
    run();
    end.record(index_.stream());
    end.synchronize();
    return end.seconds_since(start);
  }
  DeviceIndex& index() { return index_; }

 private:
  gpu::DeviceBuffer there(size_t bytes) { return pool_.allocate(bytes, index_.stream(), "benchmark"); }

  DeviceIndex index_;
  gpu::Device& device_;
  gpu::DevicePool pool_;
  gpu::Staging staging_;
};

}  // namespace

void text_works(const IndexBenchOptions& options, gpu::Device& device, const std::function<void(Work)>& add) {
  const uint64_t count = std::max<uint64_t>(options.rows / 10, 1), more = std::max<uint64_t>(count / 10, 1);
  std::vector<std::string> texts(count), new_texts(more);
  for (uint64_t i = 0; i < count; ++i) texts[i] = text_of(i);
  for (uint64_t i = 0; i < more; ++i) new_texts[i] = text_of(count + i);
  std::sort(texts.begin(), texts.end());
  const std::vector<std::string_view> keys(texts.begin(), texts.end());
  std::vector<uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  IndexOptions made;
  made.key = {{TypeId::kVarchar}};
  made.value_bytes = sizeof(uint32_t);
  Index index(made);
  index.load(keys, values);
  std::mt19937_64 random(options.seed);
  std::vector<std::string_view> queries(count);
  for (std::string_view& query : queries) query = keys[random() % count];

  const auto resident = std::make_shared<ResidentTexts>(index, device);
  const auto asked = resident->upload(queries);
  Work work = device_work_of(
      "text", fmt::format("find: {0} of {0} strings of 8 to 40 bytes, on the device", counted(count)), count);
  for (const std::string strategy : {"thread", "pair", "quad", "octet"}) {
    work.contenders.push_back(
        {.level = "cuda " + strategy,
         .digest = [=] { return resident->digest(*asked, strategy); },
         .seconds = [=] { return resident->seconds([&] { resident->find(*asked, strategy); }); }});
  }
  add(std::move(work));

  const auto batch = resident->upload({new_texts.begin(), new_texts.end()});
  const auto insert = [=] {
    return resident->seconds(
        [&] { resident->index().insert(batch->texts(), batch->count, batch->values.address()); });
  };
  const auto erase = [=] {
    return resident->seconds([&] { resident->index().erase(batch->texts(), batch->count); });
  };
  work = device_work_of("text",
                        fmt::format("changes, a batch of {} random strings into {}, on the device",
                                    counted(more), counted(count)),
                        more);
  const auto size = [=] { return resident->index().size(); };
  work.contenders.push_back({.level = "insert",
                             .digest = [=] { return insert(), erase(), size(); },
                             .seconds =
                                 [=] {
                                   const double seconds = insert();
                                   erase();
                                   return seconds;
                                 }});
  work.contenders.push_back({.level = "erase", .digest = size, .seconds = [=] { return insert(), erase(); }});
  add(std::move(work));
}

}  // namespace lanewise::cli::bench
