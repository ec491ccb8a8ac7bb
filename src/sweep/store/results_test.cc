// Results of sweeps: nothing finished is lost or doubled, nothing damaged is read.
#include "sweep/store/results.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error_codes.h"
#include "sweep/store/row_codec.h"

namespace loadfactor::sweep {
namespace {

namespace fs = std::filesystem;

Identity identity(const std::string& name = "x") {
  Identity out{.name = name, .digest = name + "-digest", .version = "1", .cases = 40};
  out.inputs = {{"sweep", "aa"}};
  out.columns = {{"gpus", ColumnKind::kAxis, "", "limits.gpus"},
                 {"cost", ColumnKind::kFigure, "USD", "options.0.cost"}};
  return out;
}

CaseRow row(std::int64_t number) {
  CaseRow out{.number = number};
  out.edits = "{\"limits.gpus\": \"8\"}";
  out.cells = {number * 8, 0.1 * static_cast<double>(number)};
  out.answer = "{\"answer\": " + std::to_string(number) + "}";
  if (number % 7 == 3) {
    out.status = CaseStatus::kError;
    out.code = 402;
    out.error = "no model 'y'";
    out.cells[1] = std::monostate();
  }
  return out;
}

class ResultsTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::vector<std::int64_t>& numbers,
             const Identity& of = identity()) const {
    auto results = Results::write_to(at(name), of);
    ASSERT_TRUE(results.has_value()) << results.error().message;
    for (const std::int64_t number : numbers)
      ASSERT_TRUE(results->add({{row(number), 0.5}}, false).has_value());
    ASSERT_TRUE(results->finish().has_value());
  }
  std::vector<CaseRow> rows(const std::string& name) const {
    std::vector<CaseRow> out;
    const auto results = Results::read_from(at(name));
    EXPECT_TRUE(results.has_value()) << results.error().message;
    if (!results) return out;
    const auto walked = results->for_each([&](const CaseRow& each) -> Result<bool> {
      out.push_back(each);
      return true;
    });
    EXPECT_TRUE(walked.has_value());
    return out;
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("lf-results-" + std::to_string(getpid()));
};

TEST_F(ResultsTest, RowsComeBackAsTheyWere) {
  write("a.sqlite", {5, 3, 4});
  EXPECT_EQ(rows("a.sqlite"), (std::vector<CaseRow>{row(3), row(4), row(5)}));
  EXPECT_FALSE(fs::exists(at("a.sqlite-wal")));
  EXPECT_FALSE(fs::exists(at("a.sqlite.lock")));
}

TEST_F(ResultsTest, ACaseIsNeverThereTwiceAndErrorsAreReplacedOnRequestOnly) {
  write("a.sqlite", {3, 3});
  auto results = Results::write_to(at("a.sqlite"), identity());
  ASSERT_TRUE(results.has_value());
  CaseRow better = row(3);
  better.status = CaseStatus::kAnswer;
  better.code = 0;
  ASSERT_TRUE(results->add({{better, 1.0}}, false).has_value());
  EXPECT_EQ(results->tally()->errors, 1);
  ASSERT_TRUE(results->add({{better, 1.0}}, true).has_value());
  EXPECT_EQ(results->tally()->errors, 0);
  EXPECT_EQ(results->tally()->done, 1);
}

TEST_F(ResultsTest, APartFromWhenAFileWasMissingIsSentBackToBeRunAgain) {
  Identity early = identity();
  early.digest = "early";
  early.inputs.emplace_back("trace.csv", kMissingInput);
  Identity now = identity();
  now.inputs.emplace_back("trace.csv", "bb");
  write("early.sqlite", {1}, early);
  write("now.sqlite", {2}, now);
  for (const auto& parts : {std::vector{at("early.sqlite"), at("now.sqlite")},
                            std::vector{at("now.sqlite"), at("early.sqlite")}}) {
    const auto merged = merge(parts, at("all.sqlite"));
    ASSERT_FALSE(merged.has_value());
    EXPECT_EQ(merged.error().code, lf::kWrongSchema);
    EXPECT_NE(merged.error().message.find("early.sqlite"), std::string::npos);
    EXPECT_NE(merged.error().hint.find("--retry-failed"), std::string::npos);
  }
}

TEST_F(ResultsTest, OneProcessWritesAtATimeAndAnotherMayRead) {
  auto first = Results::write_to(at("a.sqlite"), identity());
  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(first->add({{row(1), 0.0}}, false).has_value());
  const auto second = Results::write_to(at("a.sqlite"), identity());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, lf::kCannotWrite);
  EXPECT_EQ(rows("a.sqlite").size(), 1U);
}

