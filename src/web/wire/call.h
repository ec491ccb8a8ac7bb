// A request and its reply, free of the library that carries them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loadfactor::web {

using Pairs = std::vector<std::pair<std::string, std::string>>;

enum class BodyEnd : std::uint8_t { kWhole, kTooLarge, kRefused, kBroken };

// The bytes behind a head, as they come.
class Body {
 public:
  using Take = std::function<bool(std::string_view part)>;

  Body() = default;
  virtual ~Body() = default;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  // Hands over part after part until `take` refuses one or there are more than `most` bytes.
  virtual BodyEnd read(std::size_t most, const Take& take) = 0;
};

struct Call {
  std::string method;
  std::string path;    // Decoded.
  Pairs query;         // Decoded, in their order.
  Pairs headers;       // Names in lower case.
  std::string caller;  // The address it comes from.
  Body* body = nullptr;
  std::function<bool()> is_gone = [] { return false; };  // Whether the caller hung up.

  // The value of a header, or an empty text.
  std::string_view header(std::string_view name) const;
  // The first value of a key of the query, or an empty text.
  std::string_view asked(std::string_view key) const;
};

struct Reply {
  using Write = std::function<bool(std::string_view)>;

  int status = 200;
  std::string type = "application/json";
  std::string body;
  Pairs headers = {};
  // Instead of a body: writes until it has ended or the caller is gone.
  std::function<void(const Write&)> stream = nullptr;
};

inline std::string_view find_pair(const Pairs& pairs, std::string_view key) {
  for (const auto& [name, value] : pairs)
    if (name == key) return value;
  return {};
}
inline std::string_view Call::header(std::string_view name) const {
  return find_pair(headers, name);
}
inline std::string_view Call::asked(std::string_view key) const {
  return find_pair(query, key);
}

}  // namespace loadfactor::web
