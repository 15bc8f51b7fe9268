#include <fmt/format.h>

#include <utility>

#include "bench/index_device.h"
#include "device/memory.h"
#include "device/staging.h"
#include "output/result_writer.h"

namespace lanewise::cli::bench {

namespace {

/// Of 8 to 40 letters and digits, as the number `i` decides.
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

/// An index of texts on the device; queries and room for their answers there.
class ResidentTexts {
 public:
  ResidentTexts(const Index& index, const std::vector<std::string_view>& queries, device::Device& device)
      : index_(index, device), device_(device), pool_(device), staging_(device), count_(queries.size()) {
    std::vector<uint64_t> begins = {0};
    std::string bytes;
    for (const std::string_view text : queries) {
      bytes += text;
      begins.push_back(bytes.size());
    }
    bytes.resize(bytes.size() / 4 * 4 + 4);
    bytes_ = there(bytes.size());
    begins_ = there(begins.size() * sizeof(uint64_t));
    values_ = there(count_ * sizeof(uint32_t));
    found_ = there(bits::words(count_) * sizeof(uint64_t));
    staging_.upload(bytes_.address(), bytes.data(), bytes.size(), index_.stream());
    staging_.upload(begins_.address(), begins.data(), begins_.size(), index_.stream());
  }

  void find(const std::string& strategy) {
    index_.use_strategy(strategy);
    index_.find({bytes_.address(), begins_.address()}, count_, values_.address(), found_.address());
  }
  uint64_t digest(const std::string& strategy) {
    find(strategy);
    std::vector<uint32_t> values(count_);
    staging_.download(values.data(), values_.address(), values_.size(), index_.stream());
    return digest_of(std::span<const uint32_t>(values));
  }
  double seconds(const std::string& strategy) {
    device::Event start(device_, true), end(device_, true);
    start.record(index_.stream());
    find(strategy);
    end.record(index_.stream());
    end.synchronize();
    return end.seconds_since(start);
  }

 private:
  device::DeviceBuffer there(size_t bytes) { return pool_.allocate(bytes, index_.stream(), "benchmark"); }

  DeviceIndex index_;
  device::Device& device_;
  device::DevicePool pool_;
  device::Staging staging_;
  uint64_t count_;
  device::DeviceBuffer bytes_, begins_, values_, found_;
};

}  // namespace

Work text_work(const IndexBenchOptions& options, device::Device& device) {
  const uint64_t count = std::max<uint64_t>(options.rows / 10, 1);
  std::vector<std::string> texts(count);
  for (uint64_t i = 0; i < count; ++i) texts[i] = text_of(i);
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

  Work work;
  const std::string counted = with_commas(static_cast<int64_t>(count));
  work.group.title = fmt::format("find: {0} of {0} texts of 8 to 40 bytes, on the device", counted);
  work.group.rows = count;
  work.group.about = {{"work", "text"}};
  const auto resident = std::make_shared<ResidentTexts>(index, queries, device);
  for (const std::string strategy : {"thread", "pair", "quad", "octet"}) {
    work.contenders.push_back({.level = "cuda " + strategy,
                               .digest = [=] { return resident->digest(strategy); },
                               .seconds = [=] { return resident->seconds(strategy); }});
  }
  return work;
}

}  // namespace lanewise::cli::bench
