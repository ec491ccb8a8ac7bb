#include "report/explain/explain_words.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "report/describe/answers.h"
#include "report/explain/explanation.h"

namespace loadfactor::report {
namespace {

using engine::ExplainNode;
using engine::Operation;
using engine::Term;

// 12 GPUs at 2.5 each, of an option.
ExplainNode bill() {
  return node(Term::kRunCost, Operation::kProduct,
              {leaf(Term::kGpus, any(12.0), "limits.yaml:3"),
               leaf(Term::kRateOfOption, any(2.5), "prices:7", "spot")},
              "spot");
}

TEST(ExplainWordsTest, EveryTermHasAnIdAndANameOfItsOwn) {
  const ExplainWords words;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Term::kCount); ++i) {
    const auto term = static_cast<Term>(i);
    EXPECT_TRUE(ids.insert(std::string(id_of(term))).second) << id_of(term);
    EXPECT_FALSE(words.name_of(leaf(term, any(1.0), "x", "which")).empty()) << id_of(term);
  }
}

TEST(ExplainWordsTest, ANameSaysWhichOneItIs) {
  const ExplainWords words;
  for (const Term term : {Term::kPriceOf, Term::kRatingOf, Term::kStepPart, Term::kRunCost}) {
    const std::string name = words.name_of(leaf(term, any(1.0), "x", "dgx-h100"));
    EXPECT_NE(name.find("dgx-h100"), std::string::npos) << name;
    EXPECT_EQ(name.find("{}"), std::string::npos) << name;
  }
}

TEST(ExplainWordsTest, ATreeIsIdsValuesAndSources) {
  const Value tree = to_value(bill());
  EXPECT_EQ(*tree.find("id")->text(), "run-cost");
  EXPECT_EQ(*tree.find("op")->text(), "product");
  EXPECT_DOUBLE_EQ(std::get<double>(tree.find("value")->data), 30);
  const auto& children = *tree.find("children")->list();
  ASSERT_EQ(children.size(), 2U);
  EXPECT_EQ(*children[0].find("id")->text(), "gpus");
  EXPECT_EQ(*children[0].find("source")->text(), "limits.yaml:3");
  EXPECT_DOUBLE_EQ(std::get<double>(children[1].find("value")->data), 2.5);
}

TEST(ExplainWordsTest, TheLinesShowEveryValueAndSource) {
  const std::string text = explain_tree(bill());
  for (const char* part : {"30", "12", "2.5", "limits.yaml:3", "prices:7"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

TEST(ExplainWordsTest, AMisfitNamesTheMachine) {
  const std::string text = misfit_words({.gpus = 96, .accelerator = "h100-sxm"});
  EXPECT_NE(text.find("96"), std::string::npos);
  EXPECT_NE(text.find("h100-sxm"), std::string::npos);
}

}  // namespace
}  // namespace loadfactor::report
