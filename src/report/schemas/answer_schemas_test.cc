#include "report/schemas/answer_schemas.h"

#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace loadfactor::report {
namespace {

std::string file_text(const std::string& path) {
  std::ifstream file(std::string(LF_SOURCE_DIR) + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(AnswerSchemasTest, TheFilesAreThoseOfTheDescriptions) {
  for (const AnswerSchema& schema : answer_schemas()) {
    const std::string name(schema.name);
    EXPECT_EQ(file_text("data/schema/" + name + ".schema.json"), answer_schema_text(name))
        << "write it anew: loadfactor schema " << name;
  }
}

TEST(AnswerSchemasTest, ThePageIsThatOfTheDescriptions) {
  EXPECT_EQ(file_text("docs/answers.md"), answers_page())
      << "write it anew: loadfactor schema --fields > docs/answers.md";
}

// Visits every property of a schema.
void visit(const Value& part, const std::function<void(const std::string&, const Value&)>& call) {
  if (const auto* list = part.list())
    for (const Value& item : *list) visit(item, call);
  if (part.object() == nullptr) return;
  if (part.find("type") != nullptr && part.find("properties") != nullptr)
    for (const Member& member : *part.find("properties")->object()) call(member.key, member.value);
  for (const Member& member : *part.object()) visit(member.value, call);
}

TEST(AnswerSchemasTest, EveryFieldSaysWhatItMeansInWordsThatStandAlone) {
  for (const AnswerSchema& schema : answer_schemas()) {
    std::size_t fields = 0;
    visit(schema.answer, [&](const std::string& key, const Value& property) {
      ++fields;
      const Value* meaning = property.find("description");
      ASSERT_NE(meaning, nullptr) << schema.name << ": " << key;
      EXPECT_FALSE(meaning->text()->empty()) << schema.name << ": " << key;
      EXPECT_FALSE(meaning->text()->starts_with("Of ")) << schema.name << ": " << key;
    });
    EXPECT_GT(fields, 1U) << schema.name;
  }
}

TEST(AnswerSchemasTest, NoObjectHasAKeyTwice) {
  for (const AnswerSchema& schema : answer_schemas()) {
    const std::function<void(const Value&)> check = [&](const Value& part) {
      if (const auto* list = part.list())
        for (const Value& item : *list) check(item);
      if (part.object() == nullptr) return;
      std::set<std::string> keys;
      for (const Member& member : *part.object()) {
        EXPECT_TRUE(keys.insert(member.key).second) << schema.name << ": " << member.key;
        check(member.value);
      }
    };
    check(schema.answer);
  }
}

TEST(AnswerSchemasTest, ALayoutIsWrittenAlikeWhereverItStands) {
  const auto answer_of = [](std::string_view name) {
    for (const AnswerSchema& schema : answer_schemas())
      if (schema.name == name) return schema.answer;
    return Value();
  };
  const Value serve = *answer_of("serve").find("properties")->find("layout")->find("properties");
  const Value sizing = *answer_of("sizing")
                            .find("properties")
                            ->find("deployments")
                            ->find("items")
                            ->find("properties");
  for (const char* key : {"tp", "pp", "ep", "dp", "cp", "replicas", "gpus"}) {
    ASSERT_NE(serve.find(key), nullptr) << key;
    ASSERT_NE(sizing.find(key), nullptr) << key;
    EXPECT_EQ(*serve.find(key)->find("description")->text(),
              *sizing.find(key)->find("description")->text());
  }
}

TEST(AnswerSchemasTest, AnUnknownNameHasNoText) {
  EXPECT_EQ(answer_schema_text("no-such-answer"), "");
}

}  // namespace
}  // namespace loadfactor::report
