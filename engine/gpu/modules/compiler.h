#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/library.h"

namespace lanewise::gpu {

/// A source text for NVRTC.
struct KernelSource {
  std::string name;  ///< for messages
  std::string
      text;  ///< may include lane headers ("lanes/automata/rows-inl.h") and `headers`, by exactly these names
  std::vector<std::string> options =
      {};  ///< beyond C++20 and the architecture: "-DWIDTH=8", "--maxrregcount=64"
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< name and text
};

/// The text of a header that is embedded in the program: a lane header, by the name in #include. Empty:
/// no such header.
std::string_view embedded_header(std::string_view name);

/// The headers that `source` includes, directly or not: name and text, once each, in the order of their first
/// include. Headers that are neither in source.headers nor embedded are left out: the compiler reports them.
std::vector<std::pair<std::string, std::string>> included_headers(const KernelSource& source);

/// NVRTC, CUDA's run-time compiler, opened on first use. Thread-safe.
class Compiler {
 public:
  /// This machine's compiler: LANEWISE_NVRTC if set, else libnvrtc from the loader's path or the toolkit's
  /// default folder. Throws DeviceError.
  static const Compiler& system();
  /// Opens `library`: for tests; others use system().
  explicit Compiler(const std::string& library) : Compiler(std::vector<std::string>{library}) {}

  /// "13.0"
  const std::string& version() const { return version_; }
  /// The binary for `architecture` ("sm_90"). Throws InternalError with the compiler's log, since sources are
  /// ours; DeviceError if the compiler does not support the architecture.
  std::string compile(const KernelSource& source, const std::string& architecture) const;

 private:
  explicit Compiler(const std::vector<std::string>& names);
  template <class... Arguments>
  void call(const char* function, Arguments... arguments) const;

  Library library_;
  std::string version_;
  bool is_minimal_ = false;  ///< knows --minimal
};

}  // namespace lanewise::gpu
