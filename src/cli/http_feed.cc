#include "cli/http_feed.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <httplib.h>

#include "base/error_codes.h"
#include "cli/session/files.h"

namespace loadfactor::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Address {
  std::string server;  // `http://host:9090`.
  std::string prefix;  // `/prometheus`, or nothing.
};

Result<Address> read_address(const std::string& text) {
  const auto scheme = text.find("://");
  const std::string name = text.substr(0, scheme);
  if (name != "http" && name != "https")
    return facade::usage("the address of a server begins with http:// or https://",
                         "loadfactor observe http://prometheus:9090");
  const std::string rest = text.substr(scheme + 3);
  const auto slash = rest.find('/');
  const std::string host = rest.substr(0, slash);
  if (rest.find('@') != std::string::npos || rest.find("%40") != std::string::npos)
    return facade::usage(
        "an address is no place for a secret: it would be seen in lists of "
        "processes and logs",
        "put user:password into a file and give --user-file FILE");
  if (rest.find_first_of("?#") != std::string::npos)
    return facade::usage("the address of a server has no `?` or `#`: what follows is not sent",
                         "loadfactor observe http://prometheus:9090/prefix");
  if (host.empty() || host.find('\\') != std::string::npos)
    return facade::usage("the address names no host", "loadfactor observe http://prometheus:9090");
  Address address{name + "://" + host, slash == std::string::npos ? "" : rest.substr(slash)};
  while (address.prefix.ends_with('/')) address.prefix.pop_back();
  return address;
}

// A secret on the first line of a file.
Result<std::string> read_secret(const std::string& path) {
  TRY(const std::string text, read_file(path));
  std::string line = text.substr(0, text.find('\n'));
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  if (line.empty() || line.find('\r') != std::string::npos)
    return Error{.code = lf::kEmptyFile,
                 .message = fmt::format("no secret stands on the first line of '{}'", path)};
  return line;
}

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
    if (is_plain)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string base64_of(const std::string& text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > text.size() ? '=' : kDigits[bits >> (18 - 6 * k) & 63U];
  }
  return out;
}

// What a server says of itself, fit to be shown: short, and of one line.
std::string shown(std::string_view body) {
  constexpr std::size_t kMaxBytes = 160;
  std::string text;
  for (const char c : body.substr(0, kMaxBytes)) text += c >= ' ' && c != 127 ? c : ' ';
  return text;
}

struct Reply {
  int status = 0;
  std::string body;
  std::string type;
  bool is_too_large = false;
  bool is_too_slow = false;
  std::optional<httplib::Error> failure;
};

