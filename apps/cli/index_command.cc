#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "api/device_choice.h"
#include "api/session.h"
#include "base/error.h"
#include "base/size.h"
#include "command.h"
#include "device/driver.h"
#include "index/device/device_index.h"
#include "index/index.h"
#include "output/format.h"
#include "output/result_writer.h"

namespace lanewise::cli {

namespace {

const char* const kDescription = R"(Builds and asks ordered indexes in files.

An index maps the keys of a file's rows (Parquet, CSV, JSON) to their row numbers, the first row is 0. Keys have up to
four columns. Questions read only the parts of the index that they need; changes are safe when the command ends.

  lanewise index build orders.parquet --key customer,day -o orders.index
  lanewise index query orders.index --keys wanted.csv --column customer,day -o rows.csv
  lanewise index insert orders.index --from new.parquet --first-row 150000
  lanewise index erase orders.index --from gone.csv
  lanewise index verify orders.index
)";

struct IndexArguments {
  std::string file, data, output, format, columns, device = "cpu";
  bool nulls = false;
  uint64_t first_row = 0;
  IndexOptions options;
};

std::string sql_quoted(const std::string& text, char mark) {
  std::string all(1, mark);
  for (const char byte : text) all += std::string(byte == mark ? 2 : 1, byte);
  return all + mark;
}

std::vector<std::string> split_columns(const std::string& text) {
  std::vector<std::string> columns;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    columns.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return columns;
}

/// A table's column in one piece.
ColumnPtr in_one_piece(const Table& table, size_t column) {
  if (table.batches.size() == 1 && !table.batches[0].columns[column]->dictionary) {
    return table.batches[0].columns[column];
  }
  ColumnBuilder builder(table.schema[column].type);
  for (const Batch& batch : table.batches) {
    const Column& part = *batch.columns[column];
    const Column& held = part.dictionary ? *part.dictionary : part;
    visit(part.type.physical(), [&](auto zero) {
      using T = decltype(zero);
      for (int64_t row = 0; row < part.rows; ++row) {
        const int64_t entry = part.dictionary && !part.is_null(row) ? part.values.as<uint32_t>()[row] : row;
        if (part.is_null(row)) {
          builder.append_null();
        } else if constexpr (std::is_same_v<T, std::string_view>) {
          builder.append_text(held.text(entry));
        } else {
          builder.append_physical(held.values.as<T>()[entry]);
        }
      }
    });
  }
  return builder.finish();
}

/// Columns of a file, as the index's key where there is one already.
struct KeyColumns {
  std::vector<std::string> names;
  std::vector<ColumnPtr> columns;
  size_t rows = 0;
};

/// The names of a file's columns.
std::vector<std::string> column_names(Session& session, const std::string& path) {
  const Table none = session.run("SELECT * FROM " + sql_quoted(path, '\'') + " LIMIT 0", false).table;
  std::vector<std::string> names;
  for (const Field& field : none.schema) names.push_back(field.name);
  return names;
}

/// The columns that the user names. Throws UserError for one that the file does not have; as in SQL, case
/// does not matter.
std::vector<std::string> wanted_columns(Session& session, const std::string& path,
                                        const std::string& columns) {
  if (columns.empty()) return {};
  std::vector<std::string> wanted = split_columns(columns);
  const std::vector<std::string> names = column_names(session, path);
  const auto folded = [](std::string name) {
    std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    return name;
  };
  for (const std::string& name : wanted) {
    if (std::ranges::none_of(names, [&](const auto& one) { return folded(one) == folded(name); })) {
      throw UserError(fmt::format("'{}' has no column '{}'; it has {}", path, name, fmt::join(names, ", ")));
    }
  }
  return wanted;
}

/// Columns of a file: those named, or all; as the fields of an index's key where there is one.
KeyColumns read_keys(Session& session, const std::string& path, std::vector<std::string> names,
                     const std::vector<KeyField>* fields) {
  KeyColumns keys;
  keys.names = std::move(names);
  std::string query = "SELECT ";
  if (fields != nullptr && !keys.names.empty() && keys.names.size() != fields->size()) {
    throw UserError(
        fmt::format("the index's key has {} columns, and {} are given", fields->size(), keys.names.size()));
  }
  if (keys.names.empty()) {
    query += "*";
  } else {
    for (size_t i = 0; i < keys.names.size(); ++i) {
      const std::string name = sql_quoted(keys.names[i], '"');
      if (i != 0) query += ", ";
      query +=
          fields == nullptr ? name : fmt::format("CAST({0} AS {1}) AS {0}", name, (*fields)[i].type.name());
    }
  }
  query += " FROM " + sql_quoted(path, '\'');
  const Table table = [&] {
    try {
      return session.run(query, false).table;
    } catch (const UserError& error) {
      throw UserError(fmt::format("'{}', column {}: {}", path, fmt::join(keys.names, ", "), error.what()));
    }
  }();
  for (const Field& field : table.schema) {
    if (keys.columns.size() == keys.names.size()) keys.names.push_back(field.name);
    keys.columns.push_back(in_one_piece(table, keys.columns.size()));
  }
  keys.rows = static_cast<size_t>(table.rows());
  return keys;
}

/// The given columns, or those of the file that come first.
KeyColumns read_keys_for(Session& session, const IndexArguments& given, const Index& index) {
  std::vector<std::string> names = wanted_columns(session, given.data, given.columns);
  const std::vector<KeyField>& fields = index.key_fields();
  if (names.empty()) {
    names = column_names(session, given.data);
    if (names.size() < fields.size()) {
      throw UserError(fmt::format("'{}' has {} columns, and the index's key {}", given.data, names.size(),
                                  fields.size()));
    }
    names.resize(fields.size());
  }
  return read_keys(session, given.data, std::move(names), &fields);
}

std::vector<uint64_t> row_numbers(size_t rows, uint64_t first) {
  std::vector<uint64_t> numbers(rows);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

ExitCode run_build(IndexArguments given) {
  Session session;
  const KeyColumns keys =
      read_keys(session, given.data, wanted_columns(session, given.data, given.columns), nullptr);
  IndexOptions& options = given.options;
  for (const ColumnPtr& column : keys.columns) options.key.push_back({column->type, given.nulls});
  Index index(options);
  try {
    index.load(Keys(keys.columns), row_numbers(keys.rows, given.first_row));
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
  if (!choice.offered) return index.equal(keys);
  if (!choice.only) throw UserError("an index is asked on one device: choose cpu, cuda or cuda:N");
  return DeviceIndex(index, device::Driver::system().device(choice.ordinal)).equal(keys);
}

ExitCode run_query(const IndexArguments& given) {
  const std::string format = format_of(given.format, given.output);
  const Index index = Index::open(given.file);
  Session session;
  const KeyColumns keys = read_keys_for(session, given, index);
  if (index.value_bytes() != 8) {
    throw UserError(
        fmt::format("'{}' has values of {} bytes, not row numbers of 8", given.file, index.value_bytes()));
  }
  IndexRanges found;
  if (keys.rows != 0) found = entries_of(index, Keys(keys.columns), given.device);
  std::vector<uint64_t> positions(found.entries.count), rows(found.entries.count);
  for (size_t key = 0; key < keys.rows; ++key) {
    std::fill(positions.begin() + static_cast<ptrdiff_t>(found.offsets[key]),
              positions.begin() + static_cast<ptrdiff_t>(found.offsets[key + 1]), key);
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
    session.write_parquet(table, given.output);
  } else if (given.output.empty()) {
    OutputFile out;
    make_writer(format, false)->write(table, out);
    out.close();
  } else {
    OutputFile out(given.output);
    make_writer(format, true)->write(table, out);
    out.close();
  }
  return kOk;
}

ExitCode run_change(const IndexArguments& given, bool insert) {
  Index index = Index::open(given.file, Index::Mode::kWrite);
  Session session;
  const KeyColumns keys = read_keys_for(session, given, index);
  if (keys.rows == 0) return kOk;
  const size_t changed = insert ? index.insert(Keys(keys.columns), row_numbers(keys.rows, given.first_row))
                                : index.erase(Keys(keys.columns));
  index.commit();
  fmt::print("{} entries {}\n", with_commas(static_cast<int64_t>(changed)), insert ? "added" : "removed");
  return kOk;
}

ExitCode run_verify(const IndexArguments& given) {
  const Index index = Index::open(given.file);
  index.verify();
  fmt::print("{} entries, all as they should be\n", with_commas(static_cast<int64_t>(index.size())));
  return kOk;
}

ExitCode run_stats(const IndexArguments& given) {
  const Index index = Index::open(given.file);
  const IndexStats stats = index.stats();
  const auto row = [](const char* name, const std::string& value) { fmt::print("{:<14}{}\n", name, value); };
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

}  // namespace

void add_index_command(CLI::App& app, Command& run) {
  auto given = std::make_shared<IndexArguments>();
  CLI::App* index = app.add_subcommand("index", kDescription);
  index->require_subcommand(1);
  const auto verb = [&](const char* name, const char* help, ExitCode (*work)(const IndexArguments&)) {
    CLI::App* command = index->add_subcommand(name, help);
    command->callback([given, work, &run] { run = [given, work] { return work(*given); }; });
    return command;
  };
  const auto data = [&](CLI::App* command, const char* names, const char* help) {
    command->add_option(names, given->data, help)->type_name("DATA")->required();
  };
  const auto file = [&](CLI::App* command) {
    command->add_option("file", given->file, "The index")->type_name("FILE")->required();
  };
  const auto columns = [&](CLI::App* command) {
    command->add_option("--column", given->columns, "The columns that hold keys; default: the first ones")
        ->type_name("COLUMN,...");
  };
  const auto first_row = [&](CLI::App* command) {
    command->add_option("--first-row", given->first_row, "The number of DATA's first row; default: 0")
        ->option_text("N");
  };

  CLI::App* build = verb("build", "Builds an index of a file's rows",
                         [](const IndexArguments& arguments) { return run_build(arguments); });
  data(build, "data", "The rows: Parquet, CSV or JSON");
  build->add_option("--key", given->columns, "The key's columns, the most significant one first")
      ->type_name("COLUMN,...")
      ->required();
  build->add_option("-o,--output", given->output, "The index's file")->type_name("FILE")->required();
  build->add_flag("--unique", given->options.unique, "Refuse keys that come twice");
  build->add_flag("--nulls", given->nulls, "NULL is a key, behind all values; else it is refused");
  build->add_option("--fill", given->options.fill_percent, "How full nodes are made, 50 to 100; default: 100")
      ->option_text("PERCENT");
  build->add_option("--leaf-keys", given->options.leaf_keys, "Most keys of a leaf, 4 to 2047")
      ->option_text("N");
  build->add_option("--inner-keys", given->options.inner_keys, "Most keys of an inner node, 3 to 2047")
      ->option_text("N");
  first_row(build);

  CLI::App* query =
      verb("query", "A row for each match: the key's position in DATA, the key, the row's number", run_query);
  file(query);
  data(query, "--keys", "The keys that are asked for");
  columns(query);
  query->add_option("-o,--output", given->output, "Write the matches to this file")->type_name("FILE");
  query->add_option("--format", given->format, "Of the output; default: by the ending of -o, else table")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kFormats), std::end(kFormats))))
      ->option_text(fmt::format("{}", fmt::join(kFormats, "|")));

  query
      ->add_option("--device", given->device,
                   "cpu (the default), cuda or cuda:N: copies the index to that GPU and asks it there")
      ->option_text("NAME");

  CLI::App* insert = verb("insert", "Adds the rows of a file",
                          [](const IndexArguments& arguments) { return run_change(arguments, true); });
  file(insert);
  data(insert, "--from", "The rows to add");
  columns(insert);
  first_row(insert);
  CLI::App* erase = verb("erase", "Removes all entries that have a key of a file",
                         [](const IndexArguments& arguments) { return run_change(arguments, false); });
  file(erase);
  data(erase, "--from", "The keys to remove");
  columns(erase);
  file(verb("verify", "Checks all of an index: checksums, order, counts", run_verify));
  file(verb("stats", "What is in an index", run_stats));
}

}  // namespace lanewise::cli
