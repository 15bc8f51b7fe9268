#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/library.h"

namespace lanewise::gpu {

/// A text that NVRTC compiles.
struct KernelSource {
  std::string name;  ///< for messages
  std::string
      text;  ///< may include lane headers ("lanes/automata/rows-inl.h") and `headers`, by these very names
  std::vector<std::string> options =
      {};  ///< beyond C++20 and the architecture: "-DWIDTH=8", "--maxrregcount=64"
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< name and text
};

/// The text of a header that is embedded in the program: the lane headers, named as their includes. Empty:
/// there is none of this name.
std::string_view embedded_header(std::string_view name);

/// The headers that `source` includes, directly or not; each once, name and text, in the order of their first
/// include. What is neither among source.headers nor embedded is left out: the compiler will miss it.
std::vector<std::pair<std::string, std::string>> included_headers(const KernelSource& source);

/// NVRTC, CUDA's compiler for run time, opened when it is needed. Thread-safe.
class Compiler {
 public:
  /// This machine's: LANEWISE_NVRTC if that is set, else libnvrtc of the loader's path or of the toolkit's
  /// usual place. Throws DeviceError.
  static const Compiler& system();
  /// Name and build ID of the file that system() opens, or its size if it has no ID. Found without opening
  /// it, which takes 0.1 s. Empty: only the loader knows where it is.
  static std::string system_file();
  /// Opens `library`; system() is for everybody but tests.
  explicit Compiler(const std::string& library) : Compiler(std::vector<std::string>{library}) {}

  /// "13.0"
  const std::string& version() const { return version_; }
  /// The binary for `architecture` ("sm_90"). Throws InternalError with the compiler's log, since sources are
  /// ours; DeviceError where the compiler does not know the architecture.
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
