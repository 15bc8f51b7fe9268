#include "grep/run.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/machine.h"
#include "base/size.h"
#include "grep/pattern.h"
#include "grep/queue.h"
#include "grep/report.h"
#include "grep/select.h"
#include "grep/walk.h"
#include "process/print.h"

namespace lanewise::cli::grep {

namespace {

constexpr uint64_t kThreadsFrom = 4 << 20;  // bytes in all
constexpr uint64_t kMostWaiting = 2;        // batches that each worker may search before their turn

/// Workers take batches in order, search them in parallel, and print them in order.
class Run {
 public:
  Run(const Options& options, OutputFile& file)
      : options_(options),
        search_(compile(options)),
        out_(file),
        report_(make_report()),
        selector_(options, *report_, out_, search_.matcher->target()),
        queue_(options, search_.multiline),
        thread_count_(thread_count(options)) {}

  Outcome search() {
    const auto start = std::chrono::steady_clock::now();
    if (thread_count_ == 1) {
      work();
    } else {
      work_together();
    }
    conclude(std::chrono::steady_clock::now() - start);
    return {selected_, failed_};
  }

 private:
  std::unique_ptr<Reporter> make_report() {
    const auto make = options_.report == Report::kJson    ? make_json
                      : options_.report == Report::kLines ? make_standard
                                                          : make_summary;
    return make(options_, *search_.matcher, search_.multiline, out_);
  }

  /// A few small files do not need a second thread.
  static int thread_count(const Options& options) {
    if (options.threads > 0) return options.threads;
    uint64_t bytes = 0;
    for (const std::string& path : options.paths) {
      struct stat status{};
      if (path == "-" || ::stat(path.c_str(), &status) != 0) continue;
      if (!S_ISREG(status.st_mode)) return machine_cores();
      bytes += static_cast<uint64_t>(status.st_size);
    }
    return bytes < kThreadsFrom ? 1 : machine_cores();
  }

  /// Runs work() on all threads; rethrows the first exception.
  void work_together() {
    std::exception_ptr error;
    std::mutex mutex;
    const auto one = [&] {
      try {
        work();
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
      }
    };
    {
      std::vector<std::jthread> threads;
      for (int i = 1; i < thread_count_; ++i) threads.emplace_back(one);
      one();
    }
    if (error) std::rethrow_exception(error);
  }

  void work() {
    text::LineContext context;
    lanes::Stats lanes;
    if (options_.explain) context.match.stats = &lanes;
    try {
      while (auto batch = queue_.claim()) {
        for (Unit& unit : std::span(batch->units.data(), batch->size)) {
          if (unit.has_text && !unit.job->state.done) find(unit, context);
        }
        finish(std::move(batch));
      }
    } catch (...) {
      stop();  // other workers do not wait for this one
      throw;
    }
    const std::lock_guard lock(mutex_);
    lanes_.add(lanes);
  }

  void find(Unit& unit, text::LineContext& context) const {
    unit.lines.clear();
    unit.nul.reset();
    try {
      if (unit.job->input) unit.job->input->fill(unit.block);
      size_t size = unit.block.size();
      if (unit.job->state.at_nul != AtNul::kNothing) {
        // ripgrep checks the beginning of a mapped file, and the lines that it prints.
        const size_t looked = !unit.job->state.mapped ? size : unit.block.first ? std::min(size, kWindow) : 0;
        const void* nul = looked == 0 ? nullptr : std::memchr(unit.block.text(), 0, looked);
        if (nul != nullptr)
          unit.nul = static_cast<size_t>(static_cast<const uint8_t*>(nul) - unit.block.text());
        if (nul == nullptr && unit.block.nul_after > 0) unit.nul = unit.block.nul_after;
        if (nul != nullptr && unit.job->converts) size = end_lines_at_nul(unit.block);
      }
      if (search_.multiline) {
        const std::string_view text(reinterpret_cast<const char*>(unit.block.text()),
                                    size - unit.block.added_end);
        find_groups(*search_.matcher, options_, text, unit.lines, context.captures);
        if (unit.block.added_end && !unit.lines.empty() && unit.lines.back().end == size - 1)
          ++unit.lines.back().end;
      } else {
        search_.matcher->match(unit.block.text(), size, unit.lines, context);
      }
    } catch (const UserError& error) {
      unit.error = error.what();
    }
  }

  /// Returns the size: after a NUL byte at the file's end no line end is added.
  size_t end_lines_at_nul(Block& block) const {
    const bool ends = block.added_end && block.size() > 1 && block.text()[block.size() - 2] == 0;
    block.replace(0, static_cast<uint8_t>(options_.line_end));
    if (ends) {
      block.set(block.text(), block.size() - 1);
      block.added_end = false;
    }
    return block.size();
  }

  void stop() {
    queue_.stop();
    const std::lock_guard lock(turn_mutex_);
    stopped_ = true;
    turn_changed_.notify_all();
  }

  /// Prints the batch in its turn. The worker with the next batch also prints those that wait for it.
  void finish(std::unique_ptr<Batch> batch) {
    std::unique_lock lock(turn_mutex_);
    const uint64_t ticket = batch->ticket;
    turn_changed_.wait(lock, [&] {
      return stopped_ || ticket < turn_ + kMostWaiting * static_cast<uint64_t>(thread_count_);
    });
    if (stopped_) return;
    finished_.emplace(ticket, std::move(batch));
    if (printing_) return;
    printing_ = true;
    while (!stopped_ && !finished_.empty() && finished_.begin()->first == turn_) {
      batch = std::move(finished_.extract(finished_.begin()).mapped());
      lock.unlock();
      for (Unit& unit : std::span(batch->units.data(), batch->size)) {
        if (!enough()) print(unit);
      }
      queue_.give_back(std::move(batch));
      if (enough()) stop();
      lock.lock();
      ++turn_;
      turn_changed_.notify_all();
    }
    printing_ = false;
  }