TEST_F(ResultsTest, AReaderDoesNotKeepAWriterFromItsEnd) {
  auto writer = Results::write_to(at("a.sqlite"), identity());
  ASSERT_TRUE(writer.has_value());
  ASSERT_TRUE(writer->add({{row(1), 0.0}, {row(2), 0.0}}, false).has_value());
  const auto reader = Results::read_from(at("a.sqlite"));
  ASSERT_TRUE(reader.has_value());
  const auto walked = reader->for_each([&](const CaseRow&) -> Result<bool> {
    EXPECT_TRUE(writer->finish().has_value());
    return true;
  });
  EXPECT_TRUE(walked.has_value());
}

TEST_F(ResultsTest, ResultsOfAnotherSweepAreRefusedByName) {
  write("a.sqlite", {1});
  const auto other = Results::write_to(at("a.sqlite"), identity("y"));
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, lf::kWrongSchema);
  EXPECT_NE(other.error().message.find("'x'"), std::string::npos);
}

TEST_F(ResultsTest, WhatIsReportedMayChangeAfterwards) {
  write("a.sqlite", {1, 2});
  Identity asked = identity();
  asked.remarks = {{"most", asked.columns.back().name}};
  write("a.sqlite", {}, asked);
  const auto results = Results::read_from(at("a.sqlite"));
  ASSERT_TRUE(results.has_value());
  EXPECT_EQ(results->identity().remarks, asked.remarks);
  EXPECT_EQ(rows("a.sqlite").size(), 2U);
}

TEST_F(ResultsTest, ALinkToTheResultsTakesTheSameLock) {
  write("a.sqlite", {1});
  fs::create_symlink(at("a.sqlite"), at("link.sqlite"));
  const auto first = Results::write_to(at("a.sqlite"), identity());
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(Results::write_to(at("link.sqlite"), identity()).has_value());
}

TEST_F(ResultsTest, AFolderIsNoFileToMergeInto) {
  write("a.sqlite", {1});
  fs::create_directories(at("folder"));
  const auto merged = merge({at("a.sqlite")}, at("folder"));
  ASSERT_FALSE(merged.has_value());
  EXPECT_EQ(merged.error().code, lf::kCannotWrite);
  EXPECT_NE(merged.error().message.find("is a folder"), std::string::npos);
}

TEST_F(ResultsTest, MergingIsAssociativeCommutativeAndIdempotent) {
  std::vector<std::string> parts;
  std::vector<CaseRow> all;
  for (std::int64_t number = 0; number < 40; ++number) all.push_back(row(number));
  for (int shard = 0; shard < 8; ++shard) {
    std::vector<std::int64_t> numbers;
    for (std::int64_t number = shard; number < 40; number += 8) numbers.push_back(number);
    parts.push_back("part" + std::to_string(shard) + ".sqlite");
    write(parts.back(), numbers);
    parts.back() = at(parts.back());
  }
  std::mt19937 shuffle(1);
  for (int round = 0; round < 3; ++round) {
    std::shuffle(parts.begin(), parts.end(), shuffle);
    const std::string name = "all" + std::to_string(round);
    const std::vector<std::string> left(parts.begin(), parts.begin() + 3);
    ASSERT_TRUE(merge(left, at("left")).has_value());
    std::vector<std::string> rest(parts.begin() + 3, parts.end());
    rest.push_back(at("left"));
    rest.push_back(parts.front());  // Once more.
    const auto merged = merge(rest, at(name));
    ASSERT_TRUE(merged.has_value()) << merged.error().message;
    EXPECT_EQ(rows(name), all);
    ASSERT_TRUE(merge(parts, at(name)).has_value());
    EXPECT_EQ(rows(name), all);
    fs::remove(at("left"));
  }
}

