#include "lab/access.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/random.h>

#include <array>
#include <stdexcept>
#include <string_view>

namespace lanewise::cli::lab {

namespace {

constexpr const char* kCookie = "lanewise_lab";

std::string random_token() {
  std::array<unsigned char, 16> bytes;
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::runtime_error("the system cannot provide random bytes");
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

/// Compares in constant time.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

/// The value of a cookie; empty if there is none.
std::string_view cookie_of(std::string_view cookies, std::string_view name) {
  while (!cookies.empty()) {
    std::string_view one = cookies.substr(0, cookies.find(';'));
    cookies.remove_prefix(std::min(one.size() + 1, cookies.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) return one.substr(name.size() + 1);
  }
  return {};
}

}  // namespace

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos);
}

Access::Access(const std::string& host, int port)
    : port_(port), token_(is_loopback(host) ? "" : random_token()) {}

bool Access::is_own_host(const std::string& host) const {
  const std::string end = fmt::format(":{}", port_);
  std::string name = host;
  if (name.ends_with(end)) {
    name.resize(name.size() - end.size());
  } else if (port_ != 80) {
    return false;
  }
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return is_loopback(name);
}

std::string Access::objection(const httplib::Request& request) const {
  const std::string host = request.get_header_value("Host");
  if (request.get_header_value_count("Host") != 1 || (token_.empty() && !is_own_host(host))) {
    return fmt::format("the host '{}' is not this machine; open http://127.0.0.1:{}/", host, port_);
  }
  if (request.has_header("Origin") && request.get_header_value("Origin") != "http://" + host) {
    return "requests from other pages are rejected";
  }
  const std::string site = request.get_header_value("Sec-Fetch-Site");
  const bool follows_link =
      request.get_header_value("Sec-Fetch-Mode") == "navigate" && request.method == "GET";
  if (!site.empty() && site != "same-origin" && site != "none" && !follows_link) {
    return "requests from other pages are rejected";
  }
  if (!token_.empty() && !same(cookie_of(request.get_header_value("Cookie"), kCookie), token_)) {
    return "the token is missing; open the address that lanewise lab printed";
  }
  return "";
}

bool Access::is_first_visit(const httplib::Request& request) const {
  return !token_.empty() && request.method == "GET" && request.path == "/" &&
         same(request.get_param_value("token"), token_);
}

std::string Access::cookie() const {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", kCookie, token_);
}

}  // namespace lanewise::cli::lab
