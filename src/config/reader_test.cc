#include "config/reader.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/magnitudes.h"

namespace loadfactor::config {
namespace {

enum class Colour : std::uint8_t { kRed, kGreen };
constexpr std::array kColours{Word<Colour>{"red", Colour::kRed},
                              Word<Colour>{"green", Colour::kGreen}};

// Reads a text with `read` and returns what was reported.
Diagnostics read_with(const std::string& text, const std::function<void(MapReader&)>& read) {
  Diagnostics diagnostics;
  const auto document = text.starts_with('{') ? parse_json("t", text) : parse_yaml("t", text);
  EXPECT_TRUE(document.has_value()) << text;
  if (!document) return diagnostics;
  MapReader reader(*document, document->root, "entry", diagnostics);
  read(reader);
  return diagnostics;
}

// The only error, as "line:column+length LFcode".
std::string only_error(const Diagnostics& diagnostics) {
  if (diagnostics.size() != 1) return std::to_string(diagnostics.size()) + " errors";
  const Error& error = diagnostics.errors()[0];
  return std::to_string(error.where.line) + ":" + std::to_string(error.where.column) + "+" +
         std::to_string(error.where.length) + " LF" + std::to_string(error.code);
}

TEST(MapReaderTest, ReadsEveryKindOfValue) {
  const auto diagnostics = read_with(
      "name: a\nlayers: 32\ntied: false\nshare: 10 %\nparams: 8.03 B\nmemory: 80 GB\n"
      "colour: green\nsince: 2024-05\nlist: [x, y]\none: z\nsizes: [1, 1e3]\nsub: {a: 1}\n",
      [](MapReader& reader) {
        EXPECT_EQ(reader.text("name"), "a");
        EXPECT_EQ(reader.integer("layers"), 32);
        EXPECT_FALSE(reader.boolean("tied"));
        EXPECT_DOUBLE_EQ(reader.ratio("share"), 0.1);
        EXPECT_DOUBLE_EQ(reader.count("params"), 8.03e9);
        EXPECT_EQ(reader.quantity<Bytes>("memory"), Bytes::from_base(80e9));
        EXPECT_EQ(reader.word<Colour>("colour", kColours, Colour::kRed), Colour::kGreen);
        EXPECT_EQ(reader.date("since"), "2024-05");
        EXPECT_EQ(reader.texts("list"), (std::vector<std::string>{"x", "y"}));
        EXPECT_EQ(reader.texts("one"), std::vector<std::string>{"z"});
        EXPECT_EQ(reader.integers("sizes"), (std::vector<std::int64_t>{1, 1000}));
        auto sub = reader.map("sub");
        ASSERT_TRUE(sub.has_value());
        EXPECT_EQ(sub->integer("a"), 1);
        sub->finish();
        reader.finish();
      });
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
}

TEST(MapReaderTest, AbsentAndEmptyValuesAreNothingWhereTheyAreOptional) {
  const auto diagnostics = read_with("a:\n", [](MapReader& reader) {
    EXPECT_FALSE(reader.has("a"));
    EXPECT_FALSE(reader.maybe_text("a").has_value());
    EXPECT_FALSE(reader.maybe_integer("b").has_value());
    EXPECT_FALSE(reader.maybe_quantity<Bytes>("c").has_value());
    EXPECT_FALSE(reader.maybe_word<Colour>("d", kColours).has_value());
    EXPECT_FALSE(reader.map("e", false).has_value());
    EXPECT_TRUE(reader.texts("f").empty());
    reader.finish();
  });
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
}

TEST(MapReaderTest, ReportsAllErrorsOfAMapAtOnce) {
  const auto diagnostics =
      read_with("name: a\nname: b\nlayres: 3\nmemory: 80\n", [](MapReader& reader) {
        reader.text("name");
        reader.integer("layers");
        reader.quantity<Bytes>("memory");
        reader.finish();
      });
  ASSERT_EQ(diagnostics.size(), 4U) << render(diagnostics);
  EXPECT_EQ(diagnostics.errors()[0].code, lf::kDuplicateKey);
  EXPECT_EQ(diagnostics.errors()[0].where.line, 2U);
  EXPECT_EQ(diagnostics.errors()[1].code, lf::kMissingKey);
  EXPECT_EQ(diagnostics.errors()[2].code, lf::kMissingUnit);
  EXPECT_EQ(diagnostics.errors()[3].code, lf::kUnknownKey);
  EXPECT_NE(diagnostics.errors()[3].hint.find("'layers'"), std::string::npos);
}

TEST(MapReaderTest, PointsAtTheUnitInsideTheValue) {
  const auto read = [](MapReader& reader) { reader.quantity<Bytes>("é"); };
  EXPECT_EQ(only_error(read_with("é: 80 GX\n", read)), "1:7+2 LF203");
  EXPECT_EQ(only_error(read_with("é: \"80 GX\"\n", read)), "1:8+2 LF203");
  EXPECT_EQ(only_error(read_with("{\"é\": \"80 GX\"}", read)), "1:11+2 LF203");
  // An escape moves the characters, so the whole value is marked.
  EXPECT_EQ(only_error(read_with("é: \"80\\x20GX\"\n", read)), "1:4+10 LF203");
}

TEST(MapReaderTest, SeparatesWrongSignFromWrongRangeFromAbsurd) {
  const auto read = [](MapReader& reader) { reader.quantity<Bytes>("a", magnitude::kChipMemory); };
  EXPECT_EQ(only_error(read_with("a: -80 GB\n", read)), "1:4+6 LF207");
  EXPECT_EQ(only_error(read_with("a: 0 GB\n", read)), "1:4+4 LF207");
  EXPECT_EQ(only_error(read_with("a: 80 PB\n", read)), "1:4+5 LF205");
  EXPECT_EQ(only_error(read_with("a: 80 kB\n", read)), "1:4+5 LF205");
  EXPECT_EQ(only_error(read_with("a: 80 GB\n", read)), "0 errors");
  const auto share = [](MapReader& reader) { reader.ratio("a"); };
  EXPECT_EQ(only_error(read_with("a: 1.2\n", share)), "1:4+3 LF207");
  const auto layers = [](MapReader& reader) { reader.integer("a", {1, 1000}); };
  EXPECT_EQ(only_error(read_with("a: 0\n", layers)), "1:4+1 LF207");
  EXPECT_EQ(only_error(read_with("a: 1001\n", layers)), "1:4+4 LF207");
}

TEST(MapReaderTest, NamesTheSlipThatWasProbablyMade) {
  const auto hint = [](const std::string& text, const std::function<void(MapReader&)>& read) {
    const auto diagnostics = read_with(text, read);
    return diagnostics.size() == 1 ? diagnostics.errors()[0].hint : "";
  };
  const auto latency = [](MapReader& r) { r.quantity<Seconds>("a", magnitude::kTimeToFirstToken); };
  EXPECT_EQ(hint("a: 5000 s\n", latency), "did you mean '5000 ms'?");
  EXPECT_EQ(hint("a: 50 us\n", latency), "did you mean '50 ms'?");
  const auto memory = [](MapReader& r) { r.quantity<Bytes>("a", magnitude::kChipMemory); };
  EXPECT_EQ(hint("a: 80 PB\n", memory), magnitude::kChipMemory.hint);  // 80 TB is no better.
  EXPECT_EQ(hint("a: 8 PB\n", memory), "did you mean '8 TB'?");
  EXPECT_NE(hint("a: 80 Gb\n", memory).find("'GB', not 'Gb'"), std::string::npos);
  EXPECT_NE(hint("a: 80 Gbit\n", memory).find("'GB', not 'Gb'"), std::string::npos);
  const auto link = [](MapReader& r) { r.quantity<BytesPerSecond>("a", magnitude::kBandwidth); };
  EXPECT_EQ(hint("a: 400 Gb/s\n", link), "");  // Links are sold in bits.
  const auto spread = [](MapReader& reader) { reader.count("a", {0, 3, false, "a deviation"}); };
  EXPECT_EQ(hint("a: 80 %\n", spread), "write 0.8, without the percent sign: a deviation");
  EXPECT_EQ(hint("a: 500 %\n", spread), "a deviation");
}

TEST(MapReaderTest, TakesNoQuotedNumberAndNoOtherWordForTrue) {
  const auto integer = [](MapReader& reader) { reader.integer("a"); };
  EXPECT_EQ(only_error(read_with("a: \"8\"\n", integer)), "1:4+3 LF505");
  EXPECT_EQ(only_error(read_with("{\"a\": \"8\"}", integer)), "1:7+3 LF505");
  EXPECT_EQ(only_error(read_with("a: true\n", integer)), "1:4+4 LF505");
  EXPECT_EQ(only_error(read_with("a: 010\n", integer)), "1:4+3 LF208");
  const auto ratio = [](MapReader& reader) { reader.ratio("a"); };
  EXPECT_EQ(only_error(read_with("a: \"0.5\"\n", ratio)), "1:4+5 LF505");
  EXPECT_EQ(only_error(read_with("{\"a\": \"10 %\"}", ratio)), "0 errors");
  const auto boolean = [](MapReader& reader) { reader.boolean("a"); };
  for (const std::string word : {"yes", "no", "on", "off", "True", "1", "\"true\""})
    EXPECT_EQ(read_with("a: " + word + "\n", boolean).errors().at(0).code, lf::kWrongType) << word;
}

TEST(MapReaderTest, ReportsWrongTypes) {
  const auto text = [](MapReader& reader) { reader.text("a"); };
  EXPECT_EQ(only_error(read_with("a: [1]\n", text)), "1:4+1 LF505");
  EXPECT_EQ(only_error(read_with("a: true\n", text)), "1:4+4 LF505");
  EXPECT_EQ(only_error(read_with("{\"a\": 5}", text)), "1:7+1 LF505");
  EXPECT_EQ(only_error(read_with("a: ''\n", text)), "1:4+2 LF505");
  EXPECT_EQ(only_error(read_with("a: 5\n", text)), "0 errors");  // A YAML word may look like it.
  EXPECT_EQ(only_error(read_with("a: \"\\x01\"\n", text)), "1:4+6 LF509");
  const auto map = [](MapReader& reader) { reader.map("a"); };
  EXPECT_EQ(only_error(read_with("a: 5\n", map)), "1:4+1 LF505");
  const auto word = [](MapReader& r) { r.word<Colour>("a", kColours, Colour::kRed); };
  EXPECT_EQ(only_error(read_with("a: gren\n", word)), "1:4+4 LF506");
  const auto date = [](MapReader& reader) { reader.date("a"); };
  EXPECT_EQ(only_error(read_with("a: 2023-02-30\n", date)), "1:4+10 LF510");
}

TEST(MapReaderTest, ErrorsSayWhatWasFoundAndWhatIsAllowed) {
  const auto message = [](const std::string& text, const std::function<void(MapReader&)>& read) {
    const auto diagnostics = read_with(text, read);
    return diagnostics.size() == 1 ? diagnostics.errors()[0].message : "";
  };
  EXPECT_EQ(message("a: true\n", [](MapReader& reader) { reader.text("a"); }),
            "'a' must be a text, not true or false");
  const Range derived{.low = 1.0 / 7, .high = 1e9, .physical = true, .hint = ""};
  EXPECT_EQ(message("a: 0.1\n", [&](MapReader& reader) { reader.count("a", derived); }),
            "'a' is 0.1, outside of what exists (0.143 to 1e+09)");
}

TEST(MapReaderTest, AThingThatIsNoMapIsReportedOnce) {
  const auto diagnostics = read_with("- a\n", [](MapReader& reader) {
    reader.text("name");
    reader.integer("layers");
    reader.finish();
  });
  EXPECT_EQ(only_error(diagnostics), "1:1+1 LF505");
}

TEST(MapReaderTest, ReadsListsOfMaps) {
  const auto diagnostics = read_with("a: [{n: 1}, {n: 2}, 3]\n", [](MapReader& reader) {
    std::vector<std::int64_t> numbers;
    for (MapReader& item : reader.maps("a")) numbers.push_back(item.integer("n"));
    EXPECT_EQ(numbers, (std::vector<std::int64_t>{1, 2}));
  });
  EXPECT_EQ(only_error(diagnostics), "1:21+1 LF505");
}

TEST(MapReaderTest, StopsListingErrorsWhenTheFileIsWrongAsAWhole) {
  std::string text = "a: [";
  for (int i = 0; i < 1000; ++i) text += "x, ";
  const auto diagnostics =
      read_with(text + "x]\n", [](MapReader& reader) { reader.integers("a"); });
  ASSERT_EQ(diagnostics.size(), kMostErrors);
  EXPECT_EQ(diagnostics.errors().back().notes.back(), "further errors are not shown");
}

}  // namespace
}  // namespace loadfactor::config
