#include "calibrate/profile/json_scanner.h"

#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::calibrate {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30U;

bool is_blank(int c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool ends_word(int c) {
  return c < 0 || is_blank(c) || c == ',' || c == ']' || c == '}' || c == ':';
}

void append(std::string& text, char c) {
  if (text.size() < JsonScanner::kMostText) text += c;
}

}  // namespace

JsonScanner::JsonScanner(std::string file, std::string_view bytes)
    : file_(std::move(file)), blocks_(file_, bytes) {}

void JsonScanner::refuse(std::string message) {
  if (!error_)
    error_ = Error{.code = lf::kSyntax,
                   .message = std::move(message),
                   .hint = "give the file as the profiler wrote it; was it cut off?",
                   .where = {.file = file_, .line = line_}};
}

bool JsonScanner::refill() {
  while (at_ >= block_.size()) {
    if (error_ || (blocks_.is_last() && seen_ + block_.size() > 0)) return false;
    seen_ += block_.size();
    auto next = blocks_.next(block_.size());
    if (!next) {
      error_ = next.error();
      return false;
    }
    block_ = *next;
    at_ = 0;
    if (seen_ + block_.size() > kMostBytes) {
      error_ = Error{.code = lf::kTooLarge,
                     .message = fmt::format("more than the {} GiB that are read of a trace",
                                            kMostBytes >> 30U),
                     .hint = "profile fewer steps",
                     .where = {.file = file_}};
      return false;
    }
    if (block_.empty() && blocks_.is_last()) return false;
  }
  return true;
}

int JsonScanner::look() {
  if (at_ >= block_.size() && !refill()) return -1;
  return static_cast<unsigned char>(block_[at_]);
}

int JsonScanner::get() {
  const int c = look();
  if (c < 0) return c;
  ++at_;
  if (c == '\n') ++line_;
  return c;
}

void JsonScanner::skip_blanks() {
  while (is_blank(look())) get();
}

char JsonScanner::peek() {
  if (error_) return 0;
  skip_blanks();
  const int c = look();
  return c < 0 ? '\0' : static_cast<char>(c);
}

bool JsonScanner::expect(char wanted) {
  if (peek() != wanted) {
    refuse(fmt::format("'{}' should stand here", wanted));
    return false;
  }
  get();
  fresh_ = true;
  return true;
}

// Steps over what stands between two members or items; false at the end of all of them.
bool JsonScanner::separated(char closing) {
  const char c = peek();
  const bool fresh = std::exchange(fresh_, false);
  if (c == closing) {
    get();
    return false;
  }
  if (fresh) return c != 0;
  if (c != ',') {
    refuse(c == 0 ? "the file ends in the middle"
                  : fmt::format("',' or '{}' should stand here", closing));
    return false;
  }
  get();
  return peek() != 0;
}

bool JsonScanner::next_key(std::string& key) {
  key.clear();
  if (error_ || !separated('}')) return false;
  if (peek() != '"') {
    refuse("a key should stand here");
    return false;
  }
  read_string(key);
  if (peek() != ':') {
    refuse("':' should stand here");
    return false;
  }
  get();
  return !error_;
}

bool JsonScanner::next_item() {
  return !error_ && separated(']') && !error_;
}

void JsonScanner::read_escape(std::string& text) {
  const int c = get();
  constexpr std::string_view kCodes = "btnfr";
  constexpr std::string_view kMeanings = "\b\t\n\f\r";
  if (c == 'u') {
    for (int i = 0; i < 4; ++i) get();
    append(text, '?');  // No rule asks of such letters.
    return;
  }
  const auto found = c < 0 ? std::string_view::npos : kCodes.find(static_cast<char>(c));
  if (c >= 0)
    append(text, found == std::string_view::npos ? static_cast<char>(c) : kMeanings[found]);
}

void JsonScanner::read_string(std::string& text) {
  get();  // The quote.
  for (int c = get(); c != '"'; c = get()) {
    if (c < 0) return refuse("the file ends in the middle of a text");
    if (c == '\\') {
      read_escape(text);
    } else {
      append(text, static_cast<char>(c));
    }
  }
}

void JsonScanner::read_scalar(std::string& text) {
  text.clear();
  fresh_ = false;
  const char c = peek();
  if (c == '"') return read_string(text);
  if (c == '{' || c == '[' || ends_word(c) || c == 0) return refuse("a value should stand here");
  while (!ends_word(look())) append(text, static_cast<char>(get()));
}

void JsonScanner::skip() {
  std::string unused;
  const char first = peek();
  fresh_ = false;
  if (first != '{' && first != '[') return read_scalar(unused);
  std::uint64_t depth = 0;
  do {
    const int c = look();
    if (c < 0) return refuse("the file ends in the middle");
    if (c == '"') {
      unused.clear();
      read_string(unused);
      if (error_) return;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    get();
  } while (depth > 0);
}

}  // namespace loadfactor::calibrate
