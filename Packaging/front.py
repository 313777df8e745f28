#!/usr/bin/env python3
"""Builds the browser front from the plain modules in Public, and prints the folder that holds it.

    Packaging/front.py FOLDER [PUBLIC]

esbuild bundles and minifies. Scripts of a page lie in `assets/HASH/`, where HASH is of their content, so that browsers
may keep them for ever. What a script imports with `import()` becomes a script of its own, which the browser loads on
first use. Each page holds the script that runs first, the list of the scripts that it loads later, and all styles but
those for print. Text is compressed with Brotli, into `NAME.br` beside each file; the pages themselves are left to the
server, which completes them. FOLDER is replaced as a whole: a server that runs from it never sees half a front.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["index.html", "account.html"]
# Scripts that keep their paths: browsers know a service worker by its path.
AT_THEIR_OWN_PATHS = ["service-worker.js", "viewer/worker/counting.js"]
COMPRESSED = {".css", ".js", ".json", ".svg", ".webmanifest"}

SHEETS = re.compile(r'<link rel="stylesheet" href="([^"]+)">\n')
PRINT_SHEET = re.compile(r'<link rel="stylesheet" href="([^"]+)" media="print">')
EARLY_SCRIPT = re.compile(r'<script src="([^"]+)"></script>')
MODULE = re.compile(r'(?:<script type="module" src|<link id="[^"]+" rel="modulepreload" href)="([^"]+)"')
LAZY_SCRIPTS = '<script id="lazy-scripts" type="application/json">'


def esbuild(*words: str, text: str | None = None, folder: pathlib.Path) -> str:
    """What esbuild prints. A warning is an error: it says that the script does something other than it seems to."""
    result = subprocess.run(["esbuild", *words, "--minify", "--charset=utf8", "--log-level=warning"], cwd=folder,
                            input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode or result.stderr:
        sys.exit(result.stderr or f"esbuild ended with status {result.returncode}")
    return result.stdout


def bundle(public: pathlib.Path, output: pathlib.Path, scripts: list[str], names: str, *words: str) -> dict[str, dict]:
    """Bundles each script with all that it imports. Returns esbuild's description of each output, by its path."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        esbuild(*scripts, "--bundle", "--outbase=.", f"--outdir={output}", f"--entry-names={names}",
                f"--metafile={file.name}", *words, folder=public)
        outputs = json.load(file)["outputs"]
    for name in outputs:
        # Error texts of esbuild's helpers for private members. When esbuild bundles a class that has static fields or private
        # static methods and refers to itself, it keeps each private member in a WeakMap, which is larger and slower.
        text = (public / name).read_text()
        if "private member" in text or "private method" in text:
            sys.exit(f"{name}: a class that refers to itself has static fields or private static methods. Use module-level "
                     "constants and functions instead.")

    def path(name: str) -> str:
        return (public / name).resolve().relative_to(output).as_posix()

    return {path(name): {**made, "imports": [(each["kind"], path(each["path"])) for each in made["imports"]]}
            for name, made in outputs.items()}


def page_script(public: pathlib.Path, output: pathlib.Path, script: str) -> tuple[str, list[str], list[str]]:
    """Bundles a script of the page. Returns the paths of the script, of the bundles that it imports statically, and of the
    bundles that these import with `import()`. Bundles that only a later one imports are not included."""
    outputs = bundle(public, output, [script], "assets/[hash]/[dir]/[name]", "--format=esm", "--splitting",
                     "--chunk-names=assets/[hash]/[name]")
    path = next(path for path, made in outputs.items() if made.get("entryPoint") == script)

    def with_static_imports(paths: list[str]) -> list[str]:
        found = list(dict.fromkeys(paths))
        for each in found:
            found += [other for kind, other in outputs[each]["imports"] if kind == "import-statement" and other not in found]
        return found

    needed = with_static_imports([path])
    later = with_static_imports([other for each in needed for kind, other in outputs[each]["imports"] if kind == "dynamic-import"])
    return path, needed[1:], [each for each in later if each not in needed]


def print_sheet(public: pathlib.Path, output: pathlib.Path, sheet: str) -> str:
    """Minifies a style sheet for print. Returns its path."""
    [path] = bundle(public, output, [sheet], "assets/[hash]/[dir]/[name]")
    return path


def complete(page: str, public: pathlib.Path, output: pathlib.Path) -> str:
    """The page with its styles and its first script in it, and with the addresses of its other scripts."""
    # Browsers display indentation as they do a line break.
    page = re.sub(r"\n\s+", "\n", page)
    sheets = SHEETS.findall(page)
    styles = esbuild("--loader=css", text="".join((public / path).read_text() for path in sheets), folder=public)
    page = SHEETS.sub(lambda match: f"<style>{styles.strip()}</style>\n", page, count=1)
    page = SHEETS.sub("", page)

    def early(match: re.Match) -> str:
        script = esbuild("--loader=js", "--format=iife", text=(public / match[1]).read_text(), folder=public)
        return f"<script>{script.strip()}</script>"

    page = EARLY_SCRIPT.sub(early, page)
    lazy: list[str] = []

    def module(match: re.Match) -> str:
        path, needed, later = page_script(public, output, match[1])
        lazy.extend(later)
        # Requested together with the script, rather than once it has arrived.
        preloads = "".join(f'<link rel="modulepreload" href="{each}">' for each in needed)
        return preloads + match[0].replace(match[1], path)

    page = MODULE.sub(module, page)
    page = PRINT_SHEET.sub(lambda match: match[0].replace(match[1], print_sheet(public, output, match[1])), page)
    return page.replace(LAZY_SCRIPTS, LAZY_SCRIPTS + json.dumps(lazy))


def build(public: pathlib.Path, output: pathlib.Path):
    for page in PAGES:
        (output / page).write_text(complete((public / page).read_text(), public, output))
    bundle(public, output, AT_THEIR_OWN_PATHS, "[dir]/[name]", "--format=iife")
    for file in public.rglob("*"):
        if file.is_file() and file.suffix not in {".js", ".css", ".html"}:
            copy = output / file.relative_to(public)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
    texts = [str(file) for file in output.rglob("*") if file.suffix in COMPRESSED]
    subprocess.run(["brotli", "--best", "--keep", "--", *texts], check=True)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve()
    public = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "Public").resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".front-") as work:
        made = pathlib.Path(work) / "made"
        made.mkdir()
        build(public, made)
        if folder.exists():
            folder.rename(pathlib.Path(work) / "former")
        made.rename(folder)
    print(folder)


if __name__ == "__main__":
    main()