// Parts whose sweep was reported in other ways, and errors that differ, with an answer among them.
TEST_F(ResultsTest, WhatIsMergedDoesNotDependOnTheOrderOfTheParts) {
  Identity least = identity();
  least.remarks = {{"least", "cost"}};
  Identity most = identity();
  most.remarks = {{"most", "cost"}};
  write("a.sqlite", {1, 3}, least);
  write("b.sqlite", {2}, most);
  write("c.sqlite", {4});
  {
    auto other = Results::write_to(at("b.sqlite"), most);
    ASSERT_TRUE(other.has_value());
    CaseRow failed = row(3);
    failed.error = "another reason";
    CaseRow failed_too = row(10);
    failed_too.error = "another reason";
    ASSERT_TRUE(other->add({{failed, 2.0}, {failed_too, 0.0}}, false).has_value());
    ASSERT_TRUE(other->finish().has_value());
    auto third = Results::write_to(at("c.sqlite"), identity());
    ASSERT_TRUE(third.has_value());
    CaseRow answer = row(10);
    answer.status = CaseStatus::kAnswer;
    ASSERT_TRUE(third->add({{answer, 1.0}}, false).has_value());
    ASSERT_TRUE(third->finish().has_value());
  }
  write("a.sqlite", {10}, least);
  std::vector<std::string> parts{at("a.sqlite"), at("b.sqlite"), at("c.sqlite")};
  std::vector<CaseRow> first;
  do {
    fs::remove(at("two"));
    fs::remove(at("all"));
    ASSERT_TRUE(merge({parts[0], parts[1]}, at("two")).has_value());
    const auto merged = merge({parts[2], at("two")}, at("all"));
    ASSERT_TRUE(merged.has_value()) << merged.error().message;
    EXPECT_EQ(Results::read_from(at("all"))->identity().remarks, most.remarks);
    EXPECT_DOUBLE_EQ(merged->cpu_s, 0.5 + 0.5 + 2.0 + 0.5 + 1.0);
    if (first.empty()) first = rows("all");
    EXPECT_EQ(rows("all"), first);
  } while (std::next_permutation(parts.begin(), parts.end()));
  ASSERT_EQ(first.size(), 5U);
  EXPECT_EQ(first[2].error, "another reason");
  EXPECT_EQ(first[4].status, CaseStatus::kAnswer);
}

TEST_F(ResultsTest, NothingIsMergedIntoAFileThatASweepWrites) {
  auto part = Results::write_to(at("part.sqlite"), identity());
  ASSERT_TRUE(part.has_value());
  ASSERT_TRUE(part->add({{row(2), 0.0}}, false).has_value());
  auto whole = Results::write_to(at("whole.sqlite"), identity());
  ASSERT_TRUE(whole.has_value());
  ASSERT_TRUE(whole->add({{row(1), 0.0}}, false).has_value());
  const auto merged = merge({at("part.sqlite")}, at("whole.sqlite"));
  ASSERT_FALSE(merged.has_value());
  EXPECT_EQ(merged.error().code, lf::kCannotWrite);
  EXPECT_TRUE(whole->add({{row(3), 0.0}}, false).has_value());
  EXPECT_EQ(rows("whole.sqlite").size(), 2U);
}

TEST_F(ResultsTest, AnExportedRowIsOneLineWithItsAnswer) {
  auto results = Results::write_to(at("a.sqlite"), identity());
  ASSERT_TRUE(results.has_value());
  CaseRow with_answer = row(1);
  with_answer.answer = "{\n  \"a\": \"b  c\",\n  \"d\": [\n    1\n  ]\n}";
  ASSERT_TRUE(results->add({{with_answer, 0.0}}, false).has_value());
  std::string text;
  ASSERT_TRUE(export_rows(*results, ExportFormat::kJsonLines, [&](const std::string& line) {
                text += line;
                return true;
              }).has_value());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_NE(text.find("{\"a\": \"b  c\",\"d\": [1]}"), std::string::npos) << text;
}

