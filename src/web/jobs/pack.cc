// Work and what comes of it as bytes, between processes of one program on one machine.
#include <cstring>
#include <type_traits>

#include "web/jobs/work.h"

namespace loadfactor::web {
namespace {

class Packer {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T> Packer& put(T number) {
    out_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  Packer& put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    out_.append(text);
    return *this;
  }
  std::string out() && { return std::move(out_); }

 private:
  std::string out_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}
  template <typename T>
  T number() {
    T value{};
    if (left_.size() < sizeof value) return value;
    std::memcpy(&value, left_.data(), sizeof value);
    left_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const auto size = static_cast<std::size_t>(number<std::uint64_t>());
    std::string out(left_.substr(0, size));
    left_.remove_prefix(out.size());
    return out;
  }

 private:
  std::string_view left_;
};

}  // namespace

std::string pack(const Work& work) {
  Packer packer;
  packer.put(work.verb).put(work.json);
  packer.put(work.scenario.has_value()).put(work.scenario.value_or(""));
  packer.put(static_cast<std::uint64_t>(work.given.size()));
  for (const std::string& id : work.given) packer.put(id);
  packer.put(static_cast<std::uint64_t>(work.uploads.size()));
  for (const UploadedFile& file : work.uploads) packer.put(file.id).put(file.name).put(file.path);
  packer.put(work.format).put(work.settings.seed).put(work.settings.threads);
  packer.put(work.settings.today);
  return std::move(packer).out();
}

Work unpack_work(std::string_view bytes) {
  Unpacker unpacker(bytes);
  Work work;
  work.verb = unpacker.text();
  work.json = unpacker.text();
  const bool has_scenario = unpacker.number<bool>();
  std::string scenario = unpacker.text();
  if (has_scenario) work.scenario = std::move(scenario);
  for (auto left = unpacker.number<std::uint64_t>(); left > 0; --left)
    work.given.push_back(unpacker.text());
  for (auto left = unpacker.number<std::uint64_t>(); left > 0; --left) {
    UploadedFile& file = work.uploads.emplace_back();
    file.id = unpacker.text();
    file.name = unpacker.text();
    file.path = unpacker.text();
  }
  work.format = unpacker.text();
  work.settings.seed = unpacker.number<std::uint64_t>();
  work.settings.threads = unpacker.number<int>();
  work.settings.today = unpacker.text();
  return work;
}

std::string pack(const Finished& finished) {
  Packer packer;
  packer.put(finished.status).put(finished.type).put(finished.body).put(finished.exit_status);
  return std::move(packer).out();
}

Finished unpack_finished(std::string_view bytes) {
  Unpacker unpacker(bytes);
  Finished finished;
  finished.status = unpacker.number<int>();
  finished.type = unpacker.text();
  finished.body = unpacker.text();
  finished.exit_status = unpacker.number<int>();
  return finished;
}

}  // namespace loadfactor::web
