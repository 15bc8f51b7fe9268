#include "lab/server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <exception>
#include <future>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/size.h"
#include "lab/access.h"
#include "lab/connection.h"
#include "lab/executors.h"
#include "lab/live_run.h"
#include "lab/slots.h"
#include "pram/named_program.h"

namespace lanewise::cli::lab {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kConnections = 32;  // others wait

constexpr const char* kContentSecurityPolicy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; "
    "style-src "
    "'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
    "'none'";

constexpr int kMostWaiting = 8;  // runs that may wait

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

void answer(httplib::Response& response, int status, const std::string& message) {
  response.status = status;
  response.set_content(message + "\n", "text/plain; charset=utf-8");
}

}  // namespace

class Server::Implementation {
 public:
  Implementation(ServerOptions options, Page page)
      : options_(std::move(options)),
        page_(std::move(page)),
        slots_(options_.most_runs),
        port_(listen()),
        access_(options_.host, port_),
        executors_(std::async(std::launch::async, executors).share()) {
    http_.new_task_queue = [] { return new httplib::ThreadPool(kConnections); };
    http_.set_payload_max_length(HttpServer::kMostBody);
    http_.set_default_headers({{"Content-Security-Policy", kContentSecurityPolicy},
                               {"X-Content-Type-Options", "nosniff"},
                               {"Referrer-Policy", "no-referrer"},
                               {"Cross-Origin-Opener-Policy", "same-origin"},
                               {"Cross-Origin-Resource-Policy", "same-origin"},
                               {"Cache-Control", "no-store"}});
    http_.set_pre_routing_handler([this](const auto& request, auto& response) {
      return is_answered(request, response) ? httplib::Server::HandlerResponse::Handled
                                            : httplib::Server::HandlerResponse::Unhandled;
    });
    http_.Get("/api/lab", [this](const auto&, auto& response) { describe(response); });
    http_.Get("/api/executors", [this](const auto&, auto& response) { list_executors(response); });
    http_.Get(".*", [this](const auto& request, auto& response) { send_file(request, response); });
    http_.Post("/api/run",
               [this](const auto&, auto& response, const auto& reader) { run(response, reader); });
  }

  std::string url() const {
    const std::string host = options_.host == "0.0.0.0"                     ? "127.0.0.1"
                             : options_.host == "::"                        ? "[::1]"
                             : options_.host.find(':') != std::string::npos ? "[" + options_.host + "]"
                                                                            : options_.host;
    return fmt::format("http://{}:{}/{}", host, port_,
                       access_.token().empty() ? "" : "?token=" + access_.token());
  }

  void serve() { http_.listen_after_bind(); }

 private:
  int listen() {
    // not shared with another server, which the library would allow
    http_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    const int port = options_.port == 0 ? http_.bind_to_any_port(options_.host)
                     : http_.bind_to_port(options_.host, options_.port) ? options_.port
                                                                        : -1;
    if (port < 0) {
      throw UserError(
          options_.port == 0
              ? fmt::format("cannot listen on '{}'; --host takes an address of this machine", options_.host)
              : fmt::format("cannot listen on port {} of '{}'; another program may use it: choose one with "
                            "--port, or 0 for any that is free",
                            options_.port, options_.host));
    }
    http_.let_clients_wait();
    return port;
  }

  /// Rejects requests before their body is read, and answers the first visit.
  bool is_answered(const httplib::Request& request, httplib::Response& response) const {
    if (access_.is_first_visit(request)) {
      response.set_header("Set-Cookie", access_.cookie());
      response.set_redirect("/");
      return true;
    }
    const std::string objection = access_.objection(request);
    if (!objection.empty()) {
      answer(response, 403, objection);
    } else if (request.method != "GET" && (request.method != "POST" || request.path != "/api/run")) {
      answer(response, 405, "only GET, and POST to /api/run, are supported");
    } else if (request.has_header("Range") || request.has_header("Content-Encoding")) {
      answer(response, 400, "ranges and compressed requests are not supported");
    } else if (request.method == "POST" && request.get_header_value("Content-Type") != "application/json") {
      answer(response, 415, "a run must be requested as application/json");
    } else {
      return false;
    }
    return true;
  }

  void send_file(const httplib::Request& request, httplib::Response& response) const {
    const auto found = page_.find(request.path);
    if (found == page_.end()) return answer(response, 404, "there is no such file");
    const std::string& bytes = found->second.bytes;
    response.set_content_provider(bytes.size(), found->second.type,
                                  [&bytes](size_t offset, size_t length, httplib::DataSink& sink) {
                                    return sink.write(bytes.data() + offset, length);
                                  });
  }

  void describe(httplib::Response& response) const {
    Json program;
    try {
      if (!options_.program.empty()) program = program_json(options_.program);
    } catch (const UserError& error) {
      return answer(response, 500, error.what());
    }
    response.set_content(dump({{"version", LANEWISE_VERSION},
                               {"program", program},
                               {"limits",
                                {{"steps", options_.limits.steps},
                                 {"memory", format_size(options_.limits.memory)},
                                 {"seconds", options_.limits.time.count()}}}}),
                         "application/json");
  }

  static Json program_json(const std::string& name) {
    return {{"name", name}, {"text", pram_command::program_text(name)}};
  }

  void list_executors(httplib::Response& response) const {
    Json list = Json::array();
    for (const ExecutorInfo& info : executors_.get()) {
      list.push_back(
          {{"name", info.name}, {"title", info.title}, {"device", info.device}, {"reason", info.reason}});
    }
    response.set_content(dump(list), "application/json");
  }

  void run(httplib::Response& response, const httplib::ContentReader& reader) {
    const auto counted = std::make_shared<Counted>(requests_);
    if (requests_ > options_.most_runs + kMostWaiting)
      return answer(response, 503, "too many runs; try again later");
    std::string body;
    const bool complete = reader([&](const char* data, size_t size) {
      if (body.size() + size > HttpServer::kMostBody) return false;
      body.append(data, size);
      return true;
    });
    if (!complete)
      return answer(response, 413, fmt::format("a request has at most {} bytes", HttpServer::kMostBody));
    std::shared_ptr<LiveRun> run;
    try {
      run = std::make_shared<LiveRun>(parse_job(body), options_.limits, slots_, devices_);
    } catch (const UserError& error) {
      return answer(response, 400, error.what());
    }
    response.set_chunked_content_provider(
        "application/x-ndjson", [run, counted](size_t, httplib::DataSink& sink) { return run->write(sink); });
  }

  const ServerOptions options_;
  const Page page_;
  Slots slots_;
  Slots devices_{1};
  std::atomic<int> requests_ = 0;
  HttpServer http_;
  const int port_;
  const Access access_;
  const std::shared_future<std::vector<ExecutorInfo>> executors_;
};

Server::Server(ServerOptions options, Page page)
    : held_(std::make_unique<Implementation>(std::move(options), std::move(page))) {}

Server::~Server() = default;

std::string Server::url() const { return held_->url(); }

void Server::serve() { held_->serve(); }

}  // namespace lanewise::cli::lab
