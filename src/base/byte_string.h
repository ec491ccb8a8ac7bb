// Values as bytes, for the way from one process to another of the same program: as they lie in
// memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace loadfactor {

template <typename T>
void put_value(std::string& bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// Takes a value off the front; zero, and nothing is left, where the bytes end too early.
template <typename T>
T take_value(std::string_view& bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value{};
  if (bytes.size() < sizeof value) {
    bytes = {};
    return value;
  }
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

template <typename T>
void put_list(std::string& bytes, const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  put_value(bytes, static_cast<std::uint64_t>(values.size()));
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

// As many of the values as the bytes hold.
template <typename T>
std::vector<T> take_list(std::string_view& bytes) {
  const auto count = take_value<std::uint64_t>(bytes);
  std::vector<T> values(std::min<std::uint64_t>(count, bytes.size() / sizeof(T)));
  const std::size_t size = values.size() * sizeof(T);
  if (size > 0) std::memcpy(values.data(), bytes.data(), size);
  bytes.remove_prefix(size);
  return values;
}

}  // namespace loadfactor
