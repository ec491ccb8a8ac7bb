// One function object out of several, to visit a variant with.
#pragma once

namespace loadfactor::report {

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace loadfactor::report
