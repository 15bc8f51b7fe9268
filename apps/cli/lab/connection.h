#pragma once

#include <httplib.h>

#include <chrono>
#include <string>
#include <vector>

namespace lanewise::cli::lab {

/// One request of a client and its answer, with limits of size and time. cpp-httplib's own stream limits
/// neither the headers nor the time of the whole request.
class Connection : public httplib::Stream {
 public:
  Connection(socket_t socket, size_t most_bytes, std::chrono::milliseconds patience);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  /// Closes the socket, after the client has had time to read the answer.
  ~Connection() override;

  bool is_readable() const override;
  /// Returns false as soon as the client is gone.
  bool is_writable() const override;
  ssize_t read(char* to, size_t size) override;
  ssize_t write(const char* from, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  int left() const;  // milliseconds

  const socket_t socket_;
  const std::chrono::steady_clock::time_point end_;
  size_t bytes_left_;
  std::vector<char> buffer_;
  size_t at_ = 0;
};

/// Reads each request within limits, and answers one request per connection: the rest of a rejected one must
/// not be read as the next.
class HttpServer : public httplib::Server {
 public:
  static constexpr size_t kMostBody = 16 << 20;  // bytes

  /// Must be called after binding: the library queues five clients, and rejects further ones.
  void let_clients_wait();

 private:
  bool process_and_close_socket(socket_t socket) override;
};

}  // namespace lanewise::cli::lab
