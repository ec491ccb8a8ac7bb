// The bytes of one connection, with a limit on every wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace loadfactor::web {

class Transport {
 public:
  using Clock = std::chrono::steady_clock;

  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // How many bytes came; 0 at their end, -1 where the time was over or the line broke.
  virtual long read(char* to, std::size_t most, Clock::time_point until) = 0;
  // Whether all of them went.
  virtual bool write(const char* from, std::size_t size, Clock::time_point until) = 0;
  // Whether something comes before the time is over.
  virtual bool wait(std::chrono::milliseconds patience) = 0;
  // Whether the other side hung up.
  virtual bool is_gone() const = 0;
  virtual std::string caller() const = 0;
};

// A connected socket; closed with the object.
class SocketTransport final : public Transport {
 public:
  explicit SocketTransport(int socket);
  ~SocketTransport() override;
  long read(char* to, std::size_t most, Clock::time_point until) override;
  bool write(const char* from, std::size_t size, Clock::time_point until) override;
  bool wait(std::chrono::milliseconds patience) override;
  bool is_gone() const override;
  std::string caller() const override;
  // Sends what is left and lets the other side read it, even where it still talks.
  void finish();

 private:
  int socket_;
};

}  // namespace loadfactor::web
