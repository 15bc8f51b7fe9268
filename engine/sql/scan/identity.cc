#include "sql/scan/identity.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "sql/duckdb/duckdb_headers.h"

namespace lanewise::sql {

namespace {

duckdb::vector<duckdb::OpenFileInfo> files_of(duckdb::LogicalGet& get) {
  auto* files = dynamic_cast<duckdb::MultiFileBindData*>(get.bind_data.get());
  return files == nullptr ? duckdb::vector<duckdb::OpenFileInfo>() : files->file_list->GetAllFiles();
}

duckdb::TableCatalogEntry* table_entry_of(duckdb::LogicalGet& get) {
  auto* data = dynamic_cast<duckdb::TableScanBindData*>(get.bind_data.get());
  return data == nullptr ? nullptr : &data->table;
}

/// Function, arguments and columns: the same file read differently is another source.
std::string reading_of(const duckdb::LogicalGet& get) {
  std::string text = get.function.name;
  for (const duckdb::Value& value : get.parameters) text += '\0' + value.ToSQLString();
  std::map<std::string, std::string> named;  // in a fixed order
  for (const auto& [name, value] : get.named_parameters) named[name] = value.ToSQLString();
  for (const auto& [name, value] : named) text += '\0' + name + '=' + value;
  for (size_t i = 0; i < get.names.size(); ++i)
    text += '\0' + get.names[i] + ' ' + get.returned_types[i].ToString();
  return text;
}

}  // namespace

std::string source_name(duckdb::LogicalGet& get) {
  if (const auto* table = table_entry_of(get)) return table->name;
  const auto files = files_of(get);
  if (files.empty()) return get.function.name;
  return files.size() == 1 ? files[0].path : fmt::format("{} and {} more", files[0].path, files.size() - 1);
}

std::vector<std::string> source_files(duckdb::LogicalGet& get) {
  std::vector<std::string> paths;
  for (const duckdb::OpenFileInfo& file : files_of(get)) paths.push_back(file.path);
  return paths;
}

bool stores_rejects(const duckdb::LogicalGet& get) {
  return std::ranges::any_of(get.named_parameters, [](const auto& parameter) {
    const std::string name = duckdb::StringUtil::Lower(parameter.first);
    if (name == "store_rejects")
      return !parameter.second.IsNull() && duckdb::BooleanValue::Get(parameter.second);
    return name.starts_with("rejects_");
  });
}

std::string source_identity(duckdb::LogicalGet& get, const Generation& generation) {
  if (stores_rejects(get)) return {};
  if (auto* table = table_entry_of(get)) {
    const std::string& database = table->ParentCatalog().GetName();
    return fmt::format("table {} {} {} {}", database, table->oid, generation.writes, reading_of(get));
  }
  std::string identity;
  for (const duckdb::OpenFileInfo& file : files_of(get)) {
    struct stat status;
    if (stat(file.path.c_str(), &status) != 0) return {};
    identity += fmt::format("{} {} {}.{:09} {} {}\n", file.path, status.st_size, status.st_mtim.tv_sec,
                            status.st_mtim.tv_nsec, status.st_dev, status.st_ino);
  }
  if (identity.empty()) return {};
  return fmt::format("files {} {}\n{}", generation.settings, identity, reading_of(get));
}

}  // namespace lanewise::sql
