#include "web/wire/head.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace loadfactor::web {
namespace {

constexpr std::string_view kEnd = "\r\n";

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  const auto fits = [&](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || kMarks.find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

bool is_control(char c) {
  constexpr unsigned char kDelete = 0x7f;
  const auto byte = static_cast<unsigned char>(c);
  return byte < ' ' || byte == kDelete;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

HeadFault fault(int status, std::string message) {
  return {status, std::move(message)};
}

class HeadReader {
 public:
  explicit HeadReader(std::string_view text) : left_(text) {}

  std::variant<Head, HeadFault> read() {
    if (!read_request_line() || !read_headers() || !read_framing() || !read_target())
      return std::move(fault_);
    return std::move(head_);
  }

 private:
  bool refuse(int status, std::string message) {
    fault_ = fault(status, std::move(message));
    return false;
  }

  std::string_view next_line() {
    const auto end = left_.find(kEnd);
    const std::string_view line = left_.substr(0, end);
    left_.remove_prefix(end == std::string_view::npos ? left_.size() : end + kEnd.size());
    return line;
  }

  bool read_request_line() {
    const std::string_view line = next_line();
    const auto first = line.find(' ');
    const auto last = line.rfind(' ');
    if (first == std::string_view::npos || first == last)
      return refuse(400, "the first line is no request");
    head_.method = line.substr(0, first);
    head_.target = line.substr(first + 1, last - first - 1);
    const std::string_view version = line.substr(last + 1);
    if (!is_token(head_.method)) return refuse(400, "no method");
    if (version != "HTTP/1.1")
      return version.starts_with("HTTP/") ? refuse(505, "this server speaks HTTP/1.1")
                                          : refuse(400, "the first line is no request");
    constexpr std::array<std::string_view, 4> kMethods{"GET", "HEAD", "POST", "DELETE"};
    if (std::find(kMethods.begin(), kMethods.end(), head_.method) == kMethods.end())
      return refuse(405, "one of: GET, HEAD, POST, DELETE");
    if (head_.target.size() > kLongestTarget) return refuse(414, "the target is too long");
    const auto is_plain = [](char c) { return c > ' ' && c < '\x7f' && c != '#'; };
    if (!head_.target.starts_with('/') ||
        !std::all_of(head_.target.begin(), head_.target.end(), is_plain))
      return refuse(400, "the target is no path");
    return true;
  }

  bool read_headers() {
    while (left_.size() > kEnd.size()) {
      const std::string_view line = next_line();
      if (head_.headers.size() == kMostHeaders) return refuse(431, "too many headers");
      const auto colon = line.find(':');
      if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
        return refuse(400, "a line of the head is no header");
      const std::string_view value = trimmed(line.substr(colon + 1));
      if (std::any_of(value.begin(), value.end(),
                      [](char c) { return is_control(c) && c != '\t'; }))
        return refuse(400, "a header holds a control byte");
      head_.headers.emplace_back(lower(line.substr(0, colon)), value);
    }
    return left_ == kEnd || refuse(400, "the head does not end");
  }

  std::size_t count(std::string_view name) const {
    return static_cast<std::size_t>(
        std::count_if(head_.headers.begin(), head_.headers.end(),
                      [&](const auto& header) { return header.first == name; }));
  }
  std::string_view value(std::string_view name) const { return find_pair(head_.headers, name); }

  // How long the body is; two answers to that are one too many.
  bool read_framing() {
    if (count("host") != 1) return refuse(400, "exactly one Host");
    for (const std::string_view name : {"content-length", "transfer-encoding", "content-type",
                                        "origin", "authorization", "expect"})
      if (count(name) > 1) return refuse(400, "a header that may stand once stands twice");
    if (count("transfer-encoding") == 1) {
      if (count("content-length") == 1) return refuse(400, "a length beside chunks");
      if (lower(value("transfer-encoding")) != "chunked")
        return refuse(501, "the only transfer encoding here is chunked");
      head_.is_chunked = true;
    }
    if (count("content-length") == 1 && !read_length()) return false;
    const bool is_post = head_.method == "POST";
    if (!is_post && (head_.is_chunked || head_.length.value_or(0) > 0))
      return refuse(400, "only POST has a body");
    if (is_post && !head_.is_chunked && !head_.length)
      return refuse(411, "a POST says its length, 0 where it has no body");
    if (const auto expected = value("expect");
        !expected.empty() && lower(expected) != "100-continue")
      return refuse(417, "the only expectation here is 100-continue");
    if (const auto coding = value("content-encoding");
        !coding.empty() && lower(coding) != "identity")
      return refuse(415, "bodies come as they are, without an encoding");
    if (lower(value("content-type")).starts_with("multipart/"))
      return refuse(415, "a body is one thing, not several parts");
    return true;
  }

  bool read_length() {
    const std::string_view text = value("content-length");
    std::uint64_t length = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), length);
    constexpr std::size_t kMostDigits = 15;
    if (failed != std::errc() || end != text.data() + text.size() || text.size() > kMostDigits)
      return refuse(400, "Content-Length is no number");
    head_.length = length;
    return true;
  }

  bool read_target() {
    const std::string_view target = head_.target;
    const auto mark = target.find('?');
    const auto path = decode(target.substr(0, mark), false);
    if (!path || path->find('\\') != std::string::npos)
      return refuse(400, "the path cannot be read");
    std::string_view rest = std::string_view(*path).substr(1);
    for (bool more = true; more;) {
      const auto slash = rest.find('/');
      const std::string_view part = rest.substr(0, slash);
      if (part == "." || part == "..") return refuse(400, "a path goes down, never up");
      more = slash != std::string_view::npos;
      if (more) rest.remove_prefix(slash + 1);
    }
    head_.path = *path;
    return mark == std::string_view::npos || read_query(target.substr(mark + 1));
  }

  bool read_query(std::string_view query) {
    constexpr std::size_t kMostKeys = 100;
    while (!query.empty()) {
      const auto end = query.find('&');
      const std::string_view part = query.substr(0, end);
      query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
      if (part.empty()) continue;
      const auto equals = part.find('=');
      const auto key = decode(part.substr(0, equals), true);
      const auto text = decode(
          equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1), true);
      if (!key || !text || head_.query.size() == kMostKeys)
        return refuse(400, "the query cannot be read");
      head_.query.emplace_back(*key, *text);
    }
    return true;
  }

  std::string_view left_;
  Head head_;
  HeadFault fault_;
};

}  // namespace

std::optional<std::string> decode(std::string_view text, bool plus_is_blank) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus_is_blank) c = ' ';
    if (c == '%') {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (is_control(c)) return std::nullopt;
    out.push_back(c);
  }
  return out;
}

std::variant<Head, HeadFault> parse_head(std::string_view text) {
  // Line ends are CR LF; one of them alone is read differently by others.
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_pair = text[i] == '\r' ? i + 1 < text.size() && text[i + 1] == '\n'
                                         : text[i] != '\n' || (i > 0 && text[i - 1] == '\r');
    if (!is_pair || text[i] == '\0') return fault(400, "the head cannot be read");
  }
  return HeadReader(text).read();
}

}  // namespace loadfactor::web
