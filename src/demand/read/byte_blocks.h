// A file's bytes in blocks that end where the reader stopped, plain or unpacked from gzip.
//
// The bytes are handed over whole (the command line maps the file), so a plain file is one block
// and nothing is copied. A gzip file is unpacked a piece at a time: what the reader has not yet
// consumed is carried to the front of the next block, so memory stays at a few pieces however
// long the file is.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "loadfactor/result.h"

namespace loadfactor::demand {

// True if the bytes begin as a gzip file does.
bool is_gzip(std::string_view bytes);

class ByteBlocks {
 public:
  // `file` names the bytes in errors. The bytes must outlive the blocks. A gzip file is
  // unpacked as it is read.
  ByteBlocks(std::string file, std::string_view bytes);
  ByteBlocks(const ByteBlocks&) = delete;
  ByteBlocks& operator=(const ByteBlocks&) = delete;
  ~ByteBlocks();

  // Drops the first `consumed` bytes of the current block and appends what comes next. The view
  // holds until the next call. LF526 if the archive is broken or cut off, LF508 if a row of it has
  // no end within what memory should hold.
  Result<std::string_view> next(std::size_t consumed);

  // True once the current block reaches to the end of the file.
  bool is_last() const { return is_last_; }
  bool is_packed() const { return inflater_ != nullptr; }

 private:
  struct Inflater;
  Result<bool> unpack_some();

  std::string file_;
  std::string_view bytes_;  // The bytes of the file that are not yet read, or not yet unpacked.
  std::string_view block_;  // The current block.
  std::string unpacked_;    // Holds the block of a packed file.
  std::unique_ptr<Inflater> inflater_;
  bool is_last_ = false;
};

// The whole file, unpacked if it was packed; LF526, or LF508 beyond `most` bytes.
Result<std::string> whole_text(const std::string& file, std::string_view bytes, std::size_t most);

}  // namespace loadfactor::demand
