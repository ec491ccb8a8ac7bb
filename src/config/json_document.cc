#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error_codes.h"
#include "config/document.h"
#include "config/json_mistake.h"
#include "config/number_text.h"
#include "config/tree_builder.h"

namespace loadfactor::config {
namespace {

using Json = nlohmann::json;

bool is_json_number(std::string_view text) {
  const bool leading_zero = refuse_leading_zero(text).has_value();
  return !leading_zero && is_bare_number(text);
}

// Builds our tree from nlohmann's events.
//
// The events carry no places. Between two tokens JSON has only blanks, commas and colons, so a
// cursor that walks the same text in step finds each token; numbers keep their text this way.
class JsonEvents : public nlohmann::json_sax<Json> {
 public:
  JsonEvents(std::string_view text, TreeBuilder& builder) : text_(text), builder_(&builder) {}

  bool null() override { return builder_->add_null(word()); }
  bool boolean(bool value) override {
    return builder_->add_scalar(value ? "true" : "false", ScalarStyle::kBoolean, word());
  }
  bool number_integer(number_integer_t /*value*/) override { return number(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return number(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return number();
  }
  bool string(string_t& value) override {
    return builder_->add_scalar(std::move(value), ScalarStyle::kQuoted, in_quotes());
  }
  bool binary(binary_t& /*value*/) override { return false; }

  bool start_object(std::size_t /*size*/) override {
    return builder_->open(NodeKind::kMap, bracket());
  }
  bool start_array(std::size_t /*size*/) override {
    return builder_->open(NodeKind::kList, bracket());
  }
  bool key(string_t& value) override { return builder_->add_key(std::move(value), in_quotes()); }
  bool end_object() override {
    bracket();
    return builder_->close();
  }
  bool end_array() override {
    bracket();
    return builder_->close();
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*last_token*/,
                   const Json::exception& exception) override {
    constexpr int kNumberOverflow = 406;
    return builder_->refuse(
        find_json_mistake(text_, cursor_, *builder_, exception.id == kNumberOverflow));
  }

 private:
  Extent token(std::size_t end) {
    const Extent extent{begin_, std::min(end, text_.size())};
    cursor_ = extent.end;
    return extent;
  }
  std::size_t begin_token() {
    begin_ = std::min(text_.find_first_not_of(kJsonBetween, cursor_), text_.size());
    return begin_;
  }
  Extent word() { return token(text_.find_first_of(kJsonAfterWord, begin_token())); }
  Extent bracket() { return token(begin_token() + 1); }
  Extent in_quotes() {
    return token(end_of_json_text(text_, begin_token()).value_or(text_.size()));
  }
  // nlohmann reads the 0 of `0x10` and `01` as a number of its own and stops behind it.
  bool number() {
    const Extent extent = word();
    const std::string_view text = text_.substr(extent.begin, extent.end - extent.begin);
    if (!is_json_number(text)) return builder_->refuse(explain_json_word(text_, extent));
    return builder_->add_scalar(std::string(text), ScalarStyle::kNumber, extent);
  }

  std::string_view text_;
  TreeBuilder* builder_;
  std::size_t cursor_ = 0;  // Just past the last token.
  std::size_t begin_ = 0;
};

}  // namespace

Result<Document> parse_json(std::string file, std::string text, const Limits& limits) {
  if (auto error = refuse_unreadable(file, text, limits)) return *std::move(error);
  Document document{.file = std::move(file), .text = std::move(text)};
  document.lines = LineIndex(document.text);
  TreeBuilder builder(document.text, document.lines, limits);
  JsonEvents events(document.text, builder);
  const bool parsed = Json::sax_parse(document.text.begin(), document.text.end(), &events);
  if (!parsed && !builder.refusal()) builder.refuse({lf::kSyntax, {}, "this is not JSON", ""});
  if (const auto& refusal = builder.refusal()) {
    PositionCursor cursor(document.text, document.lines);
    return document.error(refusal->code, cursor.at(refusal->extent.begin, refusal->extent.end),
                          refusal->message, refusal->hint);
  }
  document.root = builder.take_root();
  return document;
}

}  // namespace loadfactor::config
