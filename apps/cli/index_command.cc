#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "api/device_choice.h"
#include "api/session.h"
#include "base/error.h"
#include "base/new_file.h"
#include "base/size.h"
#include "command.h"
#include "gpu/driver.h"
#include "index/gpu/device_index.h"
#include "index/index.h"
#include "input/key_file.h"
#include "output/format.h"
#include "output/result_writer.h"
#include "process/print.h"

namespace lanewise::cli {

namespace {

const char* const kIndexDescription = R"(Builds, queries and changes ordered indexes in files.

An index maps the keys of a file's rows (Parquet, Arrow, CSV, JSON) to row numbers; the first row is 0. A key has one to
four columns. A query reads only the parts of the index that it needs. A change is safe on disk when the command ends.

  lanewise index build orders.parquet --key customer,day -o orders.index
  lanewise index query orders.index --keys wanted.csv --column customer,day -o rows.csv
  lanewise index insert orders.index --from new.parquet --first-row 150000
  lanewise index erase orders.index --from gone.csv
  lanewise index verify orders.index
)";

struct IndexArguments {
  std::string file, data, output, format, columns, device = "cpu", first_row = "0";
  bool nulls = false;
  double wait = 0;  // seconds
  IndexOptions options;
};

/// Row numbers from --first-row on.
std::vector<uint64_t> row_numbers(size_t rows, const std::string& first_row) {
  uint64_t first = 0;
  const char* end = first_row.data() + first_row.size();
  const auto [rest, error] = std::from_chars(first_row.data(), end, first);
  if (error != std::errc() || rest != end || (rows != 0 && first + (rows - 1) < first)) {
    throw UserError(
        fmt::format("--first-row {}: {} rows cannot be numbered from there; row numbers are 0 to {}",
                    first_row, rows, std::numeric_limits<uint64_t>::max()));
  }
  std::vector<uint64_t> numbers(rows);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

ExitCode run_build(IndexArguments given) {
  refuse_overwriting(given.output, std::vector<std::string>{given.data});
  const NewFile writable(given.output);
  KeyFile file(given.data);
  IndexOptions& options = given.options;
  const GivenKeys keys = file.read(file.columns_named(given.columns));
  for (const ColumnPtr& column : keys.columns) options.key.push_back({column->type, given.nulls});
  file.refuse(keys, options.key);
  Index index(options);
  try {
    index.load(Keys(keys.columns), row_numbers(keys.size(), given.first_row));
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", given.data, error.what()));
  }
  index.save(given.output);
  return kOk;
}

ColumnPtr numbers_column(const std::vector<uint64_t>& numbers) {
  ColumnBuilder builder(TypeId::kUInt64);
  for (const uint64_t number : numbers) builder.append_physical(number);
  return builder.finish();
}

IndexRanges entries_of(const Index& index, const Keys& keys, const std::string& device) {
  const DeviceChoice choice = parse_device(device);
  if (!choice.offered()) return index.equal(keys);
  if (!choice.only)
    throw UserError("--device auto is not supported for an index: choose cpu, cuda or cuda:N");
  return DeviceIndex(index, gpu::Driver::system().device(choice.place.gpu)).equal(keys);
}

ExitCode run_query(const IndexArguments& given) {
  const std::string format = format_of(given.format, given.output);
  check_output(given.output, {given.file, given.data});
  const Index index = Index::open(given.file, Index::Mode::kRead, nullptr, given.wait);
  if (index.value_bytes() != 8) {
    throw UserError(
        fmt::format("'{}' has values of {} bytes, not row numbers of 8", given.file, index.value_bytes()));
  }
  KeyFile file(given.data);
  const GivenKeys keys = file.read(file.columns_for(given.columns, index.key_fields()), index.key_fields());
  IndexRanges found;
  if (keys.size() != 0) found = entries_of(index, Keys(keys.columns), given.device);
  std::vector<uint64_t> positions(found.entries.count), rows(found.entries.count);
  for (size_t key = 0; key < keys.size(); ++key) {
    std::fill(positions.begin() + static_cast<ptrdiff_t>(found.offsets[key]),
              positions.begin() + static_cast<ptrdiff_t>(found.offsets[key + 1]), keys.rows[key]);
  }
  if (!rows.empty()) std::memcpy(rows.data(), found.entries.values.data(), rows.size() * sizeof(uint64_t));

  Table table;
  Batch batch{static_cast<int64_t>(rows.size()), {numbers_column(positions)}};
  table.schema.push_back({"position", TypeId::kUInt64});
  for (size_t i = 0; i < index.key_fields().size(); ++i) {
    table.schema.push_back({keys.names[i], index.key_fields()[i].type});
    batch.columns.push_back(found.entries.key.empty() ? make_column(index.key_fields()[i].type, {})
                                                      : found.entries.key[i]);
  }
  table.schema.push_back({"row", TypeId::kUInt64});
  batch.columns.push_back(numbers_column(rows));
  table.batches.push_back(std::move(batch));
  if (format == "parquet") {
    file.session().write_parquet(batches_of(table), given.output);
  } else if (given.output.empty()) {
    OutputFile out;
    make_writer(format, false)->write(batches_of(table), out);
    out.close();
  } else {
    OutputFile out(given.output);
    make_writer(format, true)->write(batches_of(table), out);
    out.close();
  }
  return kOk;
}

ExitCode run_change(const IndexArguments& given, bool insert) {
  Index index = Index::open(given.file, Index::Mode::kWrite, nullptr, given.wait);
  const std::vector<KeyField>& fields = index.key_fields();
  KeyFile file(given.data);
  const GivenKeys keys = file.read(file.columns_for(given.columns, fields), fields);
  if (insert) file.refuse(keys, fields);
  size_t changed = 0;
  if (insert) {
    const std::vector<uint64_t> rows = row_numbers(keys.size(), given.first_row);
    if (!rows.empty()) changed = index.insert(Keys(keys.columns), rows);
  } else if (keys.size() != 0) {
    changed = index.erase(Keys(keys.columns));
  }
  if (changed != 0) index.commit();
  print("{} {} {}\n", with_commas(static_cast<int64_t>(changed)), changed == 1 ? "entry" : "entries",
        insert ? "added" : "removed");
  return kOk;
}

ExitCode run_verify(const IndexArguments& given) {
  const Index index = Index::open(given.file, Index::Mode::kRead, nullptr, given.wait);
  index.verify();
  print("{} entries, no faults found\n", with_commas(static_cast<int64_t>(index.size())));
  return kOk;
}

ExitCode run_stats(const IndexArguments& given) {
  const Index index = Index::open(given.file, Index::Mode::kRead, nullptr, given.wait);
  const IndexStats stats = index.stats();
  const auto row = [](const char* name, const std::string& value) { print("{:<14}{}\n", name, value); };
  std::string key;
  for (const KeyField& field : index.key_fields()) {
    key += (key.empty() ? "" : ", ") + field.type.name() + (field.nullable ? " or NULL" : "");
  }
  row("key", key + (stats.unique ? ", unique" : ""));
  row("values", fmt::format("{} bytes each", stats.value_bytes));
  row("entries", with_commas(static_cast<int64_t>(stats.entries)));
  row("tree",
      fmt::format("{} leaves of up to {} keys, {} inner nodes of up to {} on {} levels",
                  with_commas(static_cast<int64_t>(stats.leaves)), stats.leaf_keys,
                  with_commas(static_cast<int64_t>(stats.inner_nodes)), stats.inner_keys, stats.height));
  if (stats.texts != 0) row("texts", with_commas(static_cast<int64_t>(stats.texts)));
  row("in use", fmt::format("{} of {}", format_size(stats.used_bytes), format_size(stats.image_bytes)));
  if (stats.entries != 0) {
    row("an entry", fmt::format("{:.1f} bytes",
                                static_cast<double>(stats.used_bytes) / static_cast<double>(stats.entries)));
  }
  row("commits", with_commas(static_cast<int64_t>(stats.commits)));
  return kOk;
}

/// Adds the verbs of `lanewise index`, which share their options.
class IndexCommand {
 public:
  IndexCommand(CLI::App& app, Command& run)
      : index_(*app.add_subcommand("index", kIndexDescription)), run_(run) {
    index_.require_subcommand(1);
    add_build();
    add_query();
    add_insert();
    add_erase();
    add_file(add_verb("verify", "Checks a whole index: checksums, order, counts", run_verify));
    add_file(add_verb("stats", "Shows size, shape and key of an index", run_stats));
  }

 private:
  CLI::App* add_verb(const char* name, const char* help, ExitCode (*work)(const IndexArguments&)) {
    CLI::App* command = index_.add_subcommand(name, help);
    command->callback([given = given_, work, &run = run_] { run = [given, work] { return work(*given); }; });
    return command;
  }
  void add_data(CLI::App* command, const char* names, const char* help) {
    command->add_option(names, given_->data, help)->type_name("DATA")->required();
  }
  void add_file(CLI::App* command) {
    command->add_option("file", given_->file, "The index")->type_name("FILE")->required();
    command
        ->add_option("--wait", given_->wait,
                     "Wait at most this long for other processes that use the index (default: 0)")
        ->check(CLI::Range(0.0, 1e9))
        ->option_text("SECONDS");
  }
  void add_columns(CLI::App* command) {
    command
        ->add_option("--column", given_->columns,
                     "Columns of DATA that hold the keys (default: the first ones)")
        ->type_name("COLUMN,...");
  }
  void add_first_row(CLI::App* command) {
    command->add_option("--first-row", given_->first_row, "Row number of DATA's first row (default: 0)")
        ->option_text("N");
  }

  void add_build() {
    CLI::App* build = add_verb("build", "Builds an index of a file's rows",
                               [](const IndexArguments& arguments) { return run_build(arguments); });
    add_data(build, "data", "The rows: Parquet, Arrow, CSV or JSON");
    build->add_option("--key", given_->columns, "Key columns, most significant first")
        ->type_name("COLUMN,...")
        ->required();
    build->add_option("-o,--output", given_->output, "Write the index to this file")
        ->type_name("FILE")
        ->required();
    build->add_flag("--unique", given_->options.unique, "Reject duplicate keys");
    build->add_flag("--nulls", given_->nulls,
                    "Allow NULL as a key, ordered after all values (default: reject NULL)");
    build
        ->add_option("--fill", given_->options.fill_percent,
                     "Fill level of the nodes in percent, 50 to 100 (default: 100)")
        ->option_text("PERCENT");
    build->add_option("--leaf-keys", given_->options.leaf_keys, "Maximum keys of a leaf, 4 to 2047")
        ->option_text("N");
    build->add_option("--inner-keys", given_->options.inner_keys, "Maximum keys of an inner node, 3 to 2047")
        ->option_text("N");
    add_first_row(build);
  }

  void add_query() {
    CLI::App* query = add_verb(
        "query", "Prints a row for each match: position of the key in DATA, key, row number", run_query);
    add_file(query);
    add_data(query, "--keys", "The keys to look up");
    add_columns(query);
    query->add_option("-o,--output", given_->output, "Write the matches to this file")->type_name("FILE");
    query
        ->add_option("--format", given_->format,
                     "Output format (default: from the extension of -o, else table)")
        ->check(CLI::IsMember(std::vector<std::string>(std::begin(kFormats), std::end(kFormats))))
        ->option_text(fmt::format("{}", fmt::join(kFormats, "|")));
    query
        ->add_option("--device", given_->device,
                     "Device: cpu (the default); cuda or cuda:N, to which the index is copied")
        ->option_text("NAME");
  }

  void add_insert() {
    CLI::App* insert = add_verb("insert", "Adds the rows of a file",
                                [](const IndexArguments& arguments) { return run_change(arguments, true); });
    add_file(insert);
    add_data(insert, "--from", "The rows to add");
    add_columns(insert);
    add_first_row(insert);
  }

  void add_erase() {
    CLI::App* erase = add_verb("erase", "Removes all entries whose keys are in a file",
                               [](const IndexArguments& arguments) { return run_change(arguments, false); });
    add_file(erase);
    add_data(erase, "--from", "The keys to remove");
    add_columns(erase);
  }

  CLI::App& index_;
  Command& run_;
  std::shared_ptr<IndexArguments> given_ = std::make_shared<IndexArguments>();
};

}  // namespace

void add_index_command(CLI::App& app, Command& run) { IndexCommand(app, run); }

}  // namespace lanewise::cli
