#include "web/http/connection.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <variant>

#include <fmt/format.h>

#include "web/wire/problem.h"

namespace loadfactor::web {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";

// The body of a request as the framing library hands it over.
class FramedBody final : public Body {
 public:
  FramedBody(const httplib::ContentReader* reader, std::optional<std::uint64_t> length)
      : reader_(reader), length_(length) {}

  BodyEnd read(std::size_t most, const Take& take) override {
    if (reader_ == nullptr) return BodyEnd::kWhole;
    if (length_ && *length_ > most) return BodyEnd::kTooLarge;
    std::uint64_t got = 0;
    BodyEnd end = BodyEnd::kWhole;
    const bool is_whole = (*reader_)([&](const char* data, std::size_t size) {
      got += size;
      if (got > most)
        end = BodyEnd::kTooLarge;
      else if (!take({data, size}))
        end = BodyEnd::kRefused;
      return end == BodyEnd::kWhole;
    });
    if (end != BodyEnd::kWhole) return end;
    return is_whole && (!length_ || got == *length_) ? end : BodyEnd::kBroken;
  }

 private:
  const httplib::ContentReader* reader_;
  std::optional<std::uint64_t> length_;
};

std::string own_head(const Head& head) {
  std::string text = head.method + " / HTTP/1.1\r\nHost: localhost\r\n";
  if (head.is_chunked)
    text += "Transfer-Encoding: chunked\r\n";
  else if (head.method != "GET" && head.method != "HEAD")
    text += fmt::format("Content-Length: {}\r\n", head.length.value_or(0));
  if (!find_pair(head.headers, "expect").empty()) text += "Expect: 100-continue\r\n";
  return text + "\r\n";
}

void send(const Reply& reply, httplib::Response& response) {
  response.status = reply.status;
  for (const auto& [name, value] : reply.headers) response.set_header(name, value);
  if (!reply.stream) {
    if (reply.status != 204) response.set_content(reply.body, reply.type);
    return;
  }
  response.set_chunked_content_provider(
      reply.type, [stream = reply.stream](std::size_t /*offset*/, httplib::DataSink& sink) {
        stream([&sink](std::string_view part) { return sink.write(part.data(), part.size()); });
        sink.done();
        return true;
      });
}

}  // namespace

void Connection::serve(const Process& process) {
  for (int served = 0; served < bounds_->requests; ++served) {
    std::string text;
    const HeadEnd end = read_head(text, served == 0);
    if (end == HeadEnd::kNothing) return;
    if (end == HeadEnd::kTooSlow) return refuse(408, "the head did not come in time");
    if (end == HeadEnd::kTooLarge) return refuse(431, "the head is too large");
    auto parsed = parse_head(text);
    if (const auto* fault = std::get_if<HeadFault>(&parsed))
      return refuse(fault->status, fault->message);
    head_ = std::get<Head>(std::move(parsed));
    own_head_ = own_head(head_);
    body_read_ = 0;
    body_from_ = Transport::Clock::now();
    const std::string_view wish = find_pair(head_.headers, "connection");
    const bool is_last =
        *is_ending_ || head_.is_chunked || wish == "close" || served + 1 == bounds_->requests;
    if (!process(*this, is_last) || is_last || !is_body_read()) return;
  }
}

void Connection::handle(httplib::Response& response, const httplib::ContentReader* reader) {
  FramedBody body(reader, head_.length);
  Call call{.method = head_.method,
            .path = head_.path,
            .query = head_.query,
            .headers = head_.headers,
            .caller = transport_->caller(),
            .body = &body,
            .is_gone = [this] { return transport_->is_gone(); }};
  send((*answer_)(call), response);
  if (!is_body_read() || *is_ending_) response.set_header("Connection", "close");
}

bool Connection::is_body_read() const {
  return !head_.is_chunked && body_read_ == head_.length.value_or(0);
}

bool Connection::wait_for_first(bool is_first) {
  if (!ahead_.empty()) return true;
  // In slices, so that a server that ends does not wait for those who say nothing.
  constexpr std::chrono::milliseconds kSlice{200};
  auto left = is_first ? bounds_->first_byte : bounds_->idle;
  for (; left.count() > 0; left -= kSlice) {
    if (transport_->wait(std::min(left, kSlice))) return true;
    if (*is_ending_) return false;
  }
  return false;
}

Connection::HeadEnd Connection::read_head(std::string& head, bool is_first) {
  if (!wait_for_first(is_first)) return HeadEnd::kNothing;
  const auto until = Transport::Clock::now() + bounds_->head;
  std::array<char, 4096> part{};
  std::size_t from = 0;
  for (;;) {
    const auto end = ahead_.find(kHeadEnd, from);
    if (end != std::string::npos && end + kHeadEnd.size() <= kLargestHead) {
      head = ahead_.substr(0, end + kHeadEnd.size());
      ahead_.erase(0, head.size());
      return HeadEnd::kWhole;
    }
    if (end != std::string::npos || ahead_.size() > kLargestHead) return HeadEnd::kTooLarge;
    from = ahead_.size() < kHeadEnd.size() ? 0 : ahead_.size() - kHeadEnd.size() + 1;
    const long got = transport_->read(part.data(), part.size(), until);
    if (got == 0 || (got < 0 && ahead_.empty())) return HeadEnd::kNothing;
    if (got < 0) return HeadEnd::kTooSlow;
    ahead_.append(part.data(), static_cast<std::size_t>(got));
  }
}

ssize_t Connection::read(char* to, std::size_t size) {
  const auto take = [&](std::string& from) {
    const std::size_t count = std::min(size, from.size());
    std::memcpy(to, from.data(), count);
    from.erase(0, count);
    return static_cast<ssize_t>(count);
  };
  if (!own_head_.empty()) return take(own_head_);
  ssize_t got = 0;
  if (!ahead_.empty()) {
    got = take(ahead_);
  } else {
    const auto allowed =
        bounds_->body + std::chrono::milliseconds(static_cast<long>(
                            1000 * static_cast<double>(body_read_) / bounds_->slowest));
    got = transport_->read(to, size, body_from_ + allowed);
  }
  if (got > 0) body_read_ += static_cast<std::uint64_t>(got);
  return got;
}

ssize_t Connection::write(const char* from, std::size_t size) {
  const auto until = Transport::Clock::now() + bounds_->write;
  return transport_->write(from, size, until) ? static_cast<ssize_t>(size) : -1;
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip = transport_->caller();
  port = 0;
}
void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  ip = "localhost";
  port = 0;
}

void Connection::refuse(int status, const std::string& message) {
  const Reply reply = problem(status, message);
  const std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n"
      "X-Content-Type-Options: nosniff\r\n\r\n{}",
      status, reason_of(status), reply.type, reply.body.size(), reply.body);
  write(text.data(), text.size());
}

}  // namespace loadfactor::web
