#!/usr/bin/env python3
"""Runs the tests of modules by two processes at a time, each with one module, the largest first.

    Tests/modules.py REPORT PROGRAM [ARGUMENT ...] -- MODULE ...
    Tests/modules.py --list                                         prints the modules that have tests to run

The tests of a module run one after another: in parallel, tests that compute occupy both cores while the timeouts of others
expire. For each module, a report in JUnit's form is written to REPORT-MODULE.xml. If a module passes, one line says so;
otherwise everything is printed. Of modules named in TESSERA_SANITIZED, which are tested under a sanitizer as well, only the
suites marked `.unsanitized` are run. A module that crashes, or takes longer than LIMIT, fails with the name of the test that it
was in and, where gdb is installed, the stacks of its threads.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.sax.saxutils as xml

# In seconds. The largest modules take one minute, and four under a sanitizer.
LIMIT = 900
# The beginning of a sanitizer's report, and how many lines of it the failure repeats: a long log may be cut.
SANITIZER = re.compile(r"^(?:WARNING|==\d+==ERROR): (?:Thread|Address)Sanitizer", re.MULTILINE)
REPORTED_LINES = 24
STARTED = re.compile(r'^\S+ Test (".*"|\S+\(.*\)) started\.$', re.MULTILINE)


UNSANITIZED = re.compile(r"@Suite\(\.unsanitized\) struct (\w+)")


def wanted(module: str) -> str | None:
    """The filter that selects a module's tests; None if none are wanted."""
    if module.removesuffix("Tests") not in os.environ.get("TESSERA_SANITIZED", "").split():
        return rf"^{module}\."
    suites = [name for file in pathlib.Path("Tests", module).rglob("*.swift") for name in UNSANITIZED.findall(file.read_text())]
    return rf"^{module}\.({'|'.join(suites)})/" if suites else None


def size(module: str) -> int:
    return sum(file.stat().st_size for file in pathlib.Path("Tests", module).rglob("*.swift"))


def stacks(process: subprocess.Popen) -> str:
    """The stacks of a process's threads. The program may have been started by a launcher that executes it."""
    if shutil.which("gdb") is None:
        return "Install gdb to see the stacks of a module that hangs."
    command = ["gdb", "--batch", "--pid", str(process.pid), "--eval-command", "thread apply all backtrace 40"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL).stdout
    except subprocess.TimeoutExpired:
        return "gdb did not end in time."


def unfinished(module: str, how: str, log: str) -> str:
    """The report of a module that did not come to its end."""
    tests = STARTED.findall(log)
    what = f"{module} {how} in the test {tests[-1]}" if tests else f"{module} {how} before its first test"
    if found := SANITIZER.search(log):
        what += "\n" + "\n".join(log[found.start():].splitlines()[:REPORTED_LINES])
    return f"""<testsuites><testsuite name="{module}" tests="1" failures="1">
    <testcase classname="{module}" name="all tests end"><failure message={xml.quoteattr(what)}/></testcase>
    </testsuite></testsuites>"""


def run(report: str, program: list[str], module: str) -> bool:
    file, log = pathlib.Path(f"{report}-{module}.xml"), pathlib.Path(f"{report}-{module}.log")
    options = ["--testing-library", "swift-testing", "--no-parallel", "--filter", wanted(module), "--xunit-output", file]
    hung = ""
    with log.open("w") as output:
        process = subprocess.Popen(
            [*program, *options], stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        try:
            status = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            hung = stacks(process)
            process.kill()
            status = process.wait()
    printed = log.read_text(errors="replace")
    if status == 0:
        print(f"{module:<20} {printed.rstrip().rpartition(chr(10))[2]}", flush=True)
        return True
    print(f"{printed}\n{hung}", flush=True)
    # A module with a failed test ends with 1, and has written its report.
    if status != 1 or not file.exists():
        how = f"did not end within {LIMIT} seconds," if hung else f"ended with status {status}"
        file.write_text(unfinished(module, how, printed))
    return False


def listed() -> str:
    """The modules that have tests to run, without the word "Tests"."""
    modules = sorted(folder.name for folder in pathlib.Path("Tests").glob("*Tests"))
    return " ".join(module.removesuffix("Tests") for module in modules if wanted(module))


def main(report: str, *words: str) -> int:
    if report == "--list":
        print(listed())
        return 0
    end = words.index("--")
    modules = sorted(filter(wanted, words[end + 1:]), key=size, reverse=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        passed = list(pool.map(lambda module: run(report, list(words[:end]), module), modules))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
