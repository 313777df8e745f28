"""What the command line says about mistakes, and what it does if used correctly."""

import os
import re
import socket
import sqlite3
import subprocess

import pytest

import pictures
from gallery import LOOPBACK, PATIENCE, binary, environment, run, wait_until


def refused(result, *words: str):
    """Asserts that the program exited at once with an error, and explained it on standard error."""
    assert result.returncode not in (0, -6, -11, -4), f"status {result.returncode}\n{result.stdout}\n{result.stderr}"
    assert result.returncode > 0, f"killed by signal {-result.returncode}\n{result.stderr}"
    for word in words:
        assert word in result.stderr, f"{word!r} is not in:\n{result.stderr}"
    assert "Fatal error" not in result.stderr and "Stack dump" not in result.stderr


def test_a_source_that_does_not_exist_is_named(data):
    refused(run("serve", "/nowhere/at/all", data=data), "/nowhere/at/all")


def test_a_certificate_that_cannot_be_read_is_named(data, tmp_path):
    source = pictures.write(tmp_path / "good", a__jpg=pictures.encoded())
    for address in ("rediss://127.0.0.1:1?ca=/none/ca.pem", "rediss-sentinel://a,b?master=c&cert=/none/ca.pem"):
        refused(run("serve", source, "--redis", address, data=data), "/none/ca.pem: No such file or directory")


def test_one_bad_source_among_good_ones_is_named(data, tmp_path):
    good = pictures.write(tmp_path / "good", a__jpg=pictures.encoded())
    refused(run("serve", good, tmp_path / "bad", data=data), str(tmp_path / "bad"))


def test_a_missing_source_argument_is_explained(data):
    refused(run("serve", data=data), "SOURCE")


def test_a_source_of_an_unknown_type_is_named(data, tmp_path):
    file = tmp_path / "letter.docx"
    file.write_bytes(b"PK\x03\x04")
    refused(run("serve", file, data=data), "letter.docx")


def test_a_template_without_a_count_is_explained(data):
    refused(run("serve", "https://example.com/{index}.jpg", data=data), "count")


@pytest.mark.parametrize("words", [
    ["--port", "70000"], ["--port", "eighty"], ["--port", "-1"], ["--host", "not a host"],
    ["--origin-timeout", "0"], ["--origin-connect-timeout", "soon"], ["--origin-first-byte-timeout", "-1"],
    ["--origin-progress-timeout", "1e9"], ["--allow-address", "10.0.0.0/99"], ["--allow-address", "hello"], ["--no-such-option"],
    ["--origin-header", "Host: a"], ["--origin-header", "User-Agent"], ["--first", "one"],
], ids=" ".join)
def test_a_bad_option_is_named(data, shared_folder, words):
    refused(run("serve", shared_folder, *words, data=data), words[0].lstrip("-"))


@pytest.mark.parametrize("words", [
    ["--count", "-5"], ["--count", "many"], ["--latency", "-1"], ["--fail", "2"], ["--hang", "-0.5"],
], ids=" ".join)
def test_a_bad_option_of_the_demo_is_named(data, words):
    refused(run("demo", *words, data=data), words[0].lstrip("-"))


def test_a_bad_value_in_the_environment_is_named(data, shared_folder):
    refused(run("serve", shared_folder, data=data, TESSERA_PORT="eighty"), "TESSERA_PORT")
    refused(run("serve", shared_folder, data=data, TESSERA_ORIGIN_TIMEOUT="0"), "TESSERA_ORIGIN_TIMEOUT")


@pytest.mark.parametrize("field", ["Authorization: hunter2", "X-Key: hunter2\r\nHost: a", "hunter2", "X-Key: hunter2ü"])
def test_a_bad_header_field_is_explained_without_its_value(data, shared_folder, field):
    for result in (run("serve", shared_folder, "--origin-header", field, data=data),
                   run("serve", shared_folder, data=data, TESSERA_ORIGIN_HEADER="User-Agent: a, b\n" + field)):
        refused(result, "--origin-header")
        assert "hunter2" not in result.stderr + result.stdout


