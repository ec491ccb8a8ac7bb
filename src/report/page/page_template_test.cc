#include "report/page/page_template.h"

#include <gtest/gtest.h>

namespace loadfactor::report {
namespace {

using Object = Value::Object;
using List = Value::List;

TEST(PageTemplate, EscapesWhatItShows) {
  EXPECT_EQ(fill_template("<b>{{a}}</b>", Object{{"a", "x < \"y\" & 'z'"}}),
            "<b>x &lt; &quot;y&quot; &amp; &#x27;z&#x27;</b>");
}

TEST(PageTemplate, ShowsNumbersWithoutTrailingZeros) {
  EXPECT_EQ(fill_template("{{a}} {{b}} {{c}}", Object{{"a", 12.50}, {"b", 3.0}, {"c", 7}}),
            "12.5 3 7");
}

TEST(PageTemplate, RepeatsASectionForEachRow) {
  const Value page = Object{{"rows", List{Object{{"n", "a"}}, Object{{"n", "b"}}}}};
  EXPECT_EQ(fill_template("[{{#rows}}<{{n}}>{{/rows}}]", page), "[<a><b>]");
}

TEST(PageTemplate, LeavesOutWhatIsNotThere) {
  const Value page =
      Object{{"off", false}, {"empty", ""}, {"none", Value()}, {"list", List{}}, {"on", true}};
  EXPECT_EQ(
      fill_template("{{#off}}1{{/off}}{{#empty}}2{{/empty}}{{#none}}3{{/none}}{{#list}}4"
                    "{{/list}}{{#gone}}5{{/gone}}{{#on}}6{{/on}}{{^off}}7{{/off}}{{^on}}8{{/on}}",
                    page),
      "67");
}

TEST(PageTemplate, LooksUpInTheObjectOfItsSectionAndOnePlaceUp) {
  const Value page =
      Object{{"kind", "own"}, {"bar", Object{{"width", 3}, {"in", Object{{"deep", "d"}}}}}};
  EXPECT_EQ(fill_template("{{#bar}}{{width}} {{../kind}} {{in.deep}}{{#in}} {{../../kind}}{{/in}}"
                          "{{/bar}} {{bar.in.deep}}",
                          page),
            "3 own d own d");
}

TEST(PageTemplate, KeepsSectionsInsideThoseThatAreLeftOutSilent) {
  const Value page = Object{{"a", false}, {"b", "text"}};
  EXPECT_EQ(fill_template("{{#a}}x{{#b}}y{{b}}{{/b}}z{{/a}}.{{#b}}{{b}}{{/b}}", page), ".text");
}

}  // namespace
}  // namespace loadfactor::report
