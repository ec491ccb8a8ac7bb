#include "cli/disk_files.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/http_feed.h"
#include "cli/outside/slurm_feed.h"
#include "cli/session/mapped_file.h"
#include "cli/session/model_files.h"

namespace loadfactor::cli {
namespace {

std::string beside(const std::string& scenario, const std::string& path) {
  const std::filesystem::path named(path);
  if (named.is_absolute() || scenario == "-") return path;
  return (std::filesystem::path(scenario).parent_path() / named).string();
}

}  // namespace

Result<InputFile> DiskFiles::open(const std::string& path) {
  TRY(MappedFile mapped, MappedFile::open(path));
  const auto kept = std::make_shared<const MappedFile>(std::move(mapped));
  return InputFile{
      .name = path, .shown_as = path, .bytes = kept->bytes(), .size = {}, .owner = kept};
}

Result<std::vector<InputFile>> DiskFiles::open_model(const std::string& path) {
  TRY(auto read, read_model_files(path));
  std::vector<InputFile> files;
  for (ModelFile& file : read) {
    InputFile& given = files.emplace_back(InputFile::of(file.name, std::move(file.text)));
    given.shown_as = file.shown_as;
    given.size = file.size;
  }
  return files;
}

Result<InputFile> DiskFiles::open_beside(const std::string& scenario, const std::string& path) {
  TRY(InputFile file, open(beside(scenario, path)));
  file.name = path;
  return file;
}

Result<std::vector<InputFile>> DiskFiles::open_model_beside(const std::string& scenario,
                                                            const std::string& path) {
  const std::string full = beside(scenario, path);
  TRY(auto files, open_model(full));
  for (InputFile& file : files) file.name = file.shown_as == full ? path : path + "/" + file.name;
  return files;
}

bool DiskFiles::has(const std::string& path) const {
  return names_a_file(path);
}

std::string DiskFiles::date_of(const std::string& path) const {
  return date_of_file(path);
}

std::optional<config::Scenario> DiskFiles::parse(const std::string& name, const std::string& text,
                                                 std::span<const std::string> assignments,
                                                 Diagnostics& diagnostics) {
  return session_->environment().scenarios->parse(name, text, assignments, diagnostics);
}

Result<std::shared_ptr<MetricFeed>> DiskFiles::connect(const std::string& address,
                                                       const facade::ServerAccess& access) {
  return address == "slurm:" ? open_slurm() : open_feed(address, access);
}

std::optional<double> DiskFiles::now() const {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace loadfactor::cli
