"""Runs the fuzz targets, as many at once as there are cores, and tells what became of each; Scripts/fuzz is the door."""

import base64
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

KEPT = pathlib.Path(__file__).parent / "Corpus"
TARGETS = sorted(file.stem for file in KEPT.glob("*.base64"))
# Of one input: bytes, seconds, megabytes.
LIMITS = ["-max_len=4096", "-timeout=5", "-rss_limit_mb=1024"]
CHECK_SECONDS = 2
# A target's kept inputs in all.
KEPT_BYTES = 6_000
ENVIRONMENT = {
    **os.environ,
    # Freed memory is watched for a while, not for the whole run; and a trap is told by libFuzzer.
    "ASAN_OPTIONS": "quarantine_size_mb=16:detect_leaks=0:" + os.environ.get("ASAN_OPTIONS", ""),
    "SWIFT_BACKTRACE": "enable=no",
}


class Run:
    """One target, run over inputs."""

    def __init__(self, build: pathlib.Path, target: str):
        self.target, self.program = target, build / "release" / "fuzz"
        self.found, self.findings = build / "corpus" / target, build / "findings"
        for folder in (self.found, self.findings):
            folder.mkdir(parents=True, exist_ok=True)
        self.executions = self.coverage = 0
        self.seconds = 0.0
        self.log = ""
        self.finding: pathlib.Path | None = None
        self.has_failed = False

    def __call__(self, seconds: int) -> "Run":
        """Over the kept inputs, what earlier runs have found, and what is made of both in so many seconds."""
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="tessera-fuzz-") as folder:
            unpack(self.target, pathlib.Path(folder))
            self._call([f"-max_total_time={seconds}", "-print_final_stats=1",
                        f"-artifact_prefix={self.findings}/{self.target}-", str(self.found), folder])
        self.seconds = time.monotonic() - began
        counted = re.search(r"stat::number_of_executed_units: *(\d+)", self.log)
        covered = re.findall(r"cov: (\d+)", self.log)
        self.executions = int(counted[1]) if counted else 0
        self.coverage = int(covered[-1]) if covered else 0
        written = re.search(r"Test unit written to (\S+)", self.log)
        self.finding = pathlib.Path(written[1]) if written else None
        # No seed at all means that nothing of the kept inputs was looked at.
        self.has_failed = self.has_failed or self.executions == 0 or self.coverage == 0
        return self

    def keep(self):
        """Adds to the kept inputs those that reach what these do not, the small ones first, up to `KEPT_BYTES`."""
        with tempfile.TemporaryDirectory(prefix="tessera-fuzz-") as folder:
            unpack(self.target, pathlib.Path(folder))
            before = {file.read_bytes() for file in pathlib.Path(folder).iterdir()}
            self._call(["-set_cover_merge=1", folder, str(self.found)])
            found = {file.read_bytes() for file in pathlib.Path(folder).iterdir()} - before
        if self.has_failed:
            sys.exit(f"{self.target}: nothing could be merged\n{self.log[-2000:]}")
        kept, size = before, sum(map(len, before))
        for input in sorted(found, key=lambda input: (len(input), input)):
            size += len(input)
            if size <= KEPT_BYTES:
                kept = kept | {input}
        lines = sorted(base64.b64encode(input).decode() + "\n" for input in kept)
        (KEPT / f"{self.target}.base64").write_text("".join(lines))
        print(f"{self.target:<10} {len(kept)} kept, of {len(before) + len(found)}")

    def _call(self, words: list[str]):
        called = subprocess.run(
            [self.program, self.target, *LIMITS, *words], env=ENVIRONMENT, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.log = called.stdout.decode(errors="replace")
        self.has_failed = called.returncode != 0

    @property
    def told(self) -> str:
        line = f"{self.target:<10} {self.executions:>12,} {self.executions / max(self.seconds, 1):>9,.0f} {self.coverage:>7}"
        if not self.has_failed:
            return line + "  ok"
        again = f"\n    {self.program} {self.target} {self.finding}" if self.finding else ""
        tail = "\n".join("    " + line for line in self.log.splitlines()[-25:])
        return f"{line}  FAILED{again}\n{tail}"


def unpack(target: str, folder: pathlib.Path):
    """The kept inputs, one a line, as files."""
    for number, line in enumerate((KEPT / f"{target}.base64").read_text().split()):
        (folder / str(number)).write_bytes(base64.b64decode(line))


def junit(runs: list[Run], file: str):
    suite = xml.Element("testsuite", name="fuzz", tests=str(len(runs)), failures=str(sum(run.has_failed for run in runs)))
    for run in runs:
        case = xml.SubElement(suite, "testcase", classname="fuzz", name=run.target, time=f"{run.seconds:.3f}")
        if run.has_failed:
            xml.SubElement(case, "failure", message="crashed" if run.finding else "did not run").text = run.log[-4000:]
    xml.ElementTree(suite).write(file)


def main(build: str, *words: str) -> int:
    seconds, report, keeps, named = 60, None, False, []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--check" and rest:
            report, seconds = rest.pop(0), CHECK_SECONDS
        elif word == "--keep":
            keeps = True
        elif word.isdigit():
            seconds = int(word)
        elif word in TARGETS:
            named.append(word)
        else:
            print(f"Scripts/fuzz: {word} is no target; they are {' '.join(TARGETS)}", file=sys.stderr)
            return 64
    runs = [Run(pathlib.Path(build), target) for target in named or TARGETS]
    if keeps:
        for run in runs:
            run.keep()
        return 0
    print(f"{'target':<10} {'executions':>12} {'a second':>9} {'edges':>7}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for run in concurrent.futures.as_completed([pool.submit(run, seconds) for run in runs]):
            print(run.result().told, flush=True)
    if report:
        junit(runs, report)
    return int(any(run.has_failed for run in runs))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
