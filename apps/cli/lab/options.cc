#include "lab/options.h"

namespace lanewise::cli::lab {

void add_options(CLI::App& app, Options& options) {
  app.add_option("program", options.program, "A file, or the name of a program that Lanewise ships")
      ->type_name("PROGRAM");
  app.add_option("--port", options.port, "Port to listen on; 0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--host", options.host,
                 "Address to listen on; any other than this machine's own needs a token")
      ->type_name("ADDRESS")
      ->capture_default_str();
  app.add_flag("--no-open", options.no_open, "Do not open the browser");
  app.add_option("--max-runs", options.most_runs, "Maximum number of runs at once; others wait")
      ->check(CLI::Range(1, 64))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--max-steps", options.most_steps, "Maximum number of steps in a run")
      ->check(CLI::Range(uint64_t{1}, uint64_t{0xFFFFFFFE}))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--memory-limit", options.memory_limit, "Memory limit for a run")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option("--time-limit", options.seconds, "Maximum number of seconds for a run")
      ->check(CLI::Range(int64_t{1}, int64_t{86400}))
      ->type_name("SECONDS")
      ->capture_default_str();
}

std::vector<std::string> to_words(const Options& options) {
  std::vector<std::string> words = {
      "--port=" + std::to_string(options.port),          "--host=" + options.host,
      "--max-runs=" + std::to_string(options.most_runs), "--max-steps=" + std::to_string(options.most_steps),
      "--memory-limit=" + options.memory_limit,          "--time-limit=" + std::to_string(options.seconds)};
  if (options.no_open) words.emplace_back("--no-open");
  if (!options.program.empty()) words.insert(words.end(), {"--", options.program});
  return words;
}

}  // namespace lanewise::cli::lab
