#!/usr/bin/env python3
"""A program in C gets the answers of the command line. Usage: ask_in_c_test.py ASK_IN_C PROGRAM"""
import json
import subprocess
import sys
import unittest

ASK, PROGRAM = sys.argv[1:3]
FIT = {"verb": "fit", "options": {"model": "llama-3.1-8b", "gpu": "h100-sxm"}}


def asked(text):
    done = subprocess.run([ASK], input=text, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


class AskInC(unittest.TestCase):
    def test_an_answer_is_that_of_the_program(self):
        done = subprocess.run([PROGRAM, "fit", "llama-3.1-8b", "--gpu", "h100-sxm", "--format", "json"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(asked(json.dumps(FIT)), (0, done.stdout))

    def test_what_is_wrong_is_an_answer_too(self):
        for text in ("", "{", "null", "[]", '{"verb": "fly"}', '{"verb": "fit"}', "x" * 100000):
            status, answer = asked(text)
            self.assertEqual(status, 2, text[:20])
            self.assertRegex(json.loads(answer)["errors"][0]["code"], r"^LF\d{3}$")

    def test_no_file_of_the_disk_is_read(self):
        status, answer = asked(json.dumps({"verb": "plan", "options": {"scenario": __file__}}))
        self.assertEqual(status, 2)
        self.assertIn("has no file", json.loads(answer)["errors"][0]["message"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
