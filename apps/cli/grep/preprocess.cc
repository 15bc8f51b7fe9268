#include "grep/preprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "base/error.h"
#include "grep/input.h"

namespace lanewise::cli::grep {

namespace {

/// A process whose standard output is read.
class CommandStream final : public ByteStream {
 public:
  CommandStream(const std::string& command, const std::string& path, int file)
      : command_(command), errors_(::memfd_create("errors", MFD_CLOEXEC)) {
    int ends[2];
    if (errors_.get() < 0 || ::pipe2(ends, O_CLOEXEC) != 0) throw UserError(std::strerror(errno));
    output_.emplace(ends[0]);
    const Descriptor input(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, file, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, input.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, errors_.get(), STDERR_FILENO);
    char* words[] = {const_cast<char*>(command.c_str()), const_cast<char*>(path.c_str()), nullptr};
    const int error = ::posix_spawnp(&process_, command.c_str(), &actions, nullptr, words, environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
      process_ = -1;
      throw UserError(fmt::format("--pre: '{}' cannot be started: {}", command, std::strerror(error)));
    }
    text_ = plain_stream(output_->get());
  }
  CommandStream(const CommandStream&) = delete;
  CommandStream& operator=(const CommandStream&) = delete;
  ~CommandStream() override {
    output_->close();  // a command that still writes is ended
    wait();
  }

  size_t read(uint8_t* to, size_t size) override {
    const size_t got = text_->read(to, size);
    if (got == 0 && wait() != 0)
      throw UserError(fmt::format("--pre: '{}' failed: {}", command_, what_it_said()));
    return got;
  }

 private:
  /// The exit status of the process; waits for it at the first call.
  int wait() {
    int status = 0;
    if (process_ < 0) return status;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

  std::string what_it_said() const {
    std::string text(4096, '\0');
    const ssize_t got = ::pread(errors_.get(), text.data(), text.size(), 0);
    text.resize(got < 0 ? 0 : static_cast<size_t>(got));
    text.resize(text.find_last_not_of(" \n") + 1);
    return text.empty() ? "it printed no reason" : text;
  }

  const std::string command_;
  Descriptor errors_;
  std::optional<Descriptor> output_;
  pid_t process_ = -1;
  std::unique_ptr<ByteStream> text_;
};

}  // namespace

std::unique_ptr<ByteStream> preprocessed_stream(const std::string& command, const std::string& path,
                                                int file) {
  return std::make_unique<CommandStream>(command, path, file);
}

}  // namespace lanewise::cli::grep