  void print(Unit& unit) {
    if (!unit.error.empty()) {
      failed_ = true;
      if (options_.messages) print_error("lanewise grep: {}: {}\n", unit.name, unit.error);
    }
    if (unit.job == nullptr) return;
    FileState& file = unit.job->state;
    if (unit.has_text && unit.error.empty()) {
      const std::string_view text(reinterpret_cast<const char*>(unit.block.text()), unit.block.size());
      selector_.block(file, {text, unit.block.added_end, unit.nul}, unit.lines, search_.multiline);
    }
    if (!unit.error.empty()) file.done = true;
    if (unit.ends) end(file);
  }

  void end(FileState& file) {
    const uint64_t found = file.selected;
    searched_ = true;
    if (file.mapped && file.nul) file.searched = std::min(file.searched, *file.nul);  // as ripgrep counts
    report_->finish(file);
    if (options_.flush) out_.flush();
    if (options_.report != Report::kJson || file.begun) {
      totals_.files += 1;
      totals_.searched += file.searched;
      totals_.printed += file.printed;
    }
    totals_.files_with += found > 0;
    totals_.matches += file.matches;
    totals_.lines += file.matched_lines;
    const bool without = options_.report == Report::kFilesWithout;
    selected_ = selected_ || (without ? file.selected == 0 : file.selected > 0);
  }

  bool enough() const { return options_.report == Report::kNothing && selected_ && !options_.stats; }

  void conclude(std::chrono::nanoseconds time) {
    if (options_.paths_are_default && !searched_ && !failed_) {
      failed_ = true;
      if (options_.messages)
        print_error("lanewise grep: no file was searched; --files shows which would be, -uuu searches all\n");
    }
    if (options_.messages && options_.files.ignore_messages) {
      for (const std::string& warning : queue_.warnings()) print_error("lanewise grep: {}\n", warning);
    }
    if (options_.report == Report::kJson) {
      write_json_summary(totals_, time, time, out_);
    } else if (options_.stats) {
      const double seconds = static_cast<double>(time.count()) / 1e9;
      out_.write(fmt::format(
          "\n{} matches\n{} matched lines\n{} files contained matches\n{} files searched\n{} bytes printed\n"
          "{} bytes searched\n{:.6f} seconds spent searching\n{:.6f} seconds\n",
          totals_.matches, totals_.lines, totals_.files_with, totals_.files,
          options_.report == Report::kLines ? out_.written() : 0, totals_.searched, seconds, seconds));
    }
    if (options_.explain) explain(time);
  }

  void explain(std::chrono::duration<double> time) const {
    const auto row = [](const char* name, const std::string& value) {
      print_error("{:<10}{}\n", name, value);
    };
    row("searched", fmt::format("{} in {} file{}", format_size(totals_.searched), totals_.files,
                                totals_.files == 1 ? "" : "s"));
    row("time", fmt::format("{:.3f} s, {:.2f} GB/s, {} threads", time.count(),
                            static_cast<double>(totals_.searched) / 1e9 / time.count(), thread_count_));
    row("pattern", search_.matcher->describe());
    std::istringstream reasons(search_.matcher->matcher().describe());
    for (std::string line; std::getline(reasons, line);) row("", line);
    if (lanes_.lane_steps > 0) row("occupancy", fmt::format("{:.1f} %", 100 * lanes_.occupancy()));
  }

  const Options& options_;
  const Search search_;
  Out out_;
  const std::unique_ptr<Reporter> report_;
  Selector selector_;
  Queue queue_;
  const int thread_count_;
  Totals totals_;
  std::mutex mutex_;  // of lanes_

  std::mutex turn_mutex_;  // of what follows
  std::condition_variable turn_changed_;
  std::map<uint64_t, std::unique_ptr<Batch>> finished_;  // by ticket
  uint64_t turn_ = 0;                                    // the ticket to be printed next
  bool printing_ = false;
  bool stopped_ = false;
  lanes::Stats lanes_;

  bool selected_ = false;
  bool searched_ = false;  // some file
  bool failed_ = false;
};

}  // namespace

std::string shown_name(const std::string& path, const Options& options) {
  if (path == "-") return "<stdin>";
  std::string name = path;
  if (options.paths_are_default && name.starts_with("./")) name.erase(0, 2);
  if (options.path_separator != '/' && options.report != Report::kJson)
    std::ranges::replace(name, '/', options.path_separator);
  return name;
}

Outcome run(const Options& options, OutputFile& out) { return Run(options, out).search(); }

Outcome list_files(const Options& options, OutputFile& out) {
  Walk walk(options);
  Outcome outcome;
  for (Found found; walk.next(found);) {
    const std::string name = found.path == "-" ? "-" : shown_name(found.path, options);
    if (!found.error.empty()) {
      outcome.failed = true;
      if (options.messages) print_error("lanewise grep: {}: {}\n", name, found.error);
      continue;
    }
    outcome.selected = true;
    if (options.quiet) break;
    if (options.colours) out.write(options.colour_specs.path.start());
    out.write(name);
    if (options.colours) out.write(kResetColour);
    out.write(options.null_names ? std::string_view("\0", 1) : "\n");
  }
  return outcome;
}

}  // namespace lanewise::cli::grep
