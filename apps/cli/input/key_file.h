#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/session.h"
#include "index/index.h"

namespace lanewise::cli {

/// Keys of a file's rows.
struct GivenKeys {
  std::vector<std::string> names;     ///< of the columns
  std::vector<ColumnPtr> columns;     ///< each as one column
  std::vector<uint64_t> rows;         ///< row of the file, from 0, of each key
  std::optional<std::string> reason;  ///< why the first omitted row does not have a key
  uint64_t refused = 0;               ///< that row

  size_t size() const { return rows.size(); }
};

/// A Parquet, CSV or JSON file with keys for an index.
class KeyFile {
 public:
  /// Throws UserError that names the file.
  explicit KeyFile(std::string path);

  /// The columns that the user names, separated by commas. Case does not matter, as in SQL. Throws UserError
  /// for a column that the file does not have.
  std::vector<std::string> columns_named(const std::string& list) const;
  /// The same, or the file's first columns if the list is empty: as many as the key has.
  std::vector<std::string> columns_for(const std::string& list, const std::vector<KeyField>& key) const;

  /// Columns, unchanged. Throws UserError for a type that keys cannot have.
  GivenKeys read(const std::vector<std::string>& columns);
  /// Columns converted to the key's fields: only rows whose values are exactly values of the fields' types.
  GivenKeys read(const std::vector<std::string>& columns, const std::vector<KeyField>& key);
  /// Throws UserError that names the first row without a key.
  void refuse(const GivenKeys& keys, const std::vector<KeyField>& key) const;

  Session& session() { return session_; }

 private:
  /// "line 3" or "row 2".
  std::string place_of(uint64_t row) const;
  const std::string& type_of(const std::string& column) const;

  std::string path_;
  Session session_;
  std::vector<std::pair<std::string, std::string>> columns_;  // names and SQL types
};

}  // namespace lanewise::cli
