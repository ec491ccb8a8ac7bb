// Every claim of known truth: the impossible ones are found out, the real ones are not doubted.
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "config/csv.h"
#include "engine/audit/audit.h"

namespace loadfactor {
namespace {

using audit::Verdict;

const std::string kFolder = std::string(LF_SOURCE_DIR) + "/tests/audit/";

std::string text_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Whether each claim is impossible.
std::map<std::string, bool> truths() {
  Diagnostics diagnostics;
  const auto table = config::parse_csv("truth.csv", text_of(kFolder + "truth.csv"), diagnostics);
  std::map<std::string, bool> all;
  if (!table) return all;
  const auto name = table->column("name");
  const auto kind = table->column("kind");
  if (!name || !kind) return all;
  for (const auto& row : table->rows) all[row[*name].text] = row[*kind].text == "impossible";
  return all;
}

struct Score {
  int impossible = 0;
  int caught = 0;
  int real = 0;
  int doubted = 0;
};

class Claims : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    Diagnostics diagnostics;
    core_ = engine::Core::create({}, diagnostics);
  }
  static void TearDownTestSuite() { core_.reset(); }

  static audit::AuditedClaim audited(const std::string& name) {
    Diagnostics diagnostics;
    const std::string file = name + ".yaml";
    auto answer = engine::audit_claims(
        *core_, {.file = file, .text = text_of(kFolder + "claims/" + file)}, diagnostics);
    EXPECT_TRUE(answer && answer->claims.size() == 1) << file << render(diagnostics);
    return answer && !answer->claims.empty() ? answer->claims.front() : audit::AuditedClaim{};
  }

  static std::string broken(const audit::AuditedClaim& claim) {
    std::string text = claim.name + ":";
    for (const auto& finding : claim.findings) {
      if (finding.verdict == Verdict::kInconsistent)
        text += " " + std::string(id_of(finding.check)) + " " + std::to_string(finding.ratio);
    }
    return text;
  }

  static std::unique_ptr<engine::Core> core_;
};
std::unique_ptr<engine::Core> Claims::core_;

TEST_F(Claims, TheImpossibleAreFoundOutAndTheRealAreNotDoubted) {
  Score score;
  for (const auto& [name, impossible] : truths()) {
    const auto claim = audited(name);
    const bool inconsistent = claim.verdict == Verdict::kInconsistent;
    EXPECT_EQ(inconsistent, impossible) << broken(claim);
    ++(impossible ? score.impossible : score.real);
    if (inconsistent) ++(impossible ? score.caught : score.doubted);
  }
  EXPECT_EQ(score.impossible, 112);
  EXPECT_EQ(score.caught, 112);
  EXPECT_EQ(score.real, 93);
  EXPECT_EQ(score.doubted, 0);
}

}  // namespace
}  // namespace loadfactor
