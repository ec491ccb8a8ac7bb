// One connection: heads are read whole and checked, and only what is left of them goes on.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include <httplib.h>

#include "web/http/server.h"
#include "web/wire/head.h"

namespace loadfactor::web {

// What the framing library reads from and writes to. It sees a head of ours that has nothing in it
// but the method and the length.
class Connection final : public httplib::Stream {
 public:
  using Process = std::function<bool(Connection& connection, bool is_last)>;

  Connection(Transport& transport, const ServerBounds& bounds, const Server::Answer& answer,
             const std::atomic<bool>& is_ending)
      : transport_(&transport), bounds_(&bounds), answer_(&answer), is_ending_(&is_ending) {}

  // Request after request; `process` frames one and calls `handle`.
  void serve(const Process& process);
  void handle(httplib::Response& response, const httplib::ContentReader* reader);

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return -1; }

 private:
  enum class HeadEnd { kWhole, kNothing, kTooSlow, kTooLarge };
  HeadEnd read_head(std::string& head, bool is_first);
  bool wait_for_first(bool is_first);
  // Answers without the framing library.
  void refuse(int status, const std::string& message);
  bool is_body_read() const;

  Transport* transport_;
  const ServerBounds* bounds_;
  const Server::Answer* answer_;
  const std::atomic<bool>* is_ending_;
  Head head_;
  std::string own_head_;  // Ours, as far as it is not read yet.
  std::string ahead_;     // Bytes that came behind a head.
  std::uint64_t body_read_ = 0;
  Transport::Clock::time_point body_from_;
};

}  // namespace loadfactor::web
