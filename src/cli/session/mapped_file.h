// A file's bytes without copying them: mapped into memory, or read where that is impossible.
#pragma once

#include <string>
#include <string_view>

#include "loadfactor/result.h"

namespace loadfactor::cli {

class MappedFile {
 public:
  // `-` is standard input. LF601 if it cannot be read.
  static Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const {
    return mapping_ != nullptr ? std::string_view(static_cast<const char*>(mapping_), size_)
                               : std::string_view(text_);
  }

 private:
  MappedFile() = default;
  void* mapping_ = nullptr;
  std::size_t size_ = 0;
  std::string text_;  // Where mapping is impossible.
};

}  // namespace loadfactor::cli
