#include "sweep/store/row_codec.h"

#include <bit>
#include <cstring>

#include <zlib.h>

#include "sweep/digest.h"

namespace loadfactor::sweep {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20U;

void put_number(std::string& out, std::uint64_t number) {
  for (unsigned shift = 0; shift < 64; shift += 8)
    out += static_cast<char>(static_cast<unsigned char>(number >> shift));
}
void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}
void put_cell(std::string& out, const CellValue& cell) {
  out += static_cast<char>(cell.index());
  if (const auto* number = std::get_if<std::int64_t>(&cell))
    put_number(out, static_cast<std::uint64_t>(*number));
  if (const auto* real = std::get_if<double>(&cell))
    put_number(out, std::bit_cast<std::uint64_t>(*real));
  if (const auto* text = std::get_if<std::string>(&cell)) put_text(out, *text);
}

std::string bytes_of(const CaseRow& row) {
  std::string out;
  put_number(out, static_cast<std::uint64_t>(row.number));
  out += static_cast<char>(row.status);
  put_number(out, static_cast<std::uint64_t>(row.code));
  put_text(out, row.error);
  put_text(out, row.edits);
  put_number(out, row.cells.size());
  for (const CellValue& cell : row.cells) put_cell(out, cell);
  put_text(out, row.answer);
  return out;
}

// Reads what put_… wrote; `failed` once the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t out = 0;
    if (!has(8)) return 0;
    for (unsigned i = 0; i < 8; ++i)
      out |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[i])) << (8 * i);
    bytes_.remove_prefix(8);
    return out;
  }
  unsigned char byte() {
    if (!has(1)) return 0;
    const auto out = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return out;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (!has(size)) return {};
    std::string out(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return out;
  }
  CellValue cell() {
    switch (byte()) {
      case 1:
        return static_cast<std::int64_t>(number());
      case 2:
        return std::bit_cast<double>(number());
      case 3:
        return text();
      default:
        return std::monostate();
    }
  }
  bool has(std::uint64_t size) {
    failed_ = failed_ || size > bytes_.size();
    return !failed_;
  }
  bool failed() const { return failed_; }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

}  // namespace

std::string checksum(const CaseRow& row) {
  return digest_of(bytes_of(row)).substr(0, 16);
}

std::string packed(const CaseRow& row, double cpu_s) {
  std::string out = bytes_of(row);
  put_number(out, std::bit_cast<std::uint64_t>(cpu_s));
  return out;
}

std::optional<std::pair<CaseRow, double>> unpacked(const std::string& bytes) {
  ByteReader reader(bytes);
  CaseRow row;
  row.number = static_cast<std::int64_t>(reader.number());
  const unsigned char status = reader.byte();
  if (status > static_cast<unsigned char>(CaseStatus::kError)) return std::nullopt;
  row.status = static_cast<CaseStatus>(status);
  row.code = static_cast<int>(reader.number());
  row.error = reader.text();
  row.edits = reader.text();
  const std::uint64_t cells = reader.number();
  if (cells > reader.left()) return std::nullopt;
  for (std::uint64_t i = 0; i < cells; ++i) row.cells.push_back(reader.cell());
  row.answer = reader.text();
  const double cpu_s = std::bit_cast<double>(reader.number());
  if (reader.failed() || reader.left() != 0) return std::nullopt;
  return std::pair(std::move(row), cpu_s);
}

std::size_t stored_bytes(const CaseRow& row) {
  CaseRow without = row;
  without.answer.clear();
  constexpr std::size_t kFrame = 40;  // What SQLite adds: the header of a row and its time.
  const std::size_t answer = row.answer.empty() ? 0 : deflated(row.answer).size();
  return bytes_of(without).size() + answer + kFrame;
}

std::string deflated(std::string_view text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::string out(size, '\0');
  compress2(reinterpret_cast<Bytef*>(out.data()), &size,
            reinterpret_cast<const Bytef*>(text.data()), static_cast<uLong>(text.size()),
            Z_DEFAULT_COMPRESSION);
  out.resize(size);
  return out;
}

std::optional<std::string> inflated(std::string_view bytes) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int code = Z_OK;
  while (code == Z_OK && out.size() < kMostBytes) {
    const std::size_t before = out.size();
    out.resize(before + (std::size_t{64} << 10U));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(out.size() - before);
    code = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    if (code == Z_OK && stream.avail_in == 0 && stream.avail_out != 0) break;
  }
  inflateEnd(&stream);
  return code == Z_STREAM_END ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace loadfactor::sweep
