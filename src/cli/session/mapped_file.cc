#include "cli/session/mapped_file.h"

#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/session/files.h"

namespace loadfactor::cli {

Result<MappedFile> MappedFile::open(const std::string& path) {
  MappedFile file;
  const int handle = path == "-" ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (handle >= 0 && fstat(handle, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* mapping = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, handle, 0);
    if (mapping != MAP_FAILED) {
      file.mapping_ = mapping;
      file.size_ = size;
    }
  }
  if (handle >= 0) close(handle);
  if (file.mapping_ == nullptr) {
    TRY(file.text_, read_file(path));
  }
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      text_(std::move(other.text_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(size_, other.size_);
  std::swap(text_, other.text_);
  return *this;
}

MappedFile::~MappedFile() {
  if (mapping_ != nullptr) munmap(mapping_, size_);
}

}  // namespace loadfactor::cli
