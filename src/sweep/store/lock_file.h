// One process at a time: a lock that the kernel lets go when the process ends, however it ends.
#pragma once

#include <string>

#include "loadfactor/result.h"

namespace loadfactor::sweep {

// The file that a path means, past all links: whoever writes it takes the same lock.
std::string real_path(const std::string& path);

class LockFile {
 public:
  // LF602 where another process holds it or the file cannot be made.
  static Result<LockFile> take(const std::string& path);
  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&&) = delete;
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;
  // Removes the file.
  ~LockFile();

 private:
  LockFile(std::string path, int handle) : path_(std::move(path)), handle_(handle) {}
  std::string path_;
  int handle_;
};

}  // namespace loadfactor::sweep
