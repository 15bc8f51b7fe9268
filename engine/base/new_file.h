#pragma once

#include <span>
#include <string>

namespace lanewise {

/// A file that appears under its name whole or not at all: it is written under another name in the same
/// folder, and commit() renames it. Devices and pipes are written in place.
class NewFile {
 public:
  /// Creates nothing yet. commit() replaces an existing file at `path`; a link remains a link.
  explicit NewFile(std::string path);
  NewFile(NewFile&&) = delete;
  ~NewFile();  ///< removes what was written, unless commit() was called

  /// The path to write to: ASCII, in the same folder, with the same extension.
  const std::string& temporary() const { return temporary_; }
  bool in_place() const { return temporary_ == path_; }
  /// Call it when the file is closed. Throws UserError.
  void commit();

 private:
  std::string path_;    // as given by the user, for messages
  std::string target_;  // the target, if path_ is a link
  std::string temporary_;
};

/// Ends the process at once, from any thread, and removes all NewFiles that are not committed.
[[noreturn]] void exit_without_new_files(int code) noexcept;

/// Whether two paths name the same file, directly or through links.
bool is_same_file(const std::string& a, const std::string& b);

/// Throws UserError if `output` is one of `inputs`: writing it would destroy that input.
void refuse_overwriting(const std::string& output, std::span<const std::string> inputs);

}  // namespace lanewise
