#include "lab/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace lanewise::cli::lab {

namespace {

constexpr int kWritePatience = 5'000;  // milliseconds in which no byte could be sent
constexpr int kClosePatience = 2'000;
constexpr size_t kBuffer = 16 << 10;
constexpr size_t kMostHeaders = 64 << 10;
constexpr std::chrono::seconds kReadPatience{10};

/// The `events` that happened within this many milliseconds.
short wait_for(socket_t socket, short events, int milliseconds) {
  pollfd file{socket, events, 0};
  int found;
  while ((found = ::poll(&file, 1, milliseconds)) < 0 && errno == EINTR) {
  }
  return found > 0 ? file.revents : short{0};
}

}  // namespace

Connection::Connection(socket_t socket, size_t most_bytes, std::chrono::milliseconds patience)
    : socket_(socket), end_(std::chrono::steady_clock::now() + patience), bytes_left_(most_bytes) {}

Connection::~Connection() {
  ::shutdown(socket_, SHUT_WR);
  // Closing a socket with unread bytes would discard the answer for a client that still sends.
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kClosePatience);
  char rest[kBuffer];
  while (std::chrono::steady_clock::now() < end && wait_for(socket_, POLLIN, kClosePatience) != 0 &&
         ::recv(socket_, rest, sizeof rest, MSG_DONTWAIT) > 0) {
  }
  ::close(socket_);
}

int Connection::left() const {
  const auto left = end_ - std::chrono::steady_clock::now();
  return std::max(0, static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(left).count()));
}

bool Connection::is_readable() const {
  return at_ < buffer_.size() || (wait_for(socket_, POLLIN, left()) & POLLIN) != 0;
}

bool Connection::is_writable() const {
  if (wait_for(socket_, POLLRDHUP, 0) != 0) return false;
  return (wait_for(socket_, POLLOUT, kWritePatience) & (POLLOUT | POLLERR | POLLHUP)) == POLLOUT;
}

ssize_t Connection::read(char* to, size_t size) {
  if (at_ == buffer_.size()) {
    if (bytes_left_ == 0 || !is_readable()) return -1;
    buffer_.resize(std::min(kBuffer, bytes_left_));
    at_ = 0;
    const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
    buffer_.resize(got > 0 ? static_cast<size_t>(got) : 0);
    if (got <= 0) return got;
    bytes_left_ -= static_cast<size_t>(got);
  }
  const size_t count = std::min(size, buffer_.size() - at_);
  std::copy_n(buffer_.data() + at_, count, to);
  at_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t Connection::write(const char* from, size_t size) {
  return is_writable() ? ::send(socket_, from, size, MSG_NOSIGNAL) : -1;
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip.clear();  // nothing depends on it
  port = 0;
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const { get_remote_ip_and_port(ip, port); }

void HttpServer::let_clients_wait() { ::listen(svr_sock_, SOMAXCONN); }

bool HttpServer::process_and_close_socket(socket_t socket) {
  Connection connection(socket, kMostBody + kMostHeaders, kReadPatience);
  bool closed = false;
  return process_request(connection, true, closed, nullptr);
}

}  // namespace lanewise::cli::lab
