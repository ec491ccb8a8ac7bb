#include "sweep/store/lock_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error_codes.h"

namespace loadfactor::sweep {
namespace {

// Whoever held it before may have removed the file between our open and our lock.
bool is_still_there(int handle, const std::string& path) {
  struct stat ours {};
  struct stat named {};
  return fstat(handle, &ours) == 0 && stat(path.c_str(), &named) == 0 &&
         ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

}  // namespace

std::string real_path(const std::string& path) {
  std::error_code failed;
  const auto real = std::filesystem::weakly_canonical(path, failed);
  return failed || real.empty() ? path : real.string();
}

Result<LockFile> LockFile::take(const std::string& path) {
  constexpr int kTries = 100;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const int handle = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (handle < 0)
      return Error{.code = lf::kCannotWrite,
                   .message = fmt::format("cannot write '{}': {}", path, std::strerror(errno)),
                   .hint = "choose a file in a folder that you may write, with -o"};
    if (flock(handle, LOCK_EX | LOCK_NB) != 0) {
      close(handle);
      return Error{.code = lf::kCannotWrite,
                   .message = fmt::format("another process adds cases behind '{}'", path),
                   .hint = "wait for it, or give this shard a file of its own"};
    }
    if (is_still_there(handle, path)) return LockFile(path, handle);
    close(handle);
  }
  return Error{.code = lf::kCannotWrite, .message = fmt::format("cannot lock '{}'", path)};
}

LockFile::LockFile(LockFile&& other) noexcept
    : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, -1)) {}

LockFile::~LockFile() {
  if (handle_ < 0) return;
  unlink(path_.c_str());
  close(handle_);
}

}  // namespace loadfactor::sweep
