// Changes texts by what they are made of: numbers, units, words, keys, lines, blocks; bytes at
// last.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace loadfactor::fuzz {

// What a seed gives, it gives again.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : engine_() % bound; }
  double share() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  template <typename T>
  const T& of(const std::vector<T>& items) {
    return items[below(items.size())];
  }

 private:
  std::mt19937_64 engine_;
};

class Mutator {
 public:
  // Names, keys and values that our files know.
  Mutator(Draw& draw, const std::vector<std::string>& words) : draw_(draw), words_(words) {}

  // A changed text; `others` are of the same kind, to take lines from.
  std::string mutate(std::string text, const std::vector<std::string>& others);
  // A number, a word or something odd, as it could stand behind a key.
  std::string value();

 private:
  std::string once(const std::string& text);
  std::string number(const std::string& text);
  std::string unit(const std::string& text);
  std::string word(const std::string& text);
  std::string whole_value(const std::string& text);
  std::string key(const std::string& text);
  std::string add_key(const std::string& text);
  std::string lines(const std::string& text, int how);
  std::string noise(const std::string& text);
  std::string nested(const std::string& text);
  std::string spliced(const std::string& text, const std::string& other);
  std::string scaled(const std::string& digits);

  Draw& draw_;
  const std::vector<std::string>& words_;
};

}  // namespace loadfactor::fuzz
