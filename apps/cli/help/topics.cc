#include "help/topics.h"

#include "help/functions.h"

namespace lanewise::cli {

namespace {

const char* const kFiles = R"(Name files in the FROM clause, in quotes. The extension chooses the reader:

  .parquet                   Parquet, with any of its codecs
  .csv .tsv                  text with separators, also compressed: .csv.gz, .csv.zst
  .arrow .arrows .feather    Arrow IPC files and streams, also compressed; Feather of version 2
  .json .ndjson .jsonl       JSON, also compressed: .json.gz, .json.zst
  'logs/*.parquet'           all files that match
  'logs/**/*.csv'            also in folders below
  'sales/**/*.parquet'       hive partitions: folders such as year=2026 become a column
  '-'                        standard input: Parquet, Arrow, JSON or CSV, also compressed CSV

Other readers and options are functions, for example:

  FROM read_csv('a.txt', delim = '|', header = false)
  FROM read_parquet('sales/**/*.parquet', union_by_name = true)

The extension of -o chooses the output format: .parquet, .arrow or .feather (an Arrow IPC file), .arrows (an Arrow IPC
stream), .csv, .json, .ndjson or .jsonl, .md or .markdown, .txt.
--format overrides it.
)";

const char* const kConfiguration =
    R"(A configuration file sets defaults of options. It is not needed. Lanewise reads ~/.config/lanewise/config.toml,
or the file that LANEWISE_CONFIG names. A section is a command, and a key is a long option without its dashes:

  [sql]
  threads = 8
  memory-limit = "16GB"
  timing = true

  [index.query]
  format = "csv"

Options on the command line override the file. Unknown sections and options are errors. The options of grep have a file
of their own, which LANEWISE_GREP_CONFIG names.
)";

const char* const kEnvironment =
    R"(  COLUMNS                    width of tables and help where standard output is not a terminal
  DISPLAY                    a desktop, on which `lanewise lab` opens the browser
  HOME                       home folder: profile, kernel cache and history
  LANEWISE_CONFIG            the configuration file; empty: none
  LANEWISE_GREP_CONFIG       file with options of grep, one per line
  LANEWISE_HISTORY           history file of the shell; empty: none
  LANEWISE_KERNELS           folder of kernels compiled ahead of time; empty: none
  LANEWISE_LAB               folder of the lab's page
  LANEWISE_NVRTC             path of NVRTC, CUDA's run-time compiler
  LANEWISE_OPENCL            path of the OpenCL library
  LANEWISE_SORT              path of the plug-in that sorts on GPUs
  LD_LIBRARY_PATH            folders in which the loader looks for the driver, NVRTC and OpenCL
  NO_COLOR                   if it is set and not empty, output has no colours
  PAGER                      program that shows long results in the shell; default: less; empty: none
  PATH                       folders in which the shell looks for less
  RIPGREP_CONFIG_PATH        file with options of grep, if LANEWISE_GREP_CONFIG is not set
  TERM                       if it is `dumb`, output has no colours, except with grep --color always
  TMPDIR                     folder of temporary files; default: /var/tmp for queries, else /tmp
  WAYLAND_DISPLAY            a desktop, as DISPLAY
  XDG_CACHE_HOME             base folder of the kernel cache; default: ~/.cache
  XDG_CONFIG_HOME            base folder of configuration and profile; default: ~/.config
  XDG_STATE_HOME             base folder of the shell's history; default: ~/.local/state
)";

const char* const kExitCodes = R"(  0      success; grep: a line was selected
  1      grep: no line was selected
  2      a mistake in options, SQL, a pattern or a file, or a limit that is too small
  70     a bug in Lanewise; please report the message
  130    cancelled by Ctrl-C or a signal
)";

}  // namespace

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all{
      {"files", "Files that FROM reads, and formats that -o writes", kFiles},
      {"functions", "Functions and aggregates of SQL", function_list()},
      {"configuration", "The configuration file", kConfiguration},
      {"environment", "Environment variables", kEnvironment},
      {"exit-codes", "Exit codes", kExitCodes},
  };
  return all;
}

}  // namespace lanewise::cli
