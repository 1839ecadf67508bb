"""A small S3: what an object store's clients need of the protocol, for tests that have no store.

Path-style requests (`/bucket/key`), objects in memory, no signatures checked. Put (with If-None-Match and If-Match), get
(with ranges), head, delete, listing in pages, and making a bucket. Every object was modified just now.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

PAGE_KEYS = 1000


class Objects:
    """Buckets of objects. One lock: conditional puts are decided under it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.buckets: dict[str, dict[str, bytes]] = {}


def etag_of(data: bytes) -> str:
    return f'"{hashlib.md5(data).hexdigest()}"'


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    objects: Objects

    def log_message(self, *_: object) -> None:
        """Says nothing: tests have their own words."""

    def _place(self) -> tuple[str, str, dict[str, list[str]]]:
        parts = urlsplit(self.path)
        bucket, _, key = unquote(parts.path).lstrip("/").partition("/")
        return bucket, key, parse_qs(parts.query, keep_blank_values=True)

    def _answer(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        given = {"Content-Length": str(len(body)), **(headers or {})}
        for name, value in given.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _fail(self, status: int, code: str) -> None:
        self._answer(
            status, f"<Error><Code>{code}</Code></Error>".encode(), {"Content-Type": "application/xml"}
        )

    def _body(self) -> bytes:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if "aws-chunked" not in (self.headers.get("Content-Encoding") or ""):
            return data
        out, at = b"", 0
        while at < len(data):
            line, _, _ = data[at:].partition(b"\r\n")
            size = int(line.split(b";")[0], 16)
            if size == 0:
                break
            start = at + len(line) + 2
            out += data[start : start + size]
            at = start + size + 2
        return out

    def do_PUT(self) -> None:
        bucket, key, _ = self._place()
        data = self._body()
        with self.objects.lock:
            if not key:
                self.objects.buckets.setdefault(bucket, {})
                return self._answer(200)
            found = self.objects.buckets.get(bucket)
            if found is None:
                return self._fail(404, "NoSuchBucket")
            old = found.get(key)
            wanted = self.headers.get("If-Match")
            if (self.headers.get("If-None-Match") == "*" and old is not None) or (
                wanted is not None and (old is None or etag_of(old) != wanted)
            ):
                return self._fail(412, "PreconditionFailed")
            found[key] = data
        self._answer(200, headers={"ETag": etag_of(data)})

    def do_GET(self) -> None:
        bucket, key, query = self._place()
        with self.objects.lock:
            found = self.objects.buckets.get(bucket)
            objects = dict(found) if found is not None else None
        if objects is None:
            return self._fail(404, "NoSuchBucket")
        if not key:
            return self._list(bucket, objects, query)
        data = objects.get(key)
        if data is None:
            return self._fail(404, "NoSuchKey")
        headers = {"ETag": etag_of(data), "Last-Modified": formatdate(usegmt=True)}
        span = self.headers.get("Range")
        if span is None or self.command == "HEAD":
            if self.command == "HEAD":
                headers["Content-Length"] = str(len(data))
            return self._answer(200, data, headers)
        first, _, last = span.removeprefix("bytes=").partition("-")
        low = int(first) if first else max(len(data) - int(last), 0)
        high = min(int(last), len(data) - 1) if first and last else len(data) - 1
        headers["Content-Range"] = f"bytes {low}-{high}/{len(data)}"
        self._answer(206, data[low : high + 1], headers)

    do_HEAD = do_GET

    def do_DELETE(self) -> None:
        bucket, key, _ = self._place()
        with self.objects.lock:
            self.objects.buckets.get(bucket, {}).pop(key, None)
        self._answer(204)

    def _list(self, bucket: str, objects: dict[str, bytes], query: dict[str, list[str]]) -> None:
        prefix = query.get("prefix", [""])[0]
        after = query.get("continuation-token", query.get("start-after", [""]))[0]
        keys = sorted(k for k in objects if k.startswith(prefix) and k > after)
        modified = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        page, more = keys[:PAGE_KEYS], len(keys) > PAGE_KEYS
        items = "".join(
            f"<Contents><Key>{escape(k)}</Key><LastModified>{modified}</LastModified>"
            f"<ETag>{escape(etag_of(objects[k]))}</ETag><Size>{len(objects[k])}</Size></Contents>"
            for k in page
        )
        token = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if more else ""
        body = (
            '<?xml version="1.0" encoding="UTF-8"?>'
            '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<Name>{escape(bucket)}</Name><Prefix>{escape(prefix)}</Prefix><KeyCount>{len(page)}</KeyCount>"
            f"<IsTruncated>{str(more).lower()}</IsTruncated>{items}{token}</ListBucketResult>"
        )
        self._answer(200, body.encode(), {"Content-Type": "application/xml"})


@contextmanager
def running_object_store() -> Iterator[tuple[str, Objects]]:
    """The endpoint's URL, and what is in it."""
    objects = Objects()
    handler = type("Handler", (_Handler,), {"objects": objects})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", objects
    finally:
        server.shutdown()
        server.server_close()
        thread.join(30)
