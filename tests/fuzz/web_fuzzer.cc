// Any bytes at all on a connection: each request has one reply, and none of them harms the server.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "web/api.h"
#include "web/http/server.h"
#include "web/store.h"

namespace {

using namespace loadfactor;

// A caller who has said everything and listens.
class SpokenTransport final : public web::Transport {
 public:
  explicit SpokenTransport(std::string said) : said_(std::move(said)) {}
  long read(char* to, std::size_t most, Clock::time_point /*until*/) override {
    const std::size_t count = std::min({most, said_.size() - at_, std::size_t{4096}});
    std::memcpy(to, said_.data() + at_, count);
    at_ += count;
    return static_cast<long>(count);
  }
  bool write(const char* from, std::size_t size, Clock::time_point /*until*/) override {
    heard_.append(from, size);
    return true;
  }
  bool wait(std::chrono::milliseconds /*patience*/) override { return at_ < said_.size(); }
  bool is_gone() const override { return false; }
  std::string caller() const override { return "127.0.0.1"; }
  const std::string& heard() const { return heard_; }

 private:
  std::string said_, heard_;
  std::size_t at_ = 0;
};

// Questions are read in full and not asked: what they compute has tests of its own.
class ReadingRunner final : public web::Runner {
 public:
  web::Finished run(const web::Work& work, const web::Stop& /*stop*/,
                    const std::function<void(double)>& /*report*/) override {
    web::Finished finished{.body = "{}"};
    static_cast<void>(web::read_work(web::unpack_work(web::pack(work)), finished));
    return finished;
  }
};

struct House {
  Diagnostics diagnostics;
  std::unique_ptr<Engine> engine = Engine::create({}, diagnostics);
  std::unique_ptr<web::Uploads> uploads = *web::Uploads::create({.one = 4096, .all = 65536});
  ReadingRunner runner;
  web::Jobs jobs{runner, {.running = 1, .keeping = std::chrono::minutes(0)}};
  web::Gate gate{{}};
  web::Site site{.engine = engine.get(),
                 .jobs = &jobs,
                 .uploads = uploads.get(),
                 .gate = &gate,
                 .door = {.port = 80},
                 .today = [] { return std::string("2026-11-17"); }};
  web::Api api{site};
  web::Server server{[this](web::Call& call) { return api.answer(call); },
                     {.connections = 1, .requests = 20}};
};

House& house() {
  static House instance;
  return instance;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(data, data + size);
  // As they are, and as the body of a question, so that readers behind the head are reached, too.
  const std::string question =
      "POST /api/v1/fit HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
      "application/json\r\nContent-Length: " +
      std::to_string(size) + "\r\n\r\n" + bytes;
  for (const std::string& said : {bytes, question}) {
    SpokenTransport transport(said);
    house().server.serve(transport);
    if (!transport.heard().empty() && !transport.heard().starts_with("HTTP/1.1 ")) std::abort();
  }
  return 0;
}
