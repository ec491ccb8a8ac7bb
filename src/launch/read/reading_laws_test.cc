// Laws of reading: no flag that changes memory or speed is dropped without a word, and the order of
// servers changes nothing.
#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/csv.h"
#include "launch/read/launch_reading.h"
#include "launch/vocabulary/program.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

Names any_names() {
  Names names;
  names.model = [](const std::string& name) { return name; };
  names.accelerator = [](const std::string& name) { return name; };
  names.is_format = [](const std::string&, bool) { return true; };
  names.layers_of = [](const std::string&) { return std::int64_t{0}; };
  names.model_of = [](const auto&) { return std::string(); };
  return names;
}

// What a reading says without its remarks, which are beside it; nothing where it is refused.
struct Said {
  bool is_refused = false;
  std::string values;
  std::string remarks;
};

Said said_of(const std::string& name, const std::string& text) {
  Diagnostics diagnostics;
  const auto reading = read_launch({{name, text}}, any_names(), diagnostics);
  if (!reading) return {.is_refused = true};
  Said said;
  std::istringstream lines(reading->scenario);
  std::string beside;
  for (const std::string& remark : reading->remarks) beside += "# " + remark + "\n";
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(kFlagsMark))
      continue;  // All flags as they run, for patches: it tells nothing of the prediction.
    else if (beside.find(line + "\n") == std::string::npos || !line.starts_with("# "))
      said.values += line + "\n";
  said.remarks = beside;
  return said;
}

