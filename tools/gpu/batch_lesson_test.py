"""batch_lesson.py as its users run it: batch_lesson_test.py PROGRAM, the loadfactor to ask."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("batch_lesson.py")
PROGRAM = sys.argv.pop() if len(sys.argv) > 1 else "loadfactor"
HEAD = "phase,model,batch,kv_len,mode,seconds\n"


def run(*words):
    return subprocess.run([sys.executable, SCRIPT, *words, "--loadfactor", PROGRAM], capture_output=True, text=True)


class BatchLesson(unittest.TestCase):
    def measured(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".csv")
        file.write(text)
        file.flush()
        self.addCleanup(file.close)
        return file.name

    def test_measured_steps_stand_beside_predictions_for_their_model_and_gpu(self):
        path = self.measured(HEAD + "decode,qwen2.5-7b,8,1024,cuda_graph,0.005\ndecode,qwen2.5-7b,1,1024,cuda_graph,0.005\n")
        lines = {gpu: run(path, "--gpu", gpu).stdout.splitlines() for gpu in ("h200-sxm", "a100-80gb-sxm")}
        self.assertIn("qwen2.5-7b, context 1024", lines["h200-sxm"][0])
        cells = [line.split() for line in lines["h200-sxm"][2:]]
        # Eight tokens in the time of one: eight times the rate, an eighth of the price.
        self.assertEqual([row[:4] for row in cells], [["1", "5.00", "200", "1.0"], ["8", "5.00", "1600", "8.0"]])
        self.assertAlmostEqual(float(cells[0][4]), 3.5 / 3600 * 0.005 * 1e6, places=3)
        self.assertLess(float(cells[0][5]), float(lines["a100-80gb-sxm"][2].split()[5]))

    def test_a_model_may_be_predicted_alone(self):
        answer = run("--model", "qwen3-8b")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual([int(line.split()[0]) for line in answer.stdout.splitlines()[2:]], [2**i for i in range(9)])

    def test_what_cannot_be_is_refused_in_a_sentence(self):
        wrong = {"": "no column", HEAD: "nothing was measured", HEAD + "decode,qwen3-8b,1,1024,x,0\n": "is not above 0",
                 HEAD + "decode,qwen3-8b,one,1024,x,0.1\n": "is no number", "a,b\n1,2\n": "no column 'model'",
                 HEAD + "decode,foo,1,1024,x,0.1\n": "foo"}
        for text, words in wrong.items():
            answer = run(self.measured(text))
            self.assertEqual(answer.returncode, 2, text)
            self.assertIn(words, answer.stderr)
            self.assertNotIn("Traceback", answer.stderr)
        for words in ((), ("/no/such/file.csv",), ("--model", "qwen3-8b", "--gpu", "foo")):
            answer = run(*words)
            self.assertEqual(answer.returncode, 2, words)
            self.assertNotIn("Traceback", answer.stderr)


if __name__ == "__main__":
    unittest.main()
