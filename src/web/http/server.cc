#include "web/http/server.h"

#include <atomic>
#include <utility>

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include "base/error_codes.h"
#include "web/http/connection.h"
#include "web/http/crew.h"
#include "web/wire/problem.h"

namespace loadfactor::web {
namespace {

// The library hands handlers no way to know whose request they answer; each thread has one.
Connection*& current() {
  thread_local Connection* connection = nullptr;
  return connection;
}

constexpr std::string_view kTooMany =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\n"
    "Retry-After: 1\r\nConnection: close\r\nContent-Length: 95\r\n\r\n"
    R"({"type":"about:blank","title":"Service Unavailable","status":503,"detail":"no connection left"})";

}  // namespace

class Server::Listener final : public httplib::Server {
 public:
  Listener(Answer answer, const ServerBounds& bounds)
      : answer_(std::move(answer)), bounds_(bounds) {
    const auto plain = [](const httplib::Request& /*request*/, httplib::Response& response) {
      current()->handle(response, nullptr);
    };
    Get("/", plain);
    Delete("/", plain);
    Post("/", [](const httplib::Request& /*request*/, httplib::Response& response,
                 const httplib::ContentReader& reader) { current()->handle(response, &reader); });
    // Two servers must not share a port without knowing.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    new_task_queue = [most = bounds.connections] { return new Crew(most); };
  }

  void serve(Transport& transport) {
    Connection connection(transport, bounds_, answer_, is_ending_);
    current() = &connection;
    connection.serve([this](Connection& stream, bool is_last) {
      bool is_closed = false;
      return process_request(stream, is_last, is_closed, nullptr) && !is_closed;
    });
    current() = nullptr;
  }

  // The library lets five wait to be taken, which two hundred clients overrun.
  void lengthen_queue() const {
    constexpr int kWaiting = 512;
    ::listen(svr_sock_, kWaiting);
  }
  void end() {
    is_ending_ = true;
    stop();
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    SocketTransport transport(socket);
    if (Crew::refuses()) {
      transport.write(kTooMany.data(), kTooMany.size(), Transport::Clock::now());
      return true;
    }
    serve(transport);
    transport.finish();
    return true;
  }

  const Answer answer_;
  const ServerBounds bounds_;
  std::atomic<bool> is_ending_{false};
};

Server::Server(Answer answer, const ServerBounds& bounds)
    : listener_(std::make_unique<Listener>(std::move(answer), bounds)) {}
Server::~Server() = default;

Result<int> Server::bind(const std::string& address, int port) {
  const int got = port == 0                                ? listener_->bind_to_any_port(address)
                  : listener_->bind_to_port(address, port) ? port
                                                           : -1;
  if (got > 0) {
    listener_->lengthen_queue();
    return got;
  }
  return Error{.code = lf::kCannotWrite,
               .message = fmt::format("cannot listen at {}:{}", address, port),
               .hint = "another program may hold the port; --port 0 takes a free one"};
}

void Server::run() {
  listener_->listen_after_bind();
}
void Server::stop() {
  listener_->end();
}
void Server::serve(Transport& transport) {
  listener_->serve(transport);
}

}  // namespace loadfactor::web