// Does something at a time, unless it is gone before.
class Alarm {
 public:
  Alarm(Clock::time_point when, std::function<void()> ring)
      : thread_([this, when, ring = std::move(ring)](const std::stop_token& is_over) {
          std::unique_lock lock(mutex_);
          const bool ended =
              wake_.wait_until(lock, is_over, when, [&] { return is_over.stop_requested(); });
          if (!ended) ring();
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

class HttpFeed final : public MetricFeed {
 public:
  HttpFeed(Address address, HttpBounds bounds)
      : address_(std::move(address)), bounds_(bounds), client_(address_.server) {
    client_.set_connection_timeout(bounds.connect_seconds);
    client_.set_read_timeout(bounds.read_seconds);
    client_.set_write_timeout(bounds.read_seconds);
    client_.set_keep_alive(true);
    client_.set_follow_location(false);
  }

  void use_token(const std::string& token) {
    client_.set_bearer_token_auth(token);
    secrets_.push_back(token);
  }
  void use_user(const std::string& user, const std::string& password) {
    client_.set_basic_auth(user, password);
    secrets_.push_back(base64_of(user + ":" + password));
    if (!password.empty()) secrets_.push_back(password);
  }
  void use_authorities(const std::string& path) { client_.set_ca_cert_path(path); }

  std::string name() const override { return address_.server + address_.prefix; }

  Result<std::string> get(const std::string& path, const Parameters& parameters) override {
    std::string target = address_.prefix + path;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      target += (i == 0 ? "?" : "&") + parameters[i].first + "=" + encoded(parameters[i].second);
    for (int attempt = 1;; ++attempt) {
      Reply reply = ask(target);
      hide_secrets(reply.body);
      if (reply.status == 200 && !reply.is_too_large && !reply.is_too_slow && !reply.failure)
        return check_type(std::move(reply));
      if (!is_passing(reply) || attempt >= bounds_.tries) return fault(reply);
      std::this_thread::sleep_for(std::chrono::milliseconds(200 * attempt * attempt));
    }
  }

 private:
  // A server may repeat what it was told; what it says may be shown.
  void hide_secrets(std::string& body) const {
    constexpr std::size_t kMostShown = std::size_t{1} << 20;
    if (body.size() > kMostShown) return;
    for (const std::string& secret : secrets_)
      for (auto at = body.find(secret); at != std::string::npos; at = body.find(secret, at))
        body.replace(at, secret.size(), "***");
  }

  Reply ask(const std::string& target) {
    Reply reply;
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(bounds_.all_seconds));
    // Nobody is asked while the head of an answer comes in: a server that drips it is hung up on.
    std::atomic<bool> has_rung = false;
    const Alarm alarm(end, [&] {
      has_rung = true;
      client_.stop();
    });
    const auto result = client_.Get(
        target.c_str(),
        [&](const httplib::Response& response) {
          reply.status = response.status;
          reply.type = response.get_header_value("Content-Type");
          return true;
        },
        [&](const char* data, std::size_t size) {
          reply.is_too_large = reply.body.size() + size > bounds_.bytes;
          reply.is_too_slow = Clock::now() > end;
          if (reply.is_too_large || reply.is_too_slow) return false;
          reply.body.append(data, size);
          return true;
        });
    if (has_rung) reply.is_too_slow = true;
    if (!result && !reply.is_too_large && !reply.is_too_slow) reply.failure = result.error();
    return reply;
  }

  // What may be gone when it is tried again.
  static bool is_passing(const Reply& reply) {
    if (reply.is_too_large || reply.is_too_slow) return false;
    if (reply.failure) return *reply.failure != httplib::Error::SSLServerVerification;
    // 503 is how Prometheus says that a query took too long.
    return reply.status >= 500 || reply.status == 429;
  }

  Result<std::string> check_type(Reply reply) const {
    const auto first = reply.body.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && reply.body[first] == '{') return std::move(reply.body);
    return Error{.code = lf::kCannotRead,
                 .message = fmt::format("{} answers with {} instead of JSON", name(),
                                        first != std::string::npos && reply.body[first] == '<'
                                            ? "a page of HTML"
                                            : "something else"),
                 .hint = "is it the address of Prometheus itself, and not of a login before it?"};
  }

  Error fault(const Reply& reply) const {
    if (reply.is_too_large)
      return {.code = lf::kTooLarge,
              .message = fmt::format("{} answers with more than {} MiB at once", name(),
                                     bounds_.bytes >> 20),
              .hint = "a shorter --since, or a longer --step"};
    if (reply.is_too_slow)
      return {.code = lf::kCannotRead,
              .message = fmt::format("{} did not end its answer within {:.0f} s", name(),
                                     bounds_.all_seconds),
              .hint = "a shorter --since, or a longer --step"};
    if (reply.failure)
      return {
          .code = lf::kCannotRead,
          .message = fmt::format("{} cannot be asked: {}", name(), failure_words(*reply.failure)),
          .hint = "curl ADDRESS/-/ready says whether it is there"};
    const bool is_limit = reply.body.find("too many samples") != std::string::npos ||
                          reply.body.find("maximum resolution") != std::string::npos;
    if (is_limit)
      return {.code = lf::kTooLarge, .message = fmt::format("{} refuses so much at once", name())};
    return refusal(reply);
  }

  Error refusal(const Reply& reply) const {
    const bool is_door = reply.status == 401 || reply.status == 403;
    const bool is_elsewhere = reply.status >= 300 && reply.status < 400;
    const std::string says = shown(reply.body);
    Error error{.code = lf::kCannotRead,
                .message = fmt::format("{} answers {}", name(), reply.status),
                .hint = "its own log says more"};
    if (is_elsewhere) {
      error.message += ": it sends you elsewhere, which is not followed";
      error.hint = "is it the address of Prometheus itself, and not of a login before it?";
    } else if (!is_door) {
      if (!says.empty()) error.message += ": " + says;
    } else if (secrets_.empty()) {
      error.hint = "--token-file FILE or --user-file FILE lets you in";
    } else {
      error.message += ": it does not take the token or password that was given";
      error.hint = "does the file hold the right one, and does it give access to queries?";
    }
    return error;
  }

  static std::string failure_words(httplib::Error failure) {
    switch (failure) {
      case httplib::Error::Connection:
      case httplib::Error::ConnectionTimeout:
        return "no connection";
      case httplib::Error::Read:
        return "it stopped answering";
      case httplib::Error::SSLServerVerification:
        return "its certificate is not trusted; --ca-file names those that are";
      case httplib::Error::SSLConnection:
        return "no secure connection";
      default:
        return "the connection broke";
    }
  }

  Address address_;
  HttpBounds bounds_;
  httplib::Client client_;
  std::vector<std::string> secrets_;
};

}  // namespace

Result<std::shared_ptr<MetricFeed>> open_feed(const std::string& text,
                                              const facade::ServerAccess& access,
                                              const HttpBounds& bounds) {
  TRY(Address address, read_address(text));
  if (!access.token_file.empty() && !access.user_file.empty())
    return facade::usage("a server takes a token or a user", "give one of both files");
  auto feed = std::make_shared<HttpFeed>(std::move(address), bounds);
  if (!access.token_file.empty()) {
    TRY(const std::string token, read_secret(access.token_file));
    feed->use_token(token);
  }
  if (!access.user_file.empty()) {
    TRY(const std::string pair, read_secret(access.user_file));
    const auto colon = pair.find(':');
    if (colon == std::string::npos)
      return facade::usage(fmt::format("'{}' holds no user:password", access.user_file),
                           "one line: user, a colon, the password");
    feed->use_user(pair.substr(0, colon), pair.substr(colon + 1));
  }
  if (!access.ca_file.empty()) {
    std::error_code failed;
    if (!std::filesystem::exists(access.ca_file, failed))
      return Error{.code = lf::kCannotRead,
                   .message = "the file that --ca-file names cannot be read",
                   .hint = "certificates as PEM, such as /etc/ssl/certs/ca-certificates.crt"};
    feed->use_authorities(access.ca_file);
  }
  return std::shared_ptr<MetricFeed>(std::move(feed));
}

}  // namespace loadfactor::cli
