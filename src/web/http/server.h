// The server: connections in, replies out. No other file sees the library that frames requests.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "loadfactor/result.h"
#include "web/http/transport.h"
#include "web/wire/call.h"

namespace loadfactor::web {

struct ServerBounds {
  int connections = 320;
  int requests = 1000;  // On one connection.
  std::chrono::milliseconds first_byte{10'000};
  std::chrono::milliseconds idle{15'000};
  std::chrono::milliseconds head{10'000};
  std::chrono::milliseconds body{10'000};  // And what the slowest rate allows.
  std::chrono::milliseconds write{20'000};
  double slowest = 16'384;  // Bytes a second of a body.
};

class Server {
 public:
  using Answer = std::function<Reply(Call&)>;

  Server(Answer answer, const ServerBounds& bounds);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The port that it got; any free one for 0. LF602 where it cannot be had.
  Result<int> bind(const std::string& address, int port);
  // Until it is stopped and all connections have ended.
  void run();
  // Takes no more connections; those that idle end.
  void stop();

  // One connection from its first byte to its last, on this thread.
  void serve(Transport& transport);

 private:
  class Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace loadfactor::web
