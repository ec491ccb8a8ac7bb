#include "web/wire/guard.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <arpa/inet.h>

#include "web/wire/problem.h"

namespace loadfactor::web {
namespace {

bool is_numeric(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  const bool is_v6 = host.starts_with('[') && host.ends_with(']');
  return is_v6 ? inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), bytes.data()) == 1
               : inet_pton(AF_INET, host.c_str(), bytes.data()) == 1;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

// `name` and `:port`, the latter perhaps empty.
struct Host {
  std::string name;
  std::string port;
};
Host split(const std::string& text) {
  const auto colon = text.rfind(':');
  const bool has_port = colon != std::string::npos && text.find(']', colon) == std::string::npos;
  return {text.substr(0, has_port ? colon : text.size()), has_port ? text.substr(colon + 1) : ""};
}

bool is_ours(const std::string& host, const Door& door) {
  const auto [name, port] = split(host);
  for (const std::string& given : door.hostnames)
    if (lower(given) == name || lower(given) == host) return true;
  const bool is_port = port == std::to_string(door.port) || (port.empty() && door.port == 80);
  if (!is_port) return false;
  const bool is_everywhere = door.address == "0.0.0.0" || door.address == "::";
  if (is_loopback(door.address) || is_everywhere)
    if (name == "localhost" || name == "127.0.0.1" || name == "[::1]") return true;
  // A name can be made to lead here by whoever owns it; a number cannot.
  if (is_everywhere) return is_numeric(name);
  return name == door.address || name == "[" + door.address + "]";
}

// As long for a wrong token as for the right one.
bool is_same(std::string_view given, std::string_view token) {
  unsigned int difference = given.size() == token.size() ? 0U : 1U;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char other = given.empty() ? '\0' : given[i % given.size()];
    difference |= static_cast<unsigned int>(static_cast<unsigned char>(token[i]) ^
                                            static_cast<unsigned char>(other));
  }
  return difference == 0;
}

}  // namespace

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" ||
         (address.starts_with("127.") && is_numeric(address));
}

std::optional<Reply> refuse_stranger(const Call& call, const Door& door) {
  const std::string host = lower(call.header("host"));
  if (!is_ours(host, door)) return problem(403, "this server does not go by that Host");
  const bool is_api = call.path == "/api" || call.path.starts_with("/api/");
  const std::string origin = lower(call.header("origin"));
  if (!origin.empty() && origin != "http://" + host && origin != "https://" + host)
    return problem(403, "a page of another origin asks");
  const std::string_view site = call.header("sec-fetch-site");
  if (is_api && !site.empty() && site != "same-origin" && site != "none")
    return problem(403, "a page of another site asks");
  if (!is_api || door.token.empty()) return std::nullopt;
  constexpr std::string_view kScheme = "Bearer ";
  const std::string_view given = call.header("authorization");
  if (given.starts_with(kScheme) && is_same(given.substr(kScheme.size()), door.token))
    return std::nullopt;
  Reply reply = problem(401, "the token is missing or wrong");
  reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

}  // namespace loadfactor::web
