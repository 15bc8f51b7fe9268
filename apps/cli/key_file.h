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
  std::vector<ColumnPtr> columns;     ///< each in one piece
  std::vector<uint64_t> rows;         ///< of the file, from 0, where the keys stand
  std::optional<std::string> reason;  ///< why the first row that is not among them has no key
  uint64_t refused = 0;               ///< that row

  size_t size() const { return rows.size(); }
};

/// A Parquet, CSV or JSON file with keys for an index.
class KeyFile {
 public:
  /// Throws UserError that names the file.
  explicit KeyFile(std::string path);

  /// The columns that the user names, separated by commas; as in SQL, case does not matter. Throws UserError
  /// for one that the file does not have.
  std::vector<std::string> columns_named(const std::string& list) const;
  /// The same, or the file's first columns where the list is empty; as many as the key has.
  std::vector<std::string> columns_for(const std::string& list, const std::vector<KeyField>& key) const;

  /// Columns as they are. Throws UserError for a type that no key has.
  GivenKeys read(const std::vector<std::string>& columns);
  /// Columns as the fields of a key: of the rows whose values are exactly values of the fields' types.
  GivenKeys read(const std::vector<std::string>& columns, const std::vector<KeyField>& key);
  /// Throws UserError that names the first row which gives no key.
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
