// The HTTP interface: a request in, a reply out.
#pragma once

#include "web/site.h"
#include "web/wire/call.h"

namespace loadfactor::web {

inline constexpr std::size_t kLargestQuestion = std::size_t{8} << 20U;

class Api {
 public:
  explicit Api(const Site& site) : site_(site) {}

  Reply answer(Call& call) const;

 private:
  Reply route(Call& call) const;
  Reply get(const Call& call, const std::string& path) const;
  Reply post(Call& call, const std::string& path) const;

  const Site& site_;
};

}  // namespace loadfactor::web