@pytest.mark.parametrize("url", ["redis://a:hunter2@host:none", "rediss://a:hunter2@host?ca", "hunter2"])
def test_a_bad_redis_url_is_explained_without_its_password(data, shared_folder, url):
    result = run("serve", shared_folder, "--redis", url, data=data)
    refused(result, "--redis")
    assert "hunter2" not in result.stderr + result.stdout


def test_a_port_in_use_is_named(data, shared_folder):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        refused(run("serve", shared_folder, "--port", port, data=data), str(port), "another program")


def test_an_address_of_another_machine_is_named(data, shared_folder):
    refused(run("serve", shared_folder, "--host", "192.0.2.1", "--port", 0, data=data), "192.0.2.1")


def test_a_data_folder_that_is_a_file_is_named(tmp_path, shared_folder):
    data = tmp_path / "data"
    data.write_text("a file")
    refused(run("serve", shared_folder, data=data), str(data))


def test_a_data_folder_that_cannot_be_written_is_named(tmp_path, shared_folder):
    data = tmp_path / "data"
    data.mkdir()
    before = in_a_mount_of_its_own(f"mount -t tmpfs -o ro none '{data}'")
    refused(run("serve", shared_folder, data=data, before=before), str(data))


def test_two_servers_do_not_share_a_data_folder(serve, shared_folder, data):
    first = serve(shared_folder)
    refused(run("serve", shared_folder, "--port", 0, data=data), str(data))
    assert first.get("/healthz").status == 200


def test_pictures_are_shown_even_if_the_data_folder_is_full(serve, shared_folder, data):
    data.mkdir()
    gallery = serve(shared_folder, before=in_a_mount_of_its_own(f"mount -t tmpfs -o size=600k none '{data}'"))
    images = gallery.images(12)
    for _ in range(3):
        for image in images.values():
            for rendition in ("tile", "screen", "original"):
                answer = gallery.get(f"/images/{image['id']}/{rendition}", Accept="image/jpeg")
                assert answer.status == 200 and pictures.is_whole(answer.body)


def test_originals_are_served_from_memory_if_the_disk_is_full(serve, tmp_path, origin, data):
    data.mkdir()
    origin.picture += bytes(2 << 20)
    file = tmp_path / "urls.txt"
    file.write_text("".join(origin.url("good", f"{number}.jpg") + "\n" for number in range(6)))
    gallery = serve(file, *LOOPBACK, before=in_a_mount_of_its_own(f"mount -t tmpfs -o size=1500k none '{data}'"))
    for image in gallery.images(6).values():
        tile = gallery.get(f"/images/{image['id']}/tile", Accept="image/jpeg")
        assert tile.status == 200 and pictures.is_whole(tile.body)
        original = gallery.get(f"/images/{image['id']}/original")
        assert original.status == 200 and original.body == origin.picture
    # None of the originals was cached: each request fetches it again.
    assert origin.times_asked("/good/") == 12


def in_a_mount_of_its_own(command: str) -> tuple[str, ...]:
    """A command prefix that runs a program where `command` has mounted something that only it sees."""
    if os.system("unshare --user --map-root-user --mount true 2>/dev/null") != 0:
        pytest.skip("this machine makes no namespaces")
    return ("unshare", "--user", "--map-root-user", "--mount", "sh", "-ec", f'{command}; exec "$@"', "sh")


@pytest.mark.parametrize("output", ["closed", "broken"])
def test_a_closed_or_broken_standard_output_does_not_stop_the_server(data, shared_folder, output):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    words = [binary(), "serve", str(shared_folder), "--port", str(port)]
    reader, writer = os.pipe()
    os.close(reader)
    with subprocess.Popen(
            ["sh", "-c", 'exec "$@" >&-', "sh", *words] if output == "closed" else words, env=environment(data),
            stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.DEVNULL) as process:
        os.close(writer)
        try:
            wait_until(lambda: process.poll() is not None or answers(port), "the server answers or ends")
            assert process.poll() is None, f"ended with {process.returncode}"
        finally:
            process.terminate()
        assert process.wait(PATIENCE) == 0


