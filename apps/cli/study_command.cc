#include <algorithm>
#include <memory>

#include "base/error.h"
#include "command.h"
#include "process/output_file.h"
#include "study/report/report.h"
#include "study/study.h"

namespace lanewise::cli {

namespace {

const char* const kStudyDescription =
    R"(Reports which of scalar code, SIMD, threads and GPU wins on this machine, and why.

It repeats the experiments of four studies, on strings, operators, indexes and PRAM programs, and compares the results
with the published ones. It writes study.json, study.parquet and report.html, which needs no other file, into the folder.
After an interruption, the same command continues where it stopped. Parts that were measured one after the other into the
same folder share a report. The report lists levels that a machine cannot run, with the reason. A result that differs between two levels
ends the study.

  lanewise study                              all parts, into the folder study
  lanewise study --quick                      the same on less data, in minutes
  lanewise study index                        one part; the report has all parts in the folder
  lanewise study report study                 the report again, from results of any machine
  lanewise study compare study other-machine -o both.html
)";

const std::vector<std::string> kParts = {"strings", "operators", "index", "pram"};

struct StudyOptions {
  study::Parameters parameters;
  std::string folder = "study";
  std::string a, b, output;  // of compare
};

ExitCode run_compare(const StudyOptions& options) {
  const study::Json a = study::read_study(options.a), b = study::read_study(options.b);
  check_output(options.output, {});
  const auto file =
      options.output.empty() ? std::make_unique<OutputFile>() : std::make_unique<OutputFile>(options.output);
  file->write(study::comparison(a, b, options.a, options.b));
  file->close();
  return kOk;
}

}  // namespace

void add_study_command(CLI::App& app, Command& run) {
  auto options = std::make_shared<StudyOptions>();
  study::Parameters& parameters = options->parameters;
  CLI::App* study = app.add_subcommand("study", kStudyDescription);
  std::vector<std::string> words = kParts;
  words.emplace_back("all");
  study->add_option("PART", parameters.parts, "strings, operators, index, pram, all (default: all)")
      ->check(CLI::IsMember(words))
      ->type_name("");
  study->add_flag("--quick", parameters.quick, "Less data and fewer runs, for a first look");
  study->add_option("-o,--output", options->folder, "Folder of the results (default: study)")
      ->type_name("FOLDER");
  study->add_option("--rows", parameters.most_rows, "At most N rows, keys or queries in any experiment")
      ->check(CLI::Range(int64_t{1}, kMostRows))
      ->option_text("N");
  study
      ->add_option("--device", parameters.device,
                   "Device: cpu, cuda, cuda:N or auto, a GPU if there is one (default: auto)")
      ->option_text("NAME");
  study->add_option("--seed", parameters.seed, "Seed for the data")->option_text("N");
  study
      ->add_option("--repeat", parameters.repeat,
                   "Number of rounds, of which the median is shown (default: 5)")
      ->check(CLI::Range(1, 1000))
      ->option_text("N");
  CLI::App* compare = study->add_subcommand("compare", R"(Compares the results of two studies.

  lanewise study compare study other-machine -o both.html
)");
  compare->add_option("A", options->a, "Folder of the first study")->required()->type_name("FOLDER");
  compare->add_option("B", options->b, "Folder of the second study")->required()->type_name("FOLDER");
  compare->add_option("-o,--output", options->output, "HTML file (default: standard output)")
      ->type_name("FILE");
  CLI::App* report =
      study->add_subcommand("report", R"(Writes the report again from results in a folder, also of another
machine or of an interrupted study.

  lanewise study report study
)");
  report->add_option("FOLDER", options->a, "Folder of the study")->required()->type_name("FOLDER");
  report->callback([options, &run] {
    run = [options] {
      study::write_report(options->a);
      return kOk;
    };
  });
  compare->callback([options, &run] { run = [options] { return run_compare(*options); }; });
  study->callback([options, &run, study] {
    if (!study->get_subcommands().empty()) return;
    study::Parameters& chosen = options->parameters;
    if (chosen.parts.empty() || std::ranges::count(chosen.parts, "all") > 0) chosen.parts = kParts;
    run = [options] {
      study::run_study(options->parameters, options->folder);
      return kOk;
    };
  });
}

}  // namespace lanewise::cli
