// Processes that share one piece of work. All of them run the same program on the same input, so
// that each knows what the others do; the first one speaks for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace loadfactor {

class Crew {
 public:
  // What one item comes to, as bytes; empty where it was stopped.
  using Work = std::function<std::string(std::int64_t number)>;
  // Told of each item once, in any order.
  using Take = std::function<void(std::int64_t number, std::string bytes)>;

  Crew() = default;
  virtual ~Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  virtual int rank() const = 0;  // From 0, which speaks.
  virtual int size() const = 0;

  // Does every item once, on whoever is free. Called by all members together; the first one's
  // numbers and `take` count, and it stops handing out where `is_stopped`.
  virtual void farm(const std::vector<std::int64_t>& numbers, const Work& work, const Take& take,
                    const std::function<bool()>& is_stopped) = 0;
  // The same for the items below `count`, and every member gets every result.
  virtual std::vector<std::string> share(std::size_t count, const Work& work) = 0;
};

}  // namespace loadfactor
