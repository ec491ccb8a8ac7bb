// What a shell script never reaches is not among its commands.
#include <string>

#include <gtest/gtest.h>

#include "launch/shell/shell.h"

namespace loadfactor::launch {
namespace {

// The commands `run X` of a script, as their words X; with a question mark where one is in doubt.
std::string started(const std::string& script) {
  std::string all;
  for (const auto& command : read_shell(script).commands) {
    for (std::size_t i = 0; i + 1 < command.size(); ++i)
      if (command[i].text == "run")
        all += command[i + 1].text + (command[i + 1].doubt.empty() ? "" : "?");
  }
  return all;
}

TEST(ShellEndingsTest, TrueAndFalseDecideWhatFollows) {
  EXPECT_EQ(started("false && run a\nrun b\n"), "b");
  EXPECT_EQ(started("true && run a\nrun b\n"), "ab");
  EXPECT_EQ(started("true || run a\nrun b\n"), "b");
  EXPECT_EQ(started(": || run a\n! false && run b\n"), "b");
  EXPECT_EQ(started("if false; then run a; else run b; fi\n"), "b");
  EXPECT_EQ(started("if true; then\n run a\nelse\n run b\nfi\n"), "a");
  EXPECT_EQ(started("if false && check; then run a; fi; run b\n"), "b");
  EXPECT_EQ(started("while false; do run a; done\nrun b\n"), "b");
  EXPECT_EQ(started("until true; do run a; done\nrun b\n"), "b");
  EXPECT_EQ(started("while true; do run a; done\n"), "a");
  EXPECT_EQ(started("false && ( run a ; run b )\nrun c\n"), "c");
  EXPECT_EQ(started("false && { run a ; run b; }\nrun c\n"), "c");
}

TEST(ShellEndingsTest, NothingRunsBehindTheEndOfAScript) {
  EXPECT_EQ(started("run a\nexit 0\nrun b\n"), "a");
  EXPECT_EQ(started("run a; exit\nrun b\n"), "a");
  EXPECT_EQ(started("exec run a\nrun b\n"), "a");
  EXPECT_EQ(started("exec > log 2>&1\nrun a\n"), "a");
  EXPECT_EQ(started("exec 3< file\nrun a\n"), "a");
  EXPECT_EQ(started("exec run a &\nrun b\n"), "ab");
  EXPECT_EQ(started("main() { run a; }\nexit 0\nmain\n"), "");
  EXPECT_EQ(started("exit 0\nmain() { run a; }\n"), "");
  EXPECT_EQ(started("stop() { exit 1; }\nrun a\nstop\nrun b\n"), "a");
  // What stands behind it need be no script at all.
  EXPECT_FALSE(read_shell("run a\nexit 0\nit's a payload\n").unclosed);
  EXPECT_TRUE(read_shell("run a\nexit 0\ncat <<EOF\n{}\nEOF\n").here_documents.empty());
}

TEST(ShellEndingsTest, AnEndThatMayNotComeEndsNothing) {
  EXPECT_EQ(started("if [ -z \"$KEY\" ]; then exit 1; fi\nrun a\n"), "a");
  EXPECT_EQ(started("check || exit 1\nrun a\n"), "a");
  EXPECT_EQ(started("grep -q done log && exit 0\nrun a\n"), "a");
  EXPECT_EQ(started("while read line; do exit 1; done\nrun a\n"), "a");
  EXPECT_EQ(started("serve() { run a; }\n\"$@\"\nexit 0\n"), "a");
}

TEST(ShellEndingsTest, AFailureBehindADefaultIsNotHowAScriptIsRun) {
  EXPECT_EQ(started("if [ -z \"${KEY:-}\" ]; then echo no; exit 1; fi\nrun a\n"), "a");
  EXPECT_EQ(started("[[ -n \"${GO:-}\" ]] || { echo no; exit 1; }\nrun a\n"), "a");
  EXPECT_EQ(started("[[ -n ${GO:-} ]] || exit 1\nrun a\n"), "a");
  EXPECT_EQ(started("[ \"${GO:-no}\" = yes ] || exit 64\nrun a\n"), "a");
  EXPECT_EQ(started("WAY=${1:-}\nif [ \"$WAY\" != go ]; then\n exit 2\nfi\nrun a\n"), "a");
  EXPECT_EQ(started("main() { [ -n \"${GO:-}\" ] || return 1; run a; }\nmain\n"), "a");
  EXPECT_EQ(
      started("[ -n \"${KEY:-}\" ] || BAD=1\nif [ \"${BAD:-0}\" = 1 ]; then exit 1; fi\nrun a\n"),
      "a");
  // Any arm that does not fail may be the one.
  EXPECT_EQ(started("if [ \"${PART:-}\" = x ]; then run a; elif [ \"${PART:-}\" = y ]; then run b; "
                    "else exit 1; fi\n"),
            "a?b?");
  EXPECT_EQ(started("case \"${1:-}\" in x) run a;; *) exit 1;; esac\nrun b\n"), "a?b");
  // What the script needs is not known; what has no part in the failure keeps its default.
  EXPECT_EQ(started("N=${N:-}\nM=${M:-4}\n[ -n \"$N\" ] || exit 1\nrun $N$M\n"), "${N}4?");
}

TEST(ShellEndingsTest, ADefaultThatIsAssignedStandsForWhatFollows) {
  EXPECT_EQ(started(": ${N:=4}\nrun $N\n"), "4?");
  EXPECT_EQ(started("N=2\n: ${N:=4}\nrun $N\n"), "2");
  EXPECT_EQ(started(": \"${N:=}\"\n[ -n \"$N\" ] || exit 1\nrun a\n"), "a");
}

TEST(ShellEndingsTest, AnEndThatIsNoFailureEndsAScriptBehindADefault) {
  EXPECT_EQ(started("if [ \"${N:-1}\" = 1 ]; then run a; exit 0; fi\nrun b\n"), "a?");
  EXPECT_EQ(started("if [ \"${N:-1}\" = 1 ]; then exec run a; fi\nrun b\n"), "a?");
  EXPECT_EQ(started("N=1\nif [ $N = 1 ]; then exit 1; fi\nrun b\n"), "");
}

TEST(ShellEndingsTest, AFunctionThatEndsTheScriptDoesSoWhereItsCallRuns) {
  const std::string die = "die() { echo \"$1\"; exit 1; }\n";
  EXPECT_EQ(started(die + "check || die no\nrun a\n"), "a");
  EXPECT_EQ(started(die + "[ -n \"$KEY\" ] || die no\nrun a\n"), "a");
  EXPECT_EQ(started(die + "[ -n \"${KEY:-}\" ] || die no\nrun a\n"), "a");
  EXPECT_EQ(started(die + "grep -q bad log && { die no; }\nrun a\n"), "a");
  EXPECT_EQ(started(die + "true || die no\nrun a\ndie yes\nrun b\n"), "a");
  EXPECT_EQ(started("grep -q bad log && { echo no; exit 1; }\nrun a\n"), "a");
}

TEST(ShellEndingsTest, FunctionsAndSubshellsEndByThemselves) {
  EXPECT_EQ(started("f() {\n run a\n return\n run b\n}\nf\nrun c\n"), "ac");
  EXPECT_EQ(started("f() { return; }\nf && run a\nf\nrun b\n"), "ab");
  EXPECT_EQ(started("( run a; exit 0; run b )\nrun c\n"), "ac");
  EXPECT_EQ(started("f() { run a; exit; }\n(f; run b)\nrun c\n"), "ac");
  EXPECT_EQ(started("for i in 1 2; do ( run a; exit ); done\nrun b\n"), "aab");
  EXPECT_EQ(started("for i in 1 2; do run a; done < <(seq 2)\nif true; then run b; fi\nrun c\n"),
            "aabc");
}

TEST(ShellEndingsTest, LinesForTheBatchSystemStandBeforeTheFirstCommand) {
  const auto script = read_shell("#!/bin/bash\n#SBATCH -N 2\nset -e\n#SBATCH -N 4\nrun a\n");
  ASSERT_EQ(script.comments.size(), 3U);
  EXPECT_TRUE(script.comments[1].doubt.empty());
  EXPECT_FALSE(script.comments[2].doubt.empty());
}

}  // namespace
}  // namespace loadfactor::launch
