#include "launch/machines/machines.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::launch {
namespace {

// What a list says of the machines.
struct Machines {
  std::optional<std::int64_t> nodes;
  std::optional<std::int64_t> gpus_per_node;
  std::optional<std::int64_t> world;
  std::string card;
  std::size_t errors = 0;
  std::size_t remarks = 0;
  bool is_guess = false;
};

Machines told(Findings& findings, const Diagnostics& diagnostics) {
  const Finding* card = findings.find("gres");
  return {.nodes = findings.number("nodes"),
          .gpus_per_node = findings.number("gpus_per_node"),
          .world = findings.number("world"),
          .card = card == nullptr ? "" : card->value,
          .errors = diagnostics.size(),
          .remarks = findings.remarks().size(),
          .is_guess = findings.is_guess("nodes")};
}

Machines node_list(const std::string& text, const std::string& partition = {}) {
  Diagnostics diagnostics;
  Findings findings(diagnostics);
  if (!partition.empty()) findings.guess(kPartition, partition, "the job's");
  read_node_list(findings.add("nodes.txt", text), findings);
  return told(findings, diagnostics);
}

TEST(NodeListTest, NodesOfOneKindAreCountedWithTheirRanges) {
  struct Row {
    const char* text;
    std::int64_t nodes, gpus;
  };
  for (const auto& [text, nodes, gpus] :
       {Row{"NodeName=a1 Gres=gpu:h100:8 State=IDLE", 1, 8},
        Row{"NodeName=gpu[001-004,7] Gres=gpu:h100:8", 5, 8},
        Row{"NodeName=a1 Gres=gpu:h100:8\nNodeName=a2 Gres=gpu:h100:8", 2, 8},
        Row{"NodeName=a1 Gres=gpu:h100:4(S:0-1),nvme:1", 1, 4},
        Row{"NodeName=a1 Gres=nvme:1\nNodeName=a2 Gres=gpu:h100:8", 1, 8},
        Row{"NodeName=a1 Gres=gpu:h100:8 State=DOWN\nNodeName=a2 Gres=gpu:h100:8", 1, 8},
        Row{"NodeName=a1 Gres=gpu:h100:8 State=IDLE+DRAIN\nNodeName=a2 Gres=gpu:h100:8", 1, 8}}) {
    const Machines found = node_list(text);
    EXPECT_EQ(found.nodes, nodes) << text;
    EXPECT_EQ(found.gpus_per_node, gpus) << text;
    EXPECT_EQ(found.card, "h100") << text;
    EXPECT_EQ(found.errors, 0U) << text;
  }
}

TEST(NodeListTest, OfSeveralKindsTheOneWithTheMostGpusOrThatOfThePartitionIsTaken) {
  const std::string both =
      "NodeName=a[1-2] Gres=gpu:a100:8 Partitions=old\n"
      "NodeName=h1 Gres=gpu:h100:8 Partitions=new\n";
  const Machines most = node_list(both);
  EXPECT_EQ(most.card, "a100");
  EXPECT_EQ(most.nodes, 2);
  EXPECT_TRUE(most.is_guess);
  EXPECT_EQ(most.remarks, 1U);  // It names the other kind.
  const Machines asked = node_list(both, "new");
  EXPECT_EQ(asked.card, "h100");
  EXPECT_EQ(asked.nodes, 1);
}

TEST(NodeListTest, ACountThatIsNoneIsRefusedAtItsPlace) {
  Diagnostics diagnostics;
  Findings findings(diagnostics);
  read_node_list(findings.add("nodes.txt", "NodeName=a1\n   Gres=gpu:h100:many\n"), findings);
  ASSERT_EQ(diagnostics.size(), 1U);
  EXPECT_EQ(diagnostics.errors().front().code, lf::kWrongType);
  EXPECT_EQ(diagnostics.errors().front().where.line, 2U);
}

TEST(SlicesTest, AreKnownByTheirNames) {
  for (const char* type : {"1g.10gb", "nvidia_a100_3g.20gb"}) EXPECT_TRUE(is_slice(type)) << type;
  for (const char* type : {"h100", "a100_80gb", "g.10gb", "big.10gb"})
    EXPECT_FALSE(is_slice(type)) << type;
}

// Hosts of a file, and what the launcher takes of them.
Machines hosts(const std::string& file, const char* key, const std::string& chosen) {
  Diagnostics diagnostics;
  Findings findings(diagnostics);
  const Source& command = findings.add("train.sh", "deepspeed --include w1 train.py\n");
  findings.set(key, chosen, {&command, 1});
  if (!file.empty()) read_hosts(findings.add("hostfile", file), findings);
  choose_hosts(findings);
  return told(findings, diagnostics);
}

TEST(HostsTest, TheLauncherTakesSomeOfThem) {
  const std::string file = "w1 slots=8\nw2 slots=8\nw3 slots=8\n";
  struct Row {
    const char* key;
    const char* chosen;
    std::int64_t nodes, world;
  };
  for (const auto& [key, chosen, nodes, world] :
       {Row{kIncludedHosts, "w1", 1, 8}, Row{kIncludedHosts, "w1@w3", 2, 16},
        Row{kIncludedHosts, "w1:0,1@w3", 2, 10}, Row{kIncludedHosts, "w2:0,1,2,3", 1, 4},
        Row{kExcludedHosts, "w1", 2, 16}, Row{kExcludedHosts, "w1:0,1", 3, 22},
        Row{kExcludedHosts, "w1@w2:7", 2, 15}}) {
    const Machines found = hosts(file, key, chosen);
    EXPECT_EQ(found.nodes, nodes) << chosen;
    EXPECT_EQ(found.world, world) << chosen;
    EXPECT_EQ(found.errors, 0U) << chosen;
  }
}

TEST(HostsTest, HostsAndGpusThatAreNotThereAreRefused) {
  const std::string file = "w1 slots=8\nw2 slots=8\n";
  EXPECT_EQ(hosts(file, kIncludedHosts, "w9").errors, 1U);
  EXPECT_EQ(hosts(file, kIncludedHosts, "w1:8").errors, 1U);
  EXPECT_EQ(hosts(file, kExcludedHosts, "w1@w2").errors, 1U);  // Nothing is left.
}

TEST(HostsTest, WithoutAFileTheGpusAreKnownWhereEachHostNamesItsOwn) {
  const Machines known = hosts("", kIncludedHosts, "w1:0,1@w2:0");
  EXPECT_EQ(known.nodes, 2);
  EXPECT_EQ(known.world, 3);
  EXPECT_EQ(hosts("", kIncludedHosts, "w1@w2").world, std::nullopt);
}

}  // namespace
}  // namespace loadfactor::launch
