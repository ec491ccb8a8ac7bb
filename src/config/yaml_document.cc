#include <array>
#include <exception>
#include <sstream>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "base/error_codes.h"
#include "config/document.h"
#include "config/foreign_yaml.h"
#include "config/plain_yaml.h"
#include "config/tree_builder.h"
#include "config/yaml_mistake.h"

namespace loadfactor::config {
namespace {

// Thrown through yaml-cpp when the builder has refused something; never leaves this file.
struct Stopped {};

// The offset just past the quote that closes the one at `begin`, or nothing.
std::optional<std::size_t> end_of_quoted(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (text[i] == quote) {
      const bool doubled = quote == '\'' && i + 1 < text.size() && text[i + 1] == quote;
      if (!doubled) return i + 1;
      ++i;
    }
  }
  return std::nullopt;
}

std::size_t end_of_line(std::string_view text, std::size_t begin) {
  std::size_t end = std::min(text.find('\n', begin), text.size());
  while (end > begin && (text[end - 1] == ' ' || text[end - 1] == '\r')) --end;
  return end;
}

// Whether `&name`, `*name` and `<<` are read.
enum class Aliases : std::uint8_t { kRefused, kFollowed };

// Tags that say what a value is by itself: `!!str`.
bool is_plain_tag(std::string_view tag) {
  return tag.starts_with("tag:yaml.org,2002:");
}

// Builds our tree from yaml-cpp's events. A mark's `pos` is the offset of a byte of the text.
class YamlEvents : public YAML::EventHandler {
 public:
  YamlEvents(std::string_view text, TreeBuilder& builder, Aliases aliases)
      : text_(text), builder_(&builder), aliases_(aliases) {
    if (aliases == Aliases::kFollowed) builder.merge_maps();
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    if (text_.substr(std::min(offset(mark), text_.size())).starts_with("---"))
      stop(lf::kAnchorRefused, extent_of_word(mark), "a second document starts here",
           "keep one document per file and remove the '---'");
    stop(lf::kSyntax, extent_of_word(mark), "this does not fit the lines before it",
         "a file is one map or one list; check the indentation of this line");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    take_properties(mark, "", anchor);
    if (builder_->expects_key())
      stop(lf::kSyntax, extent_of_word(mark), "a key is missing here", "write 'key: value'");
    go_on(is_written_null(offset(mark)) ? builder_->add_null(extent_of_word(mark))
                                        : add_unwritten(offset(mark)));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (aliases_ == Aliases::kRefused || builder_->expects_key()) {
      builder_->refuse(refuse_alias(text_, offset(mark)));
      throw Stopped{};
    }
    go_on(builder_->repeat(anchor, extent_of_word(mark)));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    take_properties(mark, tag, anchor);
    const Extent extent = extent_of_scalar(behind_properties(offset(mark)), tag == "?", value);
    if (builder_->expects_key()) {
      refuse_odd_key(extent, value);
      go_on(builder_->add_key(value, extent));
      return;
    }
    const auto style = tag == "?" ? ScalarStyle::kPlain : ScalarStyle::kQuoted;
    go_on(builder_->add_scalar(value, style, extent));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(NodeKind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { go_on(builder_->close()); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(NodeKind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { go_on(builder_->close()); }

 private:
  static std::size_t offset(const YAML::Mark& mark) {
    return mark.pos < 0 ? 0 : static_cast<std::size_t>(mark.pos);
  }

  Extent extent_of_word(const YAML::Mark& mark) const { return extent_of_word(offset(mark)); }
  Extent extent_of_word(std::size_t begin) const { return yaml_word(text_, begin); }

  void open(NodeKind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    take_properties(mark, tag, anchor);
    const std::size_t begin = offset(mark);
    // yaml-cpp also takes a list or map for a key when it is never closed.
    if (builder_->expects_key())
      stop(lf::kSyntax, {begin, begin + 1},
           "this bracket is never closed, or stands where a key is wanted",
           "close it; quote text that begins with '[' or '{'");
    go_on(builder_->open(kind, {begin, begin + 1}));
  }

  // What stands before a value: `&name` and `!tag`.
  void take_properties(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    const std::size_t begin = offset(mark);
    const char first = begin < text_.size() ? text_[begin] : '\0';
    const bool is_followed = aliases_ == Aliases::kFollowed;
    if (is_followed && anchor != 0 && !builder_->expects_key()) builder_->keep_next(anchor);
    if (is_followed && (tag.empty() || tag == "?" || tag == "!" || is_plain_tag(tag))) return;
    if (anchor != 0 && !is_followed)
      stop(lf::kAnchorRefused, extent_of_word(begin), "anchors ('&name') are not read",
           "write the value out where it is needed; quote it if it is meant as text");
    if (first == '!' || (!tag.empty() && tag != "?" && tag != "!"))
      stop(lf::kAnchorRefused, extent_of_word(begin), "tags ('!name') are not read",
           "remove the tag; quote it if it is meant as text");
  }

  // Where a value begins behind its anchor and its tag.
  std::size_t behind_properties(std::size_t begin) const {
    while (aliases_ == Aliases::kFollowed && begin < text_.size() &&
           (text_[begin] == '&' || text_[begin] == '!')) {
      const std::size_t end = std::min(text_.find_first_of(" \t\r\n", begin), text_.size());
      begin = std::min(text_.find_first_not_of(" \t\r\n", end), text_.size());
    }
    return begin;
  }

  // yaml-cpp takes `{a, b}`, `? a` and a word alone on a line for keys without a value. In files of
  // others the first is a set, whose words are keys of nothing.
  void refuse_odd_key(Extent extent, const std::string& key) {
    const std::size_t next = text_.find_first_not_of(" \t", extent.end);
    const bool is_of_set = aliases_ == Aliases::kFollowed && next != std::string_view::npos &&
                           (text_[next] == ',' || text_[next] == '}');
    if (is_of_set) return;
    if (next == std::string_view::npos || text_[next] != ':')
      stop(lf::kSyntax, extent, "there is no ':' after this key", "write 'key: value'");
    if (key == "<<" && aliases_ == Aliases::kRefused)
      stop(lf::kAnchorRefused, extent, "merge keys ('<<') are not read", "write the keys out");
  }

  Extent extent_of_scalar(std::size_t begin, bool plain, const std::string& value) {
    if (plain && text_.compare(begin, value.size(), value) == 0)
      return {begin, begin + value.size()};
    if (begin < text_.size() && (text_[begin] == '"' || text_[begin] == '\'')) {
      const auto end = end_of_quoted(text_, begin);
      // yaml-cpp 0.7 takes the end of the file for a closing quote after a line break.
      if (!end) stop(lf::kSyntax, {begin, begin + 1}, "this quote is never closed");
      return {begin, *end};
    }
    return {begin, end_of_line(text_, begin)};
  }

  bool is_written_null(std::size_t begin) const {
    const std::string_view rest = text_.substr(std::min(begin, text_.size()));
    constexpr std::array<std::string_view, 4> kNulls{"~", "null", "Null", "NULL"};
    for (const auto word : kNulls) {
      if (!rest.starts_with(word)) continue;
      const std::size_t next = word.size();
      if (next == rest.size() || std::string_view(" \t\r\n,]}#").find(rest[next]) != rest.npos)
        return true;
    }
    return false;
  }

  // A value that is not written stands at its key, an item at the dash or comma before the mark.
  bool add_unwritten(std::size_t mark) {
    if (builder_->expects_value()) return builder_->add_null(builder_->key_position());
    const std::size_t last = mark == 0 ? text_.npos : text_.find_last_not_of(" \t\r\n", mark - 1);
    const std::size_t place = last == text_.npos ? 0 : last;
    return builder_->add_null(Extent{place, place + 1});
  }

  [[noreturn]] void stop(int code, Extent extent, std::string message, std::string hint = {}) {
    builder_->refuse({code, extent, std::move(message), std::move(hint)});
    throw Stopped{};
  }
  static void go_on(bool may_go_on) {
    if (!may_go_on) throw Stopped{};
  }

  std::string_view text_;
  TreeBuilder* builder_;
  Aliases aliases_;
  int documents_ = 0;
};

// A row of opening brackets longer than the depth allowed: yaml-cpp would read to the end of the
// file before its first event.
std::optional<Extent> find_bracket_bomb(std::string_view text, int depth) {
  int run = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '{') {
      if (++run > depth) return Extent{i, i + 1};
    } else if (text[i] != ' ' && text[i] != '\n') {
      run = 0;
    }
  }
  return std::nullopt;
}

// Runs yaml-cpp over the text; whatever is wrong ends up in the builder.
void run_parser(const std::string& text, TreeBuilder& builder, Aliases aliases) {
  YamlEvents events(text, builder, aliases);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
    }
  } catch (const Stopped&) {
    return;
  } catch (const YAML::Exception& exception) {
    const auto offset = static_cast<std::size_t>(std::max(exception.mark.pos, 0));
    if (aliases == Aliases::kFollowed && offset < text.size() && text[offset] == '*') {
      builder.refuse({lf::kAnchorRefused, yaml_word(text, offset),
                      "no anchor of this name stands before this alias",
                      "write `&name` before the value; quote the word if it is meant as text"});
      return;
    }
    builder.refuse(find_yaml_mistake(text, offset, exception.msg, builder));
  } catch (const std::exception& exception) {
    builder.refuse({lf::kSyntax, {}, exception.what(), ""});
  }
}

Result<Document> parse(std::string file, std::string text, const Limits& limits, Aliases aliases) {
  if (auto error = refuse_unreadable(file, text, limits)) return *std::move(error);
  Document document{.file = std::move(file), .text = std::move(text)};
  document.lines = LineIndex(document.text);
  if (aliases == Aliases::kRefused) {
    TreeBuilder plain(document.text, document.lines, limits);
    if (read_plain_yaml(document.text, plain)) {
      document.root = plain.take_root();
      return document;
    }
  }
  TreeBuilder builder(document.text, document.lines, limits);
  if (const auto bomb = find_bracket_bomb(document.text, limits.depth))
    builder.refuse(too_deep(*bomb, limits));
  else
    run_parser(document.text, builder, aliases);
  if (const auto& refusal = builder.refusal()) {
    PositionCursor cursor(document.text, document.lines);
    return document.error(refusal->code, cursor.at(refusal->extent.begin, refusal->extent.end),
                          refusal->message, refusal->hint);
  }
  document.root = builder.take_root();
  if (document.root.kind == NodeKind::kNull)
    return document.error(lf::kEmptyFile, {.line = 1, .column = 1}, "the file holds no value");
  return document;
}

}  // namespace

Result<Document> parse_yaml(std::string file, std::string text, const Limits& limits) {
  return parse(std::move(file), std::move(text), limits, Aliases::kRefused);
}

Result<Document> parse_foreign_yaml(std::string file, std::string text, const Limits& limits) {
  return parse(std::move(file), std::move(text), limits, Aliases::kFollowed);
}

}  // namespace loadfactor::config