TEST_F(ResultsTest, AnExportedRowSaysWhyItHasNoAnswerWithACodeOrWithout) {
  auto results = Results::write_to(at("a.sqlite"), identity());
  ASSERT_TRUE(results.has_value());
  CaseRow refused = row(1);
  refused.status = CaseStatus::kInfeasible;
  refused.error = "MISSES the budget";
  ASSERT_TRUE(results->add({{refused, 0.0}}, false).has_value());
  for (const ExportFormat format : {ExportFormat::kJsonLines, ExportFormat::kCsv}) {
    std::string text;
    ASSERT_TRUE(export_rows(*results, format, [&](const std::string& line) {
                  text += line;
                  return true;
                }).has_value());
    EXPECT_NE(text.find("MISSES the budget"), std::string::npos) << text;
  }
}

TEST_F(ResultsTest, PartsOfDifferentSweepsAndContradictionsAreRefused) {
  write("a.sqlite", {1});
  write("b.sqlite", {2}, identity("y"));
  const auto mixed = merge({at("a.sqlite"), at("b.sqlite")}, at("all"));
  ASSERT_FALSE(mixed.has_value());
  EXPECT_NE(mixed.error().message.find("'y'"), std::string::npos);
  EXPECT_FALSE(fs::exists(at("all")));
  auto changed = Results::write_to(at("c.sqlite"), identity());
  ASSERT_TRUE(changed.has_value());
  CaseRow other = row(1);
  other.cells[1] = 99.0;
  ASSERT_TRUE(changed->add({{other, 0.0}}, false).has_value());
  ASSERT_TRUE(changed->finish().has_value());
  EXPECT_EQ(merge({at("a.sqlite"), at("c.sqlite")}, at("all")).error().code,
            lf::kContradictoryKeys);
}

// A child adds rows one by one and is killed at a random moment; what it had told us stays.
TEST_F(ResultsTest, KillNineLosesNothingThatWasCommitted) {
  std::mt19937 random(7);
  std::int64_t committed = 0;
  for (int round = 0; round < 10; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto results = Results::write_to(at("k.sqlite"), identity());
      if (!results) _exit(1);
      for (std::int64_t number = committed;; ++number) {
        if (!results->add({{row(number), 0.0}}, false)) _exit(2);
        if (::write(pipe_ends[1], &number, sizeof number) != sizeof number) _exit(3);
      }
    }
    close(pipe_ends[1]);
    std::int64_t number = -1;
    std::int64_t told = committed - 1;
    const auto least = static_cast<std::int64_t>(random() % 20);
    while (read(pipe_ends[0], &number, sizeof number) == sizeof number) {
      told = number;
      if (number - committed >= least) {
        kill(child, SIGKILL);
      }
    }
    close(pipe_ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    const auto found = rows("k.sqlite");
    ASSERT_GE(static_cast<std::int64_t>(found.size()), told + 1);
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(found[i], row(static_cast<std::int64_t>(i)));
    committed = static_cast<std::int64_t>(found.size());
  }
}

