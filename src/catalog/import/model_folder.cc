#include "catalog/import/model_folder.h"

#include <string_view>

#include "base/error_codes.h"

namespace loadfactor::catalog {
namespace {

constexpr std::string_view kConfig = "config.json";
constexpr std::string_view kQuantization = "hf_quant_config.json";
constexpr std::string_view kIndex = "model.safetensors.index.json";
constexpr std::string_view kShard = ".safetensors";

bool is_shard(std::string_view name) {
  return name.size() > kShard.size() && name.substr(name.size() - kShard.size()) == kShard;
}

const FolderFile* find(const ModelFolder& folder, std::string_view name) {
  const auto found = folder.files.find(std::string(name));
  return found == folder.files.end() ? nullptr : &found->second;
}

std::string shown(std::string_view name, const FolderFile& file) {
  return file.shown_as.empty() ? std::string(name) : file.shown_as;
}

// The name of the folder in a path; empty: none.
std::string folder_of(std::string_view path) {
  const std::size_t end = path.rfind('/');
  if (end == std::string_view::npos || end == 0) return {};
  path = path.substr(0, end);
  const std::size_t begin = path.rfind('/');
  return std::string(begin == std::string_view::npos ? path : path.substr(begin + 1));
}

}  // namespace

std::optional<ImportedModel> import_model_folder(const ModelFolder& folder,
                                                 Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  const FolderFile* config = find(folder, kConfig);
  if (config == nullptr) {
    diagnostics.add(Error{.code = lf::kMissingKey,
                          .message = "the folder has no config.json",
                          .hint = "it describes the architecture; fetch it beside the weights",
                          .where = {.file = folder.name, .line = 0, .column = 0}});
    return std::nullopt;
  }
  HfSiblings siblings{
      .name = folder.name, .date = folder.date, .folder = folder_of(shown(kConfig, *config))};
  if (const FolderFile* file = find(folder, kQuantization)) {
    siblings.quantization = NamedText{shown(kQuantization, *file), file->text};
  }
  if (const FolderFile* file = find(folder, kIndex)) {
    siblings.index = parse_safetensors_index(shown(kIndex, *file), file->text, diagnostics);
  }
  for (const auto& [name, file] : folder.files) {
    if (!is_shard(name)) continue;
    auto header = parse_safetensors_header({name, file.text, file.size}, diagnostics);
    if (header) siblings.shards.push_back(*std::move(header));
  }
  if (diagnostics.size() != before) return std::nullopt;
  return import_hf_config({shown(kConfig, *config), config->text}, siblings, diagnostics);
}

}  // namespace loadfactor::catalog
