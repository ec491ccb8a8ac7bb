#!/usr/bin/env python3
"""What run.py records of checkouts: stand-ins, one that works and one that fails."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
RUN = HERE / "run.py"
PAGE = "# Page\n\n<!-- peers:begin -->\n<!-- peers:end -->\n\nThe rest.\n"


def git(folder, *words):
    subprocess.run(["git", "-C", folder, "-c", "user.name=x", "-c", "user.email=x@x.invalid", *words], check=True,
                   capture_output=True)


class Peers(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        self.page = self.folder / "peers.md"
        self.page.write_text(PAGE)
        self.checkout = self.folder / "checkout"
        self.checkout.mkdir()
        git(self.checkout, "init", "-q")
        (self.checkout / "peer.py").write_text("import time\nwhile time.process_time() < 0.3: pass\n")
        git(self.checkout, "add", ".")
        git(self.checkout, "commit", "-q", "-m", "x")
        git(self.checkout, "tag", "v1.2")

    def run_it(self, *words, program="/bin/true"):
        return subprocess.run([sys.executable, RUN, program, self.page, *words], capture_output=True, text=True, check=False)

    def cells(self, tool):
        rows = [line for line in self.page.read_text().splitlines() if line.startswith(f"| {tool}")]
        self.assertEqual(len(rows), 1, rows)
        return [cell.strip() for cell in rows[0].strip("|").split("|")]

    def test_without_checkouts_says_what_to_give(self):
        done = self.run_it()
        self.assertEqual(done.returncode, 2)
        for name in ("CALCULON=", "VIDUR=", "BLIS="):
            self.assertIn(name, done.stdout)
        self.assertEqual(self.page.read_text(), PAGE)

    def test_a_folder_that_is_not_there_stops_all_before_the_first_runs(self):
        done = self.run_it("--vidur", self.checkout, "--vidur-command", "touch ran", "--blis", self.folder / "none")
        self.assertEqual(done.returncode, 1)
        self.assertIn("BLIS=", done.stderr)
        self.assertFalse((self.checkout / "ran").exists())

    def test_check_runs_nothing(self):
        done = self.run_it("--vidur", self.checkout, "--vidur-command", "touch ran", "--check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.checkout / "ran").exists())

    def test_records_version_command_machine_and_time(self):
        done = self.run_it("--vidur", self.checkout, "--vidur-command", "python3 peer.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        name, _, machine, date, seconds, rate, ours, version, command = self.cells("Vidur")
        self.assertEqual((name, version, command), ("Vidur", "v1.2", "`python3 peer.py`"))
        self.assertRegex(date, r"^\d{4}-\d\d-\d\d$")
        self.assertIn("×", machine)
        self.assertTrue(0.2 < float(seconds) < 5, seconds)
        self.assertTrue(rate.endswith(" requests"), rate)
        self.assertTrue(ours.endswith(" CPU s"), ours)
        self.assertIn("The rest.", self.page.read_text())

    def test_changes_in_the_checkout_show(self):
        (self.checkout / "peer.py").write_text("pass\n")
        self.run_it("--blis", self.checkout, "--blis-command", "true")
        self.assertEqual(self.cells("BLIS")[7], "v1.2-dirty")

    def test_what_failed_says_so_and_has_no_figure(self):
        done = self.run_it("--calculon", self.checkout, "--calculon-command", "echo no such model >&2; exit 3")
        self.assertEqual(done.returncode, 0)
        cells = self.cells("Calculon")
        self.assertEqual(cells[4], "–")
        self.assertEqual(cells[5], "failed with status 3: no such model")

    def test_a_second_run_replaces_its_own_row_alone(self):
        self.run_it("--vidur", self.checkout, "--vidur-command", "true")
        self.run_it("--calculon", self.checkout, "--calculon-command", "true")
        self.run_it("--vidur", self.checkout, "--vidur-command", "true again")
        self.assertEqual(self.cells("Vidur")[8], "`true again`")
        self.assertEqual(self.cells("Calculon")[8], "`true`")

    def test_ours_that_fails_says_so(self):
        self.run_it("--vidur", self.checkout, "--vidur-command", "true", program="/bin/false")
        self.assertIn("failed with status 1", self.cells("Vidur")[6])

    def test_a_folder_that_is_not_there_is_refused(self):
        done = self.run_it("--vidur", self.folder / "nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such folder", done.stderr)


if __name__ == "__main__":
    unittest.main()
