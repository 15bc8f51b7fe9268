#include "process/guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>
#include <string_view>

#include "base/error.h"
#include "process/exit_code.h"
#include "process/fault.h"
#include "process/interrupt.h"
#include "process/output_file.h"
#include "process/print.h"

namespace lanewise::cli {
namespace {

int fail(ExitCode code, std::string_view prefix, std::string_view message, std::string_view where = {}) {
  try {
    flush_printed();
  } catch (...) {  // one error is enough
  }
  print_error("{}{}{}\n", prefix, message, where);
  return code;
}

/// Opens closed standard streams: otherwise the next file to be opened would receive the output.
void open_standard_streams() {
  int file = 0;
  while (file >= 0 && file <= STDERR_FILENO) file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (file >= 0) ::close(file);
}

}  // namespace

int run_guarded(int argc, char** argv, int (*program)(int argc, char** argv)) {
  open_standard_streams();
  catch_interrupts();
  // Freed memory is reused for the next batch: fresh pages from the system cost as much as reading them.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the file size limit is an error, not the end
  std::signal(SIGPIPE, SIG_IGN);  // so is a closed pipe
  report_faults();
  set_running(fmt::format("{}", fmt::join(argv, argv + argc, " ")));
  try {
    const int code = program(argc, argv);
    flush_printed();
    return code;
  } catch (const ClosedPipe&) {
    return kOk;
  } catch (const CancelledError&) {
    end_cancelled();
  } catch (const UserError& error) {
    return fail(kUserError, "error: ", error.what());
  } catch (const std::bad_alloc&) {
    return fail(kUserError, "error: ", "the system has no memory left; try --memory-limit");
  } catch (const std::exception& error) {
    return fail(kBug, "This is a bug in lanewise, please report it: ", error.what(), running());
  }
}

}  // namespace lanewise::cli
