// Any bytes as a file that launches something, by every reader: refused or read, never a crash. The
// first byte says under which name it comes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "launch/read/launch_reading.h"
#include "loadfactor/result.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array kNames{"a.sh",  "a.json",     "a.yaml", "a.toml", "a.args",
                              "a.log", "Dockerfile", "a.txt",  "a.py",   "a.service"};
  if (size == 0) return 0;
  using loadfactor::launch::Names;
  Names names;
  names.model = [](const std::string& name) { return name.size() < 20 ? name : std::string(); };
  names.accelerator = names.model;
  names.layers_of = [](const std::string&) { return std::int64_t{80}; };
  names.model_of = [](const auto&) { return std::string(); };
  loadfactor::Diagnostics diagnostics;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const char* const name = kNames[data[0] % kNames.size()];
  static_cast<void>(loadfactor::launch::read_launch({{name, text}}, names, diagnostics));
  // A script that may hand itself to the batch system.
  if (data[0] % kNames.size() == 0 && text.find("sbatch ") != std::string::npos)
    static_cast<void>(
        loadfactor::launch::read_launch({{name, text}, {"job.sh", text}}, names, diagnostics));
  return 0;
}