def answers(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def test_a_file_name_cannot_forge_a_log_line(serve, tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "a\n2026-01-01 error tessera: forged\x1b[2J.jpg").write_bytes(b"no picture")
    gallery = serve(folder)
    (image,) = gallery.images(1).values()
    for file in folder.iterdir():
        file.unlink()
    gallery.tile(image).is_problem(404, 415, 422)
    wait_until(lambda: "cannot be displayed" in gallery.log, "the failure is in the log")
    assert "\x1b" not in gallery.log and not any(line.startswith("2026-01-01") for line in gallery.log.splitlines())


def test_an_empty_folder_is_an_empty_gallery(serve, tmp_path):
    gallery = serve(pictures.write(tmp_path / "empty"))
    page = gallery.page()
    assert page["total"] == 0 and page["images"] == [] and page.get("next") is None
    assert gallery.get("/").status == 200


def test_an_empty_list_is_an_empty_gallery(listed):
    assert listed().page()["total"] == 0


def test_the_bad_lines_of_a_list_are_named_and_the_rest_is_served(serve, tmp_path, origin):
    file = tmp_path / "urls.txt"
    file.write_bytes("\n".join([
        "# a comment", origin.url("good", "1.jpg"), "", "not a url", "ftp://example.com/a.jpg", origin.url("good", "2.jpg"),
        "http://", "javascript:alert(1)", "file:///etc/passwd", origin.url("good", "3.jpg"),
    ]).encode() + b"\n\xff\xfe\x00http://example.com\n" + b"http://example.com/" + b"a" * 100_000 + b"\n")
    gallery = serve(file, *LOOPBACK)
    images = gallery.images(3)
    assert sorted(images) == ["1.jpg", "2.jpg", "3.jpg"]
    assert all(gallery.tile(image).status == 200 for image in images.values())
    for number in (4, 5, 7, 8, 9, 11, 12):
        assert f"{number}" in gallery.log, f"line {number} is not named in:\n{gallery.log}"
    assert "urls.txt" in gallery.log


def test_csv_and_jsonl_files_are_lists(serve, tmp_path, origin):
    table, lines = tmp_path / "a.csv", tmp_path / "b.jsonl"
    table.write_text(f'name,url\n"One, two",{origin.url("good", "1.jpg")}\nThree,{origin.url("good", "2.jpg")}\n')
    lines.write_text(f'{{"url": "{origin.url("good", "3.jpg")}", "name": "Four"}}\n{{broken\n')
    gallery = serve(table, lines, *LOOPBACK)
    images = gallery.images(3)
    assert all(gallery.tile(image).status == 200 for image in images.values())


def test_lists_of_spreadsheets_are_read(serve, tmp_path, origin):
    url = origin.url("good", "{} {}.jpg").format
    table, unicode, tabs = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "c.tsv"
    table.write_bytes(f"sep=;\r\nname;url\r\nKöln;{url('a', 1)}\r\n".encode("cp1252"))
    unicode.write_bytes(f"url\tname\r\n{url('b', 2)}\tOslo\r\n".encode("utf-16"))
    tabs.write_bytes(f"{url('c', 3)}\tRom\n".encode())
    gallery = serve(table, unicode, tabs, *LOOPBACK)
    images = gallery.images(3)
    assert list(images) == ["Köln", "Oslo", "c 3.jpg"]
    assert all(gallery.tile(image).status == 200 for image in images.values())
    assert sorted(origin.asked) == ["/good/a%201.jpg", "/good/b%202.jpg", "/good/c%203.jpg"]


def test_a_template_has_padded_numbers_that_begin_where_told(serve, origin):
    gallery = serve(
        f"http://127.0.0.1:{origin.port}/good/{{index:04}}.jpg", "--count", 3, *LOOPBACK, TESSERA_FIRST="9",
        TESSERA_ORIGIN_HEADER="User-Agent: a, b")
    images = gallery.images(3)
    assert list(images) == ["0009.jpg", "0010.jpg", "0011.jpg"]
    assert all(gallery.tile(image).status == 200 for image in images.values())
    assert sorted(origin.asked) == ["/good/0009.jpg", "/good/0010.jpg", "/good/0011.jpg"]


def test_a_template_makes_a_gallery(serve, origin):
    gallery = serve(f"http://127.0.0.1:{origin.port}/good/{{index}}.jpg", "--count", 25, *LOOPBACK)
    images = gallery.images(25)
    assert len(images) == 25
    assert gallery.tile(next(iter(images.values()))).status == 200


def test_a_corrupt_index_is_rebuilt_and_reported(serve, shared_folder, data):
    gallery = serve(shared_folder)
    before = gallery.images(12)
    assert gallery.tile(next(iter(before.values()))).status == 200
    assert gallery.stop() == 0
    # Not the library, which nothing could rebuild.
    databases = [path for path in data.rglob("*") if path.is_file() and path.read_bytes()[:15] == b"SQLite format 3"
                 and path.name != "library.sqlite"]
    assert databases, f"no database in {list(data.rglob('*'))}"
    for path in databases:
        content = path.read_bytes()
        path.write_bytes(content[:20] + os.urandom(len(content) - 20))
    gallery = serve(shared_folder)
    after = gallery.images(12)
    assert {name: image["id"] for name, image in before.items()} == {name: image["id"] for name, image in after.items()}
    assert pictures.is_whole(gallery.tile(next(iter(after.values()))).body)
    assert any(word in gallery.log.lower() for word in ("rebuil", "corrupt", "anew", "damaged")), gallery.log


def test_an_index_of_a_later_version_does_not_break_the_gallery(serve, shared_folder, data):
    gallery = serve(shared_folder)
    gallery.images(12)
    assert gallery.stop() == 0
    for path in data.rglob("*"):
        if path.is_file() and path.read_bytes()[:15] == b"SQLite format 3" and path.name != "library.sqlite":
            with sqlite3.connect(path) as database:
                database.execute("PRAGMA user_version = 999999")
            database.close()
    # It may refuse to start, or start and serve, but it must not crash.
    again = serve(shared_folder)
    assert len(again.images(12)) == 12


def test_options_can_be_set_in_the_environment(serve, origin, tmp_path):
    file = tmp_path / "urls.txt"
    file.write_text(origin.url("good") + "\n")
    gallery = serve(file, TESSERA_ALLOW_ADDRESS="127.0.0.0/8", TESSERA_HOST="127.0.0.1")
    (image,) = gallery.images(1).values()
    assert gallery.tile(image).status == 200


def test_a_misspelt_variable_is_logged_with_the_one_that_was_meant(serve, shared_folder):
    names = {"TESSERA_PROT": "8080", "TESSERA_WORKER": "1", "TESSERA_ALLOW_HOSTS": "a", "TESSERA_SOMETHING_ELSE": "x"}
    gallery = serve(shared_folder, **names, TESSERA_REGION="eu-west-1", TESSERA_RENDER_DEADLINE="60")
    told = "belongs to no option and has no effect."
    wait_until(lambda: gallery.log.count(told) == len(names), "all of them to be logged", lambda: gallery.log)
    for name, meant in ("PROT", "PORT"), ("WORKER", "WORKERS"), ("ALLOW_HOSTS", "ALLOW_HOST"):
        assert f"TESSERA_{name} {told} Did you mean TESSERA_{meant}?" in gallery.log
    assert f"TESSERA_SOMETHING_ELSE {told}\"\n" in gallery.log


def test_a_data_folder_that_cannot_be_made_is_refused_with_the_reason(shared_folder, data):
    # As on a read-only file system, nobody can make a folder there.
    result = run("serve", shared_folder, "--data", "/sys/tessera/data", data=data)
    assert result.returncode != 0
    assert re.search(r"The data folder /sys/tessera/data cannot be used: (Operation not permitted|Permission denied|Read-only file system)\.",
                     result.stderr), result.stderr


def test_help_names_the_commands_and_their_options(data):
    result = run("--help", data=data)
    assert result.returncode == 0 and "serve" in result.stdout and "demo" in result.stdout
    serve_help = run("serve", "--help", data=data)
    for option in ("--host", "--port", "--data", "--allow-address"):
        assert option in serve_help.stdout
    demo_help = run("demo", "--help", data=data)
    for option in ("--count", "--latency", "--jitter", "--fail", "--hang", "--seed"):
        assert option in demo_help.stdout