// Any byte of a file may be wrong: it is refused, or every row that is read is right.
TEST_F(ResultsTest, DamagedFilesAreRefusedOrRight) {
  write("a.sqlite", {0, 1, 2, 3, 4, 5});
  std::ifstream file(at("a.sqlite"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::mt19937 random(3);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    std::string damaged = bytes;
    if (round % 5 == 0) damaged.resize(random() % damaged.size());
    for (int i = 0; i < 3 && !damaged.empty(); ++i)
      damaged[random() % damaged.size()] ^= static_cast<char>(1U << (random() % 8));
    std::ofstream(at("d.sqlite"), std::ios::binary) << damaged;
    fs::remove(at("all"));
    const auto merged = merge({at("d.sqlite")}, at("all"));
    if (!merged) {
      ++refused;
      continue;
    }
    for (const CaseRow& each : rows("all")) ASSERT_EQ(each, row(each.number));
  }
  EXPECT_GT(refused, 30);
}

// A row that was changed behind our back is no finished case, whatever was changed.
TEST_F(ResultsTest, AChangedRowIsDamagedAndItsCaseOpenAgain) {
  for (const char* change :
       {"cost=0.25", "gpus=gpus+1", "cost=CAST(cost AS TEXT)", "status='error'", "status='done'",
        "code=7", "error='x'", "edits='{}'", "answer=NULL", "answer=x'00'", "checksum='0'"}) {
    write("a.sqlite", {1, 3, 4});
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(at("a.sqlite").c_str(), &raw), SQLITE_OK);
    const std::string sql = std::string("UPDATE cases SET ") + change + " WHERE case_number=4";
    ASSERT_EQ(sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    sqlite3_close(raw);
    {
      auto results = Results::write_to(at("a.sqlite"), identity());
      ASSERT_TRUE(results.has_value());
      const auto census = results->census();
      ASSERT_TRUE(census.has_value());
      EXPECT_EQ(census->done, (std::vector<std::int64_t>{1, 3})) << change;
      EXPECT_EQ(census->errors, std::vector<std::int64_t>{3}) << change;
      EXPECT_EQ(census->damaged, std::vector<std::int64_t>{4}) << change;
      EXPECT_EQ(census->tally.done, 2) << change;
      EXPECT_EQ(merge({at("a.sqlite")}, at("all")).error().code, lf::kChecksumMismatch) << change;
      ASSERT_TRUE(results->remove(census->damaged).has_value());
      ASSERT_TRUE(results->add({{row(4), 0.5}}, false).has_value());
      ASSERT_TRUE(results->finish().has_value());
    }
    EXPECT_EQ(rows("a.sqlite"), (std::vector<CaseRow>{row(1), row(3), row(4)})) << change;
    fs::remove(at("a.sqlite"));
  }
}

// Both rows are whole, and a search by number finds neither: their page is the damage.
TEST_F(ResultsTest, RowsInTheWrongPlaceAreRefusedByWhoGoesOn) {
  write("a.sqlite", {1, 2});
  sqlite3* raw = nullptr;
  sqlite3_stmt* root = nullptr;
  ASSERT_EQ(sqlite3_open(at("a.sqlite").c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_prepare_v2(raw, "SELECT rootpage FROM sqlite_schema WHERE name='cases'", -1,
                               &root, nullptr),
            SQLITE_OK);
  ASSERT_EQ(sqlite3_step(root), SQLITE_ROW);
  constexpr int kPage = 4096, kHeader = 8, kPointer = 2;
  const int pointers = (sqlite3_column_int(root, 0) - 1) * kPage + kHeader;
  sqlite3_finalize(root);
  sqlite3_close(raw);
  std::fstream file(at("a.sqlite"), std::ios::binary | std::ios::in | std::ios::out);
  std::string two(2 * kPointer, '\0');
  file.seekg(pointers).read(two.data(), 2 * kPointer);
  std::rotate(two.begin(), two.begin() + kPointer, two.end());
  file.seekp(pointers).write(two.data(), 2 * kPointer);
  file.close();
  const auto results = Results::write_to(at("a.sqlite"), identity());
  ASSERT_TRUE(results.has_value());
  const auto census = results->census();
  ASSERT_FALSE(census.has_value());
  EXPECT_EQ(census.error().code, lf::kChecksumMismatch);
}

TEST(RowCodec, PacksAndUnpacksAndRefusesBrokenBytes) {
  const std::string bytes = packed(row(3), 0.25);
  const auto back = unpacked(bytes);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->first, row(3));
  EXPECT_EQ(back->second, 0.25);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(unpacked(bytes.substr(0, size)).has_value());
  const std::string text(100'000, 'x');
  EXPECT_EQ(inflated(deflated(text)), text);
  EXPECT_FALSE(inflated("no zlib").has_value());
}

}  // namespace
}  // namespace loadfactor::sweep
