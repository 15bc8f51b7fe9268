#include <algorithm>
#include <cstddef>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "gpu/memory.h"
#include "gpu/modules/kernels.h"
#include "pram/gpu/backends/backend.h"
#include "pram/gpu/backends/replay.h"

namespace lanewise::pram {

namespace {

class CudaCode : public Code {
 public:
  CudaCode(gpu::Module module, gpu::Stream& stream, Replay& replay)
      : module_(std::move(module)), stream_(stream), replay_(replay) {}

  void launch(const std::string& name, uint64_t positions,
              std::span<const uint64_t> arguments) const override {
    const uint64_t groups = (positions + kGroup - 1) / kGroup;
    if (replay_.is_on()) return replay_.launch(kernel(name), groups, kGroup, arguments);
    kernel(name).launch_words(stream_, {.blocks = groups, .threads = kGroup}, arguments);
  }

  uint64_t groups_together(const std::string& name) const override {
    constexpr int kEnough = 2;  // with more, groups wait longer for each other
    const gpu::Properties& properties = stream_.device().properties();
    if (!properties.cooperative) return 0;
    const int each = std::min(kEnough, kernel(name).blocks_per_multiprocessor(kGroup, 0));
    return static_cast<uint64_t>(each) * static_cast<uint64_t>(properties.multiprocessors);
  }

  void launch_together(const std::string& name, uint64_t groups,
                       std::span<const uint64_t> arguments) const override {
    replay_.flush();
    kernel(name).launch_words(stream_, {.blocks = groups, .threads = kGroup, .cooperative = true}, arguments);
  }

 private:
  const gpu::Kernel& kernel(const std::string& name) const {
    auto found = kernels_.find(name);
    if (found == kernels_.end()) found = kernels_.emplace(name, module_.kernel(name)).first;
    return found->second;
  }

  gpu::Module module_;
  gpu::Stream& stream_;
  Replay& replay_;
  mutable std::unordered_map<std::string, gpu::Kernel> kernels_;
};

/// Memory, freed in the stream's order: after all deferred work that may use it.
class CudaMemory {
 public:
  CudaMemory(gpu::DeviceBuffer buffer, Replay& replay) : buffer_(std::move(buffer)), replay_(replay) {}
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;
  ~CudaMemory() {
    try {
      replay_.flush();
    } catch (const std::exception&) {  // launch failed; a wait for the stream reports it, too
    }
  }
  uint64_t address() const { return buffer_.address(); }

 private:
  gpu::DeviceBuffer buffer_;
  Replay& replay_;
};

class CudaBackend : public Backend {
 public:
  CudaBackend()
      : device_(gpu::Driver::system().device(0)),
        stream_(device_),
        replay_(stream_),
        pool_(device_),
        pinned_(device_, kPinned, nullptr, "what PRAM kernels report") {}

  Dialect dialect() const override { return Dialect::kCuda; }

  std::unique_ptr<Code> build(const std::string& source, bool quickly) override {
    // Products and sums are rounded separately, as on all executors. No warnings about unused code.
    std::vector<std::string> options = {"--fmad=false", "-w"};
    if (quickly) options.emplace_back("--Ofast-compile=min");
    return std::make_unique<CudaCode>(
        gpu::build(device_, {.name = "pram", .text = source, .options = options}).module, stream_, replay_);
  }

  Buffer allocate(size_t bytes) override {
    auto held = std::make_shared<CudaMemory>(
        pool_.allocate(std::max(bytes, sizeof(uint64_t)), stream_, "a PRAM program"), replay_);
    const uint64_t address = held->address();
    return {std::move(held), address, bytes};
  }

  void fill(const Buffer& to, unsigned char byte) override {
    if (replay_.is_on()) return replay_.fill(to.handle, byte, to.bytes);
    stream_.fill(to.handle, byte, to.bytes);
  }

  void upload(const Buffer& to, const void* from, size_t bytes) override {
    replay_.flush();
    // A copy from pageable memory may continue after the call has returned.
    if (bytes > kKept) {
      stream_.copy_to_device(to.handle, from, bytes);
      return wait();
    }
    if (kept_.size() == kMostKept) wait();
    const auto* const first = static_cast<const std::byte*>(from);
    kept_.emplace_back(first, first + bytes);
    stream_.copy_to_device(to.handle, kept_.back().data(), bytes);
  }

  void download(void* to, const Buffer& from, size_t bytes) override {
    replay_.flush();
    const bool small = bytes <= kPinned;
    stream_.copy_to_host(small ? pinned_.data() : to, from.handle, bytes);
    wait();
    if (small) std::memcpy(to, pinned_.data(), bytes);
  }

  void finish() override {
    replay_.flush();
    wait();
  }
  void replay(bool on) override { replay_.turn(on); }

 private:
  static constexpr size_t kPinned = 4096, kKept = size_t{64} << 10, kMostKept = 256;

  void wait() {
    stream_.synchronize();
    kept_.clear();
  }

  gpu::Device& device_;
  gpu::Stream stream_;
  Replay replay_;
  gpu::DevicePool pool_;
  gpu::PinnedBuffer pinned_;
  std::vector<std::vector<std::byte>> kept_;  // data being uploaded
};

}  // namespace

Backend& cuda_backend() {
  static auto* const backend = new CudaBackend();  // like the driver, it is never destroyed
  return *backend;
}

}  // namespace lanewise::pram