// Without dashes, and with one spelling of the rest.
std::string plain(std::string name) {
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Another value than that which a flag has where nothing is said.
std::string other_value(const Flag& flag) {
  for (const std::string& choice : flag.choices)
    if (choice != flag.otherwise && !choice.empty()) return choice;
  if (flag.otherwise == "false" || flag.otherwise == "true")
    return flag.otherwise == "true" ? "false" : "true";
  switch (flag.kind) {
    case FlagKind::kSwitch:
    case FlagKind::kToggle:
    case FlagKind::kBoolean:
      return flag.otherwise == "true" || flag.otherwise == "True" ? "false" : "true";
    case FlagKind::kInteger:
    case FlagKind::kSize:
      return flag.otherwise == "2" ? "4" : "2";
    case FlagKind::kNumber:
      return flag.otherwise == "0.5" ? "0.25" : "0.5";
    case FlagKind::kJson:
      return "'{\"made\": \"up\"}'";
    default:
      return "madeup";
  }
}

// Whether what a flag adds to a file is told: another scenario, a remark that names it, or a
// refusal.
bool tells(const std::string& flag, const Said& before, const Said& with) {
  if (with.is_refused || with.values != before.values) return true;
  std::string remarks = with.remarks;
  std::replace(remarks.begin(), remarks.end(), '-', '_');
  return remarks.find(plain(flag)) != std::string::npos;
}

// A command with flags that others need beside them.
struct Base {
  std::string start;
  std::vector<std::pair<std::string, std::string>> flags = {};

  // The command without a flag, and with more behind it.
  std::string without(const std::string& name, const std::string& more) const {
    std::string text = start;
    for (const auto& [flag, value] : flags)
      if (flag != name) text += " " + flag + (value.empty() ? "" : " " + value);
    return text + more + "\n";
  }
};

struct ProgramRow {
  std::string program;
  std::vector<Base> bases;
};

std::vector<ProgramRow> programs() {
  const std::string megatron = "torchrun --nproc-per-node 8 pretrain_gpt.py";
  const std::vector<std::pair<std::string, std::string>> batch{{"--micro-batch-size", "1"},
                                                               {"--global-batch-size", "64"}};
  auto shape = batch;
  for (const auto& [flag, value] :
       {std::pair("--num-layers", "32"), std::pair("--hidden-size", "4096"),
        std::pair("--num-attention-heads", "32"), std::pair("--seq-length", "4096"),
        std::pair("--pipeline-model-parallel-size", "4")})
    shape.emplace_back(flag, value);
  auto experts = shape;
  for (const auto& [flag, value] :
       {std::pair("--vocab-size", "128000"), std::pair("--num-experts", "8"),
        std::pair("--multi-latent-attention", ""), std::pair("--kv-lora-rank", "512"),
        std::pair("--fp8-format", "hybrid"), std::pair("--use-megatron-fsdp", "")})
    experts.emplace_back(flag, value);
  const std::string titan = "torchrun --nproc-per-node 8 -m torchtitan.train";
  return {{"vllm", {{"vllm serve a/b"}}},
          {"sglang",
           {{"python3 -m sglang.launch_server --model-path a/b"},
            {"python3 -m sglang.launch_server --model-path a/b",
             {{"--tp-size", "4"}, {"--dp-size", "2"}}}}},
          {"megatron", {{megatron, batch}, {megatron, shape}, {megatron, experts}}},
          {"torchtitan",
           {{titan},
            {titan,
             {{"--training.max_context_length", "2"},
              {"--training.num_tokens_per_train_step", "64"},
              {"--parallelism.pipeline_parallel_degree", "4"},
              {"--parallelism.pipeline_parallel_layers_per_stage", "4"},
              {"--parallelism.data_parallel_shard_degree", "2"}}}}}};
}

std::string as_words(const Flag& flag, const std::string& value) {
  const bool is_bare = flag.kind == FlagKind::kSwitch || flag.kind == FlagKind::kToggle;
  return " " + flag.name + (is_bare && value == "true" ? "" : "=" + value);
}

TEST(ReadingLawsTest, NoFlagOfATableIsDroppedWithoutAWord) {
  for (const auto& [program, bases] : programs()) {
    const Harmless harmless(program);
    const Program table = read_program(program);
    int count = 0;
    for (const Flag& flag : table.flags()) {
      const std::string value = other_value(flag);
      const std::string known = value == "true" ? "yes" : value == "false" ? "no" : value;
      if (!flag.name.starts_with("--") || harmless.has(flag.name, known)) continue;
      if (flag.kind == FlagKind::kSwitch && value == "false") continue;
      const bool is_told = std::any_of(bases.begin(), bases.end(), [&](const Base& base) {
        return tells(flag.name, said_of("run.sh", base.without(flag.name, "")),
                     said_of("run.sh", base.without(flag.name, as_words(flag, value))));
      });
      EXPECT_TRUE(is_told) << program << " " << as_words(flag, value)
                           << " is dropped without a word";
      ++count;
    }
    EXPECT_GE(count, 30) << program;
  }
}

TEST(ReadingLawsTest, NoKeyOfDeepSpeedIsDroppedWithoutAWord) {
  const std::string base = "{\"train_micro_batch_size_per_gpu\": 2";
  const Said before = said_of("ds.json", base + "}\n");
  const Harmless harmless("deepspeed");
  int count = 0;
  const Program program = read_program("deepspeed");
  for (const Flag& flag : program.flags()) {
    const bool is_key = !flag.name.starts_with("-") && flag.kind != FlagKind::kSection;
    const std::string value = other_value(flag);
    if (!is_key || harmless.has(flag.name, value)) continue;
    const auto dot = flag.name.find('.');
    const std::string first = flag.name.substr(0, dot);
    std::string json = "\"" + value + "\"";
    if (value == "true" || value == "false" || value == "2" || value == "4") json = value;
    if (harmless.has(first, "") || first == "train_micro_batch_size_per_gpu") continue;
    std::string open, close, rest = flag.name;
    for (auto end = rest.find('.'); end != std::string::npos; end = rest.find('.')) {
      open += "\"" + rest.substr(0, end) + "\": {";
      close += "}";
      rest = rest.substr(end + 1);
    }
    const std::string text = base + ", " + open + "\"" + rest + "\": " + json + close + "}\n";
    EXPECT_TRUE(tells(flag.name, before, said_of("ds.json", text)))
        << flag.name << " is dropped without a word:\n"
        << text;
    ++count;
  }
  EXPECT_GE(count, 30);
}

std::vector<std::vector<std::string>> table(const std::string& name) {
  std::ifstream file(std::string(LF_SOURCE_DIR) + "/tests/launch/" + name, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  Diagnostics diagnostics;
  const auto csv = config::parse_csv(name, text.str(), diagnostics);
  std::vector<std::vector<std::string>> rows;
  if (!csv) return rows;
  for (const auto& row : csv->rows) {
    rows.emplace_back();
    for (const auto& cell : row) rows.back().push_back(cell.text);
  }
  return rows;
}

// What changes memory or speed by its meaning, in each kind of file; `@` stands for it.
TEST(ReadingLawsTest, WhatChangesMemoryOrSpeedIsNeverDropped) {
  const auto rows = table("matters.csv");
  EXPECT_GE(rows.size(), 100U);
  for (const auto& row : rows) {
    std::string base = row[1];
    for (auto at = base.find("\\n"); at != std::string::npos; at = base.find("\\n"))
      base.replace(at, 2, "\n");
    const auto mark = base.find('@');
    ASSERT_NE(mark, std::string::npos) << base;
    std::string without = base, with = base;
    without.replace(mark, 1, "");
    std::string added = row[3];
    for (auto at = added.find("\\n"); at != std::string::npos; at = added.find("\\n"))
      added.replace(at, 2, "\n");
    with.replace(mark, 1, added);
    const Said before = said_of(row[0], without + "\n");
    ASSERT_FALSE(before.is_refused) << without;
    EXPECT_TRUE(tells(row[2], before, said_of(row[0], with + "\n")))
        << row[2] << " is dropped without a word:\n"
        << with;
  }
}

// Every place is the same, and the lines stand in an order of their own.
std::string without_places(const Said& said) {
  const std::string all =
      std::regex_replace(said.values + said.remarks, std::regex("run\\.sh:[0-9]+"), "X");
  std::vector<std::string> lines;
  std::istringstream text(all);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  std::string sorted;
  for (const std::string& line : lines) sorted += line + "\n";
  return sorted;
}

TEST(ReadingLawsTest, TheOrderOfServersChangesNothing) {
  const auto engine = [](const std::string& start, const std::string& prefill,
                         const std::string& decode) {
    return std::vector<std::string>{start + prefill + " --port 1 &\n",
                                    start + decode + " --port 2 &\n",
                                    start + prefill + " --port 3 &\n"};
  };
  const std::string roles[] = {" --kv-transfer-config '{\"kv_role\":\"kv_producer\"}'",
                               " --kv-transfer-config '{\"kv_role\":\"kv_consumer\"}'"};
  std::vector<std::vector<std::string>> cases;
  const std::pair<std::string, std::string> values[] = {{"0.9", "0.8"}, {"0.8", "0.9"}};
  for (const auto& [first, second] : values) {
    cases.push_back(engine("vllm serve a/b --gpu-memory-utilization ", first + " -tp 2" + roles[0],
                           second + " -tp 4" + roles[1]));
    cases.push_back(
        engine("python3 -m sglang.launch_server --model-path a/b --mem-fraction-static ",
               first + " --tp 2 --disaggregation-mode prefill",
               second + " --tp 4 --disaggregation-mode decode"));
    cases.push_back(engine("python3 -m dynamo.vllm --model a/b --gpu-memory-utilization ",
                           first + " -tp 2 --max-num-seqs 8 --is-prefill-worker",
                           second + " -tp 4"));
  }
  for (auto& commands : cases) {
    std::vector<std::size_t> order{0, 1, 2};
    std::string first;
    do {
      const std::string text = commands[order[0]] + commands[order[1]] + commands[order[2]];
      const Said said = said_of("run.sh", text);
      ASSERT_FALSE(said.is_refused) << text;
      if (first.empty()) first = without_places(said);
      EXPECT_EQ(without_places(said), first) << text;
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_NE(first.find("    decode:\n"), std::string::npos) << first;
    EXPECT_NE(first.find("memory_fraction: 0.8  # guess: the pools have 0.8 and 0.9"),
              std::string::npos)
        << first;
  }
}

}  // namespace
}  // namespace loadfactor::launch
