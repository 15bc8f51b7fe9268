#pragma once

#include <string>

namespace httplib {
struct Request;
}

namespace lanewise::cli::lab {

/// Whether only this machine can reach what listens on `host`: 127.0.0.1, another address of 127/8, ::1, or
/// localhost.
bool is_loopback(const std::string& host);

/// Which requests are accepted. Those of other pages in the same browser are not: they have another Origin,
/// or another Host if a name was made to point here (DNS rebinding). If other machines can reach the server,
/// a request also needs the token, as a cookie.
class Access {
 public:
  Access(const std::string& host, int port);

  /// Empty on loopback.
  const std::string& token() const { return token_; }
  /// Why the request is rejected; empty: it is accepted.
  std::string objection(const httplib::Request& request) const;
  /// Whether the address has the right token, which then becomes the cookie.
  bool is_first_visit(const httplib::Request& request) const;
  std::string cookie() const;

 private:
  bool is_own_host(const std::string& host) const;

  const int port_;
  const std::string token_;
};

}  // namespace lanewise::cli::lab
