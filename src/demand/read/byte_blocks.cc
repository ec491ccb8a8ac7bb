#include "demand/read/byte_blocks.h"

#include <algorithm>

#include <fmt/format.h>
#include <zlib.h>

#include "base/error_codes.h"

namespace loadfactor::demand {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20U;
constexpr std::size_t kMaxBlock = std::size_t{512} << 20U;
constexpr int kGzipWindow = 15 + 16;  // The largest window, with a gzip header.

Error broken_archive(const std::string& file, std::string why) {
  return Error{.code = lf::kBrokenArchive,
               .message = fmt::format("'{}' is a gzip file that cannot be unpacked: {}", file, why),
               .hint = "fetch it again, or test it: `gzip -t FILE`",
               .where = {.file = file}};
}

Error too_large(const std::string& file, std::size_t most) {
  return Error{
      .code = lf::kTooLarge,
      .message = fmt::format("'{}' is more than the {} MB we read of this kind", file, most >> 20U),
      .where = {.file = file}};
}

}  // namespace

struct ByteBlocks::Inflater {
  z_stream stream{};
  bool member_open = false;

  Inflater() { inflateInit2(&stream, kGzipWindow); }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

bool is_gzip(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

ByteBlocks::ByteBlocks(std::string file, std::string_view bytes)
    : file_(std::move(file)), bytes_(bytes) {
  if (is_gzip(bytes)) inflater_ = std::make_unique<Inflater>();
}

ByteBlocks::~ByteBlocks() = default;

// Appends a piece to `unpacked_`, as long as what was carried over, so that a row that goes on and
// on is looked at few times; several archives in a row count as one.
Result<bool> ByteBlocks::unpack_some() {
  z_stream& stream = inflater_->stream;
  const std::size_t kept = unpacked_.size();
  const std::size_t piece = std::max(kPiece, kept);
  unpacked_.resize(kept + piece);
  std::size_t filled = 0;
  while (filled < piece && !is_last_) {
    if (!inflater_->member_open) {
      if (!is_gzip(bytes_)) {  // The end, or padding after it.
        is_last_ = true;
        break;
      }
      inflateReset(&stream);
      inflater_->member_open = true;
    }
    const std::size_t offered = std::min<std::size_t>(bytes_.size(), kPiece);
    // zlib only reads here, but its interface is older than const.
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes_.data()));
    stream.avail_in = static_cast<uInt>(offered);
    stream.next_out = reinterpret_cast<Bytef*>(unpacked_.data() + kept + filled);
    stream.avail_out = static_cast<uInt>(piece - filled);
    const int status = inflate(&stream, Z_NO_FLUSH);
    bytes_.remove_prefix(offered - stream.avail_in);
    filled = piece - stream.avail_out;
    if (status == Z_STREAM_END) {
      inflater_->member_open = false;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      return broken_archive(file_, stream.msg != nullptr ? stream.msg : "wrong data");
    } else if (bytes_.empty() && filled < piece) {
      return broken_archive(file_, "it ends too early");
    }
  }
  unpacked_.resize(kept + filled);
  return true;
}

Result<std::string_view> ByteBlocks::next(std::size_t consumed) {
  if (inflater_ == nullptr) {
    block_ = is_last_ ? block_.substr(std::min(consumed, block_.size())) : bytes_;
    is_last_ = true;
    return block_;
  }
  unpacked_.erase(0, consumed);
  if (unpacked_.size() >= kMaxBlock) return too_large(file_, kMaxBlock);
  TRY([[maybe_unused]] const bool done, unpack_some());
  block_ = unpacked_;
  return block_;
}

Result<std::string> whole_text(const std::string& file, std::string_view bytes, std::size_t most) {
  ByteBlocks blocks(file, bytes);
  std::string text;
  do {
    TRY(const std::string_view block, blocks.next(0));
    if (block.size() > most) return too_large(file, most);
    if (blocks.is_last()) text.assign(block);
  } while (!blocks.is_last());
  return text;
}

}  // namespace loadfactor::demand
