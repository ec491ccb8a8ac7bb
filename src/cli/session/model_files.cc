#include "cli/session/model_files.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/error_codes.h"
#include "cli/session/files.h"

namespace loadfactor::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::array<const char*, 3> kJsonFiles{"config.json", "model.safetensors.index.json",
                                                "hf_quant_config.json"};
// A header longer than this is refused by every reader of the format.
constexpr std::uint64_t kLongestHeader = std::uint64_t{100} << 20U;
constexpr std::size_t kPrefix = 8;

// The first eight bytes say how long the header is; only so much is read.
Result<std::string> read_header(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text(kPrefix, '\0');
  stream.read(text.data(), kPrefix);
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() < kPrefix) return text;
  std::uint64_t length = 0;
  for (std::size_t i = kPrefix; i-- > 0;)
    length = length << 8U | static_cast<unsigned char>(text[i]);
  const auto wanted = static_cast<std::size_t>(std::min(length, kLongestHeader));
  text.resize(kPrefix + wanted);
  stream.read(text.data() + kPrefix, static_cast<std::streamsize>(wanted));
  text.resize(kPrefix + static_cast<std::size_t>(stream.gcount()));
  return text;
}

Result<bool> read_shards(const std::string& folder, std::vector<ModelFile>& files) {
  std::error_code failed;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".safetensors") names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  for (const auto& name : names) {
    const std::string path = folder + "/" + name;
    TRY(std::string text, read_header(path));
    const auto size = fs::file_size(path, failed);
    files.push_back({name, path, std::move(text),
                     failed ? std::optional<std::int64_t>() : static_cast<std::int64_t>(size)});
  }
  return true;
}

}  // namespace

bool names_a_file(const std::string& word) {
  std::error_code ignored;
  return word.ends_with(".json") || fs::exists(word, ignored);
}

Result<std::vector<ModelFile>> read_model_files(const std::string& path) {
  std::vector<ModelFile> files;
  std::error_code failed;
  if (!fs::is_directory(path, failed)) {
    TRY(std::string text, read_file(path));
    files.push_back({"config.json", path, std::move(text), {}});
    return files;
  }
  for (const char* name : kJsonFiles) {
    const std::string file = path + "/" + name;
    if (!fs::exists(file, failed)) continue;
    TRY(std::string text, read_file(file));
    files.push_back({name, file, std::move(text), {}});
  }
  TRY([[maybe_unused]] const bool read, read_shards(path, files));
  if (files.empty() || files.front().name != "config.json") {
    return Error{.code = lf::kCannotRead,
                 .message = fmt::format("the folder '{}' holds no config.json", path),
                 .hint = "name the folder of a Hugging Face checkpoint, or a catalogue entry"};
  }
  return files;
}

std::string date_of_file(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  std::tm parts{};
  gmtime_r(&status.st_mtime, &parts);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
  return text.data();
}

}  // namespace loadfactor::cli
