"""nginx with TLS, as commonly used in front of a gallery: HTTP/2 for static files, or a proxy for our own server."""

import base64
import hashlib
import os
import pathlib
import socket
import subprocess

from peers import Peer, wait_for_port

# Unsent bytes in the kernel; the value that Cloudflare and other HTTP/2 servers use.
UNSENT = 16 * 1024


class Certificate:
    """A self-signed certificate for 127.0.0.1, trusted by clients that know its `fingerprint`."""

    def __init__(self, folder: pathlib.Path):
        self.key, self.file = folder / "key.pem", folder / "certificate.pem"
        self._openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "7",
            "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.key, "-out", self.file)
        public = self._openssl("x509", "-in", self.file, "-pubkey", "-noout")
        self._der = self._openssl("pkey", "-pubin", "-outform", "DER", given=public)

    @property
    def fingerprint(self) -> str:
        """In the format of Chromium's --ignore-certificate-errors-spki-list: with that, everything works as with a
        purchased certificate; with an untrusted certificate nothing is cached, and no service worker starts."""
        return base64.b64encode(hashlib.sha256(self._der).digest()).decode()

    @staticmethod
    def _openssl(*words, given: bytes = b"") -> bytes:
        return subprocess.run(["openssl", *map(str, words)], check=True, input=given, capture_output=True).stdout


class SecureNginx(Peer):
    """Serves `files` over HTTP/2, or else proxies everything to the port `behind`.

    `unsent` limits the unsent data of a connection in the kernel (TCP_NOTSENT_LOWAT); None for no limit. Without a
    limit, everything already queued is sent before the response to any newer request. nginx 1.22 has no directive
    for it, and the sysctl applies to the whole machine. But a connection inherits the option from its listening
    socket, and nginx can inherit a listening socket (`NGINX`, as in its own upgrades)."""

    def __init__(self, certificate: Certificate, files: dict[str, bytes] | None = None, behind: int | None = None,
                 unsent: int | None = None):
        super().__init__()
        self._certificate = certificate
        pages = self.folder / "files"
        for name, content in (files or {}).items():
            (pages / name).parent.mkdir(parents=True, exist_ok=True)
            (pages / name).write_bytes(content)
        with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
            if unsent:
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, unsent)
            self.port = listener.getsockname()[1]
            served = f"root {pages};" if behind is None else self._proxy(behind)
            (self.folder / "nginx.conf").write_text(self._configuration(served, small=unsent is not None))
            self.process = subprocess.Popen(
                ["nginx", "-p", str(self.folder), "-e", str(self.folder / "errors"),
                 "-c", str(self.folder / "nginx.conf")],
                env={**os.environ, "NGINX": f"{listener.fileno()};"}, pass_fds=[listener.fileno()],
                stdin=subprocess.DEVNULL)
            wait_for_port(self.port, self.process)

    @staticmethod
    def _proxy(port: int) -> str:
        return f"""
            location / {{
                proxy_pass http://127.0.0.1:{port};
                proxy_http_version 1.1;
                proxy_set_header Host $http_host;
                proxy_set_header Upgrade $http_upgrade;
                proxy_set_header Connection $upgrade;
                proxy_set_header X-Forwarded-For $remote_addr;
                proxy_set_header X-Forwarded-Proto https;
                proxy_read_timeout 1h;
            }}"""

    def _configuration(self, served: str, small: bool) -> str:
        # Small records can be decrypted before the rest has arrived; the default is 16 KB.
        records = "ssl_buffer_size 4k;" if small else ""
        return f"""
            daemon off;
            {'user root;' if os.getuid() == 0 else ''}
            worker_processes auto;
            pid {self.folder}/pid;
            error_log {self.folder}/errors warn;
            events {{ worker_connections 8192; }}
            http {{
                log_format spoken '$server_protocol $status $body_bytes_sent $request_uri';
                access_log {self.folder}/requests spoken buffer=64k flush=1s;
                tcp_nodelay on;
                open_file_cache max=10000 inactive=300s;
                open_file_cache_valid 300s;
                keepalive_requests 1000000000;
                types {{ text/html html; text/css css; text/javascript js; image/avif avif; }}
                default_type application/octet-stream;
                map $http_upgrade $upgrade {{ default upgrade; '' ''; }}
                client_body_temp_path {self.folder}/body; proxy_temp_path {self.folder}/proxy;
                fastcgi_temp_path {self.folder}/fast; uwsgi_temp_path {self.folder}/uwsgi;
                scgi_temp_path {self.folder}/scgi;
                server {{
                    listen 127.0.0.1:{self.port} ssl http2;
                    ssl_certificate {self._certificate.file};
                    ssl_certificate_key {self._certificate.key};
                    ssl_protocols TLSv1.3;
                    # The one that `tls` reads; a browser on a processor with AES asks for it first.
                    ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
                    {records}
                    {served}
                }}
            }}"""
