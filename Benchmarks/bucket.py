"""A bucket of a million keys, listed page by page from a store on loopback, compared to `aws s3 ls --recursive`. The
store builds its pages as fast as it can and checks no signatures; it is a process of its own, on the same cores."""

import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from measuring import memory_megabytes
from million import status, until
from peers import Tessera

COUNT, PAGE = 1_000_000, 1000
ROWS = "".join(
    f"<Contents><Key>2024/%(folder)04d/IMG_%(number)04d{number:03d}.jpg</Key>"
    f"<LastModified>2024-05-01T10:00:00.000Z</LastModified><ETag>&quot;{number:08x}00000000%(number)08x00000000&quot;"
    f"</ETag><Size>{100_000 + number}</Size><StorageClass>STANDARD</StorageClass></Contents>" for number in range(PAGE))
ENVIRONMENT = {"AWS_ACCESS_KEY_ID": "AKIABENCH", "AWS_SECRET_ACCESS_KEY": "bench", "AWS_DEFAULT_REGION": "us-east-1",
               "AWS_EC2_METADATA_DISABLED": "true"}


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves page after page; a token is the page's number."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 20

    def log_message(self, *_):
        pass

    def do_GET(self):
        token = self.path.partition("continuation-token=")[2].partition("&")[0]
        number = int(token or 0)
        isLast = (number + 1) * PAGE >= COUNT
        more = "" if isLast else f"<NextContinuationToken>{number + 1}</NextContinuationToken>"
        body = ('<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult '
                f'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bench</Name><Prefix></Prefix>{more}'
                f"<KeyCount>{PAGE}</KeyCount><MaxKeys>{PAGE}</MaxKeys><EncodingType>url</EncodingType>"
                f"<IsTruncated>{'false' if isLast else 'true'}</IsTruncated>"
                f"{ROWS % {'folder': number // 4, 'number': number}}</ListBucketResult>").encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Store:
    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True)
        self.endpoint = f"http://127.0.0.1:{int(self.process.stdout.readline())}"
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def listed_by_aws(endpoint: str) -> float:
    """How many seconds the AWS command line needs to list all keys."""
    aws = shutil.which("aws") or str(pathlib.Path(sys.executable).parent / "aws")
    start = time.monotonic()
    subprocess.run([aws, "--endpoint-url", endpoint, "s3", "ls", "--recursive", "s3://bench"], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, **ENVIRONMENT})
    return time.monotonic() - start


def is_paged(ours: Tessera) -> bool:
    return len(ours.json("/api/v1/images?limit=100")["images"]) == 100


def run(report, options):
    with Store() as store, tempfile.TemporaryDirectory(prefix="tessera-bench-") as folder:
        data, words = pathlib.Path(folder), ("s3://bench", "--endpoint", store.endpoint)
        start = time.monotonic()
        with Tessera(*words, data=data, environment=ENVIRONMENT) as ours:
            until(lambda: is_paged(ours))
            first = time.monotonic() - start
            until(lambda: not status(ours)["scanning"], pause=0.05)
            whole = time.monotonic() - start
            if status(ours)["total"] != COUNT:
                raise RuntimeError(f"{status(ours)['total']} of {COUNT} were listed")
            peak = memory_megabytes(ours.pid, "VmHWM")
        start = time.monotonic()
        with Tessera(*words, data=data, environment=ENVIRONMENT) as ours:
            until(lambda: is_paged(ours))
            again = time.monotonic() - start
        peer = listed_by_aws(store.endpoint)
    report.add("bucket", "first 100 of a new bucket", "s", first, target="<= 1", holds=first <= 1)
    report.add("bucket", "all keys", "s", whole, peer, "aws s3 ls --recursive", "<= 1.5 times", whole <= 1.5 * peer)
    report.add("bucket", "restart until a page", "s", again, target="<= 1", holds=again <= 1)
    report.add("bucket", "memory while listing, peak", "MB", peak)


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
