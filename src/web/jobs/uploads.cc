#include "web/jobs/uploads.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/error_codes.h"
#include "web/jobs/jobs.h"

namespace loadfactor::web {

Result<std::unique_ptr<Uploads>> Uploads::create(const Bounds& bounds) {
  std::error_code failed;
  const auto above = std::filesystem::temp_directory_path(failed);
  std::string folder = (above / "loadfactor-web-XXXXXX").string();
  if (failed || mkdtemp(folder.data()) == nullptr)
    return Error{.code = lf::kCannotWrite,
                 .message = fmt::format("no private folder can be made below '{}'", above.string()),
                 .hint = "TMPDIR names another"};
  return std::unique_ptr<Uploads>(new Uploads(std::move(folder), bounds));
}

Uploads::~Uploads() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Uploads::Writer::Writer(Uploads& uploads, std::string name) : uploads_(&uploads) {
  file_.id = random_id('u');
  file_.name = std::move(name);
  file_.path = uploads.folder_ + "/" + file_.id;
  constexpr int kOwnerOnly = 0600;
  fd_ = open(file_.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly);
}

Uploads::Writer::~Writer() {
  if (fd_ >= 0) close(fd_);
  if (!is_kept_) unlink(file_.path.c_str());
}

bool Uploads::Writer::write(std::string_view part) {
  while (!part.empty()) {
    const ssize_t written = fd_ < 0 ? -1 : ::write(fd_, part.data(), part.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    file_.bytes += static_cast<std::size_t>(written);
    part.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

UploadedFile Uploads::Writer::keep() {
  is_kept_ = true;
  uploads_->add(file_);
  return file_;
}

void Uploads::add(const UploadedFile& file) {
  const std::lock_guard lock(mutex_);
  files_[file.id] = {file, std::chrono::steady_clock::now()};
  make_room();
}

std::vector<UploadedFile> Uploads::all() {
  const std::lock_guard lock(mutex_);
  make_room();
  std::vector<UploadedFile> files;
  for (const auto& [id, kept] : files_) files.push_back(kept.file);
  return files;
}

std::vector<UploadedFile> Uploads::named_in(std::string_view text) {
  const std::lock_guard lock(mutex_);
  make_room();
  std::vector<UploadedFile> files;
  for (auto& [id, kept] : files_) {
    if (text.find(id) == std::string_view::npos) continue;
    kept.used = std::chrono::steady_clock::now();
    files.push_back(kept.file);
  }
  return files;
}

bool Uploads::remove(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(id);
  if (found == files_.end()) return false;
  drop(found);
  return true;
}

void Uploads::drop(std::map<std::string, Kept>::iterator entry) {
  unlink(entry->second.file.path.c_str());
  files_.erase(entry);
}

void Uploads::make_room() {
  const auto now = std::chrono::steady_clock::now();
  for (;;) {
    if (files_.empty()) return;
    std::size_t bytes = 0;
    for (const auto& [id, kept] : files_) bytes += kept.file.bytes;
    const auto oldest = std::min_element(
        files_.begin(), files_.end(),
        [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
    const bool is_old = now - oldest->second.used > bounds_.keeping;
    if (!is_old && bytes <= bounds_.all && files_.size() <= bounds_.files) return;
    drop(oldest);
  }
}

}  // namespace loadfactor::web
