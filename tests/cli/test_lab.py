"""`lanewise lab`: the requests that it serves and rejects; no request stops the server."""

import http.client
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import threading
import time

import pytest
from conftest import PROGRAM, cancel

DOUBLE = "mode EREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nB[p] = A[p] * 2\n"
ENDLESS = "mode EREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nwhile A[p] >= 0 { B[p] = A[p] }\n"
# A loop of all processors together, so that a GPU returns after each round.
ENDLESS_TOGETHER = "mode CREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nwhile A[0] >= 0 { B[p] = B[(p + 1) % n] + 1 }\n"


class Lab:
    """A server with a page of two files."""

    def __init__(self, folder, *arguments, **more):
        site = folder / "site"
        (site / "assets").mkdir(parents=True, exist_ok=True)
        (site / "index.html").write_text("<!doctype html><title>lab</title>")
        (site / "assets/a.js").write_text("1;")
        self.process = subprocess.Popen([PROGRAM, "lab", "--no-open", "--port", "0", *arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, cwd=folder,
                                        env=os.environ | {"LANEWISE_LAB": str(site)} | more)
        self.said = self.process.stdout.readline()
        found = re.search(r"http://([^:]+):(\d+)/(?:\?token=(\w+))?", self.said)
        assert found, (self.said, self.process.stderr.read())
        self.port, self.token = int(found[2]), found[3]

    def ask(self, method, path, body=None, headers=None, seconds=60):
        """Status, headers, body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, response.headers, response.read()

    def get(self, path, **headers):
        return self.ask("GET", path, headers=headers)

    def run(self, program, text, executor="interpreter", **more):
        """The last line of the answer."""
        status, _, body = self.ask("POST", "/api/run", json.dumps({"program": program, "input": text, "executor": executor} | more),
                                   {"Content-Type": "application/json"})
        return json.loads(body.splitlines()[-1]) if status == 200 else {"status": status, "error": body.decode()}

    def raw(self, data):
        """Sends these bytes and disconnects: half of the time at once, otherwise after an answer or a moment."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=0.05) as client:
            try:
                client.sendall(data)
                return client.recv(4096) if len(data) % 2 else b""
            except OSError:
                return b""

    def memory(self):
        return int(re.search(r"VmRSS:\s*(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text())[1]) << 10

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    server = Lab(tmp_path_factory.mktemp("lab"), "--memory-limit", "100MB", "--max-steps", "1000000000", "--time-limit", "30")
    yield server
    assert server.process.poll() is None
    server.close()


def test_files_of_the_page_alone(lab):
    status, headers, body = lab.get("/")
    assert (status, body) == (200, b"<!doctype html><title>lab</title>")
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe-inline" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert lab.get("/assets/a.js")[1]["Content-Type"].startswith("text/javascript")
    for path in ("/../a.pram", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/assets", "/site/index.html"):
        assert lab.get(path)[0] == 404, path


def test_other_pages_are_rejected(lab):
    here = f"127.0.0.1:{lab.port}"
    job = json.dumps({"program": DOUBLE, "input": "1", "executor": "cpu"})
    as_json = {"Content-Type": "application/json"}
    assert lab.ask("POST", "/api/run", job, as_json | {"Origin": f"http://{here}"})[0] == 200
    for headers in ({"Host": "evil.invalid"}, {"Host": f"evil.invalid:{lab.port}"}, {"Host": "127.0.0.1:1"},
                    {"Host": f"127.0.0.1.evil.invalid:{lab.port}"}, {"Origin": "http://evil.invalid"}, {"Origin": "null"},
                    {"Origin": f"https://{here}"}, {"Sec-Fetch-Site": "cross-site"}):
        status, _, body = lab.ask("POST", "/api/run", job, as_json | headers)
        assert status == 403, headers
        assert lab.get("/", **headers)[0] == 403, headers
    assert lab.get("/", Host=f"localhost:{lab.port}")[0] == 200
    # A link on another page opens the lab.
    assert lab.get("/", **{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})[0] == 200
    # Requests that a form or a script of another page can send without a preflight.
    assert lab.ask("POST", "/api/run", job, {"Content-Type": "text/plain"})[0] == 415
    assert [lab.ask(method, "/api/run", job, as_json)[0] for method in ("PUT", "DELETE", "OPTIONS")] == [405] * 3


def test_the_body_of_a_rejected_request_is_no_request(lab):
    inner = f"GET /api/lab HTTP/1.1\r\nHost: 127.0.0.1:{lab.port}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", lab.port), timeout=20) as client:
        client.sendall((f"POST /api/run HTTP/1.1\r\nHost: evil.invalid\r\nContent-Type: text/plain\r\n"
                        f"Content-Length: {len(inner)}\r\n\r\n{inner}").encode())
        answer = b""
        while part := client.recv(4096):
            answer += part
    assert answer.startswith(b"HTTP/1.1 403") and answer.count(b"HTTP/1.1") == 1


def test_executors_agree(tmp_path, emulated_gpu):
    lab = Lab(tmp_path, **emulated_gpu)
    try:
        found = {one["name"]: one for one in json.loads(lab.get("/api/executors")[2])}
        assert list(found) == ["interpreter", "cpu", "cuda", "cuda-group", "opencl", "opencl-group", "tuned"]
        assert "no tuned version" in lab.run(DOUBLE, "1", "tuned")["error"]
        del found["tuned"]
        assert found["cuda"]["device"] and not found["cuda"]["reason"]
        values = " ".join(map(str, range(250)))  # one group has 256 processors
        for name, one in found.items():
            if one["reason"]:
                assert name.startswith("opencl") and not one["device"]
                assert lab.run(DOUBLE, values, name)["error"] == one["reason"]
                continue
            for active in ("auto", "bitset", "list"):
                result = lab.run(DOUBLE, values, name, active=active, measure=True, without=["all"])["result"]
                [output] = result["outputs"]
                assert output["cells"] == [str(2 * i) for i in range(250)]
                assert output["checksum"] == checksum([2 * i for i in range(250)])
                assert 0 < result["seconds"] < 10 and result["runs"] >= 1
    finally:
        lab.close()


GRAPH = "graph =\n" + "\n".join(f"{i * i % 41} {i * 7 % 40} {i % 9}" for i in range(60))
POINTERS = "next = " + " ".join(str((i + 7) % 40 if i != 33 else -1) for i in range(40))
TREE = "parent = " + " ".join(str(i // 2) for i in range(40))
NUMBERS = "A = " + " ".join(str(i * i % 97 - 40) for i in range(1000))


@pytest.mark.parametrize("name, text", [
    *((name, NUMBERS) for name in ("reduction", "scan", "doubling_scan", "exclusive_scan", "sort", "sort_odd_even", "sort_bitonic",
                                   "odd_even_sort", "bitonic_sort")),
    ("list_ranking", POINTERS), ("tree_depth", TREE), ("components", GRAPH), ("breadth_first_search", "root = 0\n" + GRAPH),
    ("spanning_forest", GRAPH), ("matching", "graph =\n0 3\n0 4\n1 3\n2 4\n2 5"), ("matrix_product", "A =\n1 2\n3 4\nB =\n5 6\n7 8.5"),
])
def test_tuned_versions_compute_what_programs_do(lab, lanewise, name, text):
    program = lanewise("pram", "list", name)[1]
    tuned, steps = (lab.run(program, text, executor)["result"]["outputs"] for executor in ("tuned", "interpreter"))
    if name == "matching":  # the chosen edges may differ, their number may not
        tuned, steps = ([cell == "-1" for cell in sorted(output["cells"])] for [output] in (tuned, steps))
    assert tuned == steps


@pytest.mark.parametrize("name, text", [
    ("components", "n = 3\nsource = 0 5\ntarget = 1 2"), ("components", "n = 3\nsource = 0 -1\ntarget = 1 2"),
    ("components", "n = 3\nsource = 0 1\ntarget = 1"), ("components", "n = 99999999999\nsource = 0\ntarget = 1"), ("components", "n = -1"),
    ("breadth_first_search", "n = 3\nroot = 9\nsource = 0\ntarget = 1"), ("matching", "offset = 0 9\nneighbour = 1\nright = 2"),
    ("matching", "offset = 2 0\nneighbour = 1\nright = 2"), ("matching", "offset = 0 1\nneighbour = 77\nright = 2"),
    ("matrix_product", "A =\n1 2\n3 4\nB =\n1 2 3"), ("list_ranking", "next = 5 5"), ("tree_depth", "parent = 1 0"), ("scan", ""),
])
def test_tuned_versions_reject_what_is_no_input(lab, lanewise, name, text):
    assert "error" in lab.run(lanewise("pram", "list", name)[1], text, "tuned")
    assert lab.run(DOUBLE, "1")["result"]


def checksum(numbers):
    total = 2166136261
    for number in numbers:
        for half in (number & 0xFFFFFFFF, number >> 32 & 0xFFFFFFFF):
            total = (total ^ half) * 16777619 & 0xFFFFFFFF
    return total


def test_the_program_to_open(lab, tmp_path):
    assert json.loads(lab.get("/api/lab")[2])["program"] is None
    (tmp_path / "mine.pram").write_text(DOUBLE)
    for name, text in (("mine.pram", DOUBLE), ("reduction", None)):
        other = Lab(tmp_path, name)
        program = json.loads(other.get("/api/lab")[2])["program"]
        other.close()
        assert program["name"] == name and program["text"] == (text or program["text"]) and "mode " in program["text"]


@pytest.mark.parametrize("arguments, error", [
    (["none.pram"], "none.pram"),
    (["no_such_program"], "no_such_program"),
    (["--host", "192.0.2.1"], "192.0.2.1"),
    (["--port", "70000"], "--port"),
    (["--memory-limit", "much"], "much"),
])
def test_bad_arguments(lanewise, tmp_path, arguments, error):
    (tmp_path / "index.html").write_text("")
    code, _, said = lanewise("lab", "--no-open", *arguments, env=os.environ | {"LANEWISE_LAB": "."})
    assert code == 2 and error in said, said


def test_a_missing_page_and_a_taken_port(lab, lanewise, tmp_path):
    code, _, said = lanewise("lab", "--no-open", env=os.environ | {"LANEWISE_LAB": str(tmp_path / "none")})
    assert code == 2 and "./dev lab-site" in said and str(tmp_path / "none") in said
    (tmp_path / "index.html").write_text("")
    code, _, said = lanewise("lab", "--no-open", "--port", str(lab.port), env=os.environ | {"LANEWISE_LAB": str(tmp_path)})
    assert code == 2 and f"port {lab.port}" in said and "--port" in said


def test_other_machines_need_the_token(tmp_path):
    lab = Lab(tmp_path, "--host", "0.0.0.0")
    try:
        assert re.fullmatch("[0-9a-f]{32}", lab.token)
        assert lab.get("/")[0] == 403 and lab.get("/api/lab")[0] == 403
        assert lab.get("/?token=" + "0" * 32)[0] == 403
        status, headers, _ = lab.get(f"/?token={lab.token}", Host="lab.invalid:1234")
        assert status == 302 and headers["Location"] == "/" and "HttpOnly" in headers["Set-Cookie"]
        cookie = headers["Set-Cookie"].split(";")[0]
        assert lab.get("/", Host="lab.invalid:1234", Cookie=f"other=1; {cookie}")[0] == 200
        assert lab.get("/", Cookie=cookie[:-1])[0] == 403
        assert lab.get("/api/lab", Cookie=cookie, Origin="http://evil.invalid")[0] == 403
    finally:
        lab.close()


def test_budgets(tmp_path):
    lab = Lab(tmp_path, "--max-steps", "1000", "--memory-limit", "1MB", "--time-limit", "1")
    try:
        for executor in ("interpreter", "cpu"):
            assert "1000" in lab.run(ENDLESS, "1 2 3", executor)["error"]
            assert "memory limit of 976.6 KiB" in lab.run(DOUBLE, " ".join(["1"] * 100_000), executor)["error"]
    finally:
        lab.close()
    lab = Lab(tmp_path, "--max-steps", "4000000000", "--time-limit", "1")
    try:
        for executor in ("interpreter", "cpu"):
            begin = time.monotonic()
            assert "--time-limit" in lab.run(ENDLESS, " ".join(["1"] * 1000), executor)["error"]
            assert 0.9 < time.monotonic() - begin < 3
    finally:
        lab.close()


def test_a_program_reads_no_file(lab):
    for text in ("A = @/etc/passwd", "@/etc/passwd", "graph = @/etc/passwd", "A = file:///etc/passwd"):
        assert "Input:1" in lab.run(DOUBLE, text)["error"]


def test_errors_say_what_and_where(lab):
    assert "program:4" in lab.run("mode EREW\ninput A[n] : int\nprocessors n\nB[p] = 1\n", "1")["error"]
    assert "Input:2" in lab.run(DOUBLE, "A = 1\nx")["error"]
    assert "read" in lab.run("mode EREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nB[p] = A[0]\n", "1 2")["error"]
    good = {"program": DOUBLE, "input": "1", "executor": "cpu"}
    for change, message in (({"program": 1}, "'program'"), ({"executor": "abacus"}, "abacus"), ({"active": "some"}, "some"),
                            ({"without": ["some"]}, "some"), ({"without": [[]]}, "without"), ({"program": " " * 300_000}, "bytes")):
        status, _, body = lab.ask("POST", "/api/run", json.dumps(good | change), {"Content-Type": "application/json"})
        said = body.decode()
        assert message in said, (change, said)
        assert status == 400 or (status == 200 and "error" in json.loads(said.splitlines()[-1]))


@pytest.mark.parametrize("executor", ["interpreter", "cpu", "cuda", "opencl"])
def test_a_closed_page_frees_its_run_within_a_second(tmp_path, executor, request):
    gpu = request.getfixturevalue("emulated_gpu") if executor == "cuda" else {}
    lab = Lab(tmp_path, "--max-runs", "1", "--max-steps", "4000000000", **gpu)
    try:
        [reason] = [one["reason"] for one in json.loads(lab.get("/api/executors")[2]) if one["name"] == executor]
        if reason:
            pytest.skip(reason)
        lab.run(ENDLESS_TOGETHER, "-1", executor)  # kernels are compiled
        body = json.dumps({"program": ENDLESS_TOGETHER, "input": " ".join(["1"] * 100_000), "executor": executor}).encode()
        for _ in range(3):
            client = socket.create_connection(("127.0.0.1", lab.port))
            client.sendall(b"POST /api/run HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                           % (lab.port, len(body)) + body)
            received = b""
            while b'"steps":' not in received.replace(b'{"steps":0}', b""):  # it runs
                received += client.recv(4096)
            client.close()
            begin = time.monotonic()
            assert "result" in lab.run(DOUBLE, "1 2 3")
            assert time.monotonic() - begin < 1
    finally:
        lab.close()


def test_runs_beyond_the_limit_wait(tmp_path):
    lab = Lab(tmp_path, "--max-runs", "1", "--time-limit", "1", "--max-steps", "4000000000")
    try:
        answers = []
        endless = threading.Thread(target=lambda: answers.append(lab.run(ENDLESS, "1 2")))
        endless.start()
        time.sleep(0.3)
        assert "--time-limit" in lab.run(ENDLESS, "1")["error"]
        endless.join()
        assert len(answers) == 1 and "result" in lab.run(DOUBLE, "1")
    finally:
        lab.close()


def test_too_many_runs_are_rejected(tmp_path):
    lab = Lab(tmp_path, "--max-runs", "1", "--time-limit", "2", "--max-steps", "4000000000")
    try:
        answers = []
        clients = [threading.Thread(target=lambda: answers.append(lab.run(ENDLESS, "1 2"))) for _ in range(20)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        assert len(answers) == 20
        rejected = [answer for answer in answers if answer.get("status") == 503]
        assert len(rejected) == 11 and "too many runs" in rejected[0]["error"]
        assert "result" in lab.run(DOUBLE, "1")
    finally:
        lab.close()


def requests(port):
    """Malformed requests, each with a name."""
    draw = random.Random(1)
    head = f"POST /api/run HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n".encode()
    with_body = lambda body: head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    good = json.dumps({"program": DOUBLE, "input": "1 2 3", "executor": "cpu"}).encode()
    for i in range(150):
        yield f"random bytes {i}", draw.randbytes(draw.choice([1, 10, 1000, 100_000]))
        yield f"random JSON {i}", with_body(bytes(draw.choice(b'{}[]",:0123456789truefalsn\\u ') for _ in range(draw.randrange(300))))
        changed = bytearray(good)
        for _ in range(draw.randrange(1, 5)):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        yield f"a changed request {i}", with_body(bytes(changed))
        yield f"a request cut off {i}", with_body(good)[: draw.randrange(len(good))]
    yield "deep JSON", with_body(b"[" * 4_000_000)
    yield "wide JSON", with_body(b"[" + b"1," * 4_000_000 + b"1]")
    yield "a large program", with_body(json.dumps({"program": "(" * 8_000_000, "input": "", "executor": "cpu"}).encode())
    yield "deep nesting", with_body(json.dumps({"program": DOUBLE.replace("A[p]", "(" * 200_000), "input": "", "executor": "cpu"}).encode())
    yield "a matrix of many vertices", with_body(json.dumps({
        "program": "mode CREW\ninput W[n, n] : real\noutput B[n] : real\nprocessors n\nB[p] = W[p, p]\n",
        "input": "graph =\n" + "\n".join(f"{i} {i}" for i in range(16_000)), "executor": "cpu"}).encode())
    yield "much memory", with_body(json.dumps({"program": "mode EREW\noutput B[1000000000] : int\nB[0] = 1\n", "input": "",
                                               "executor": "interpreter"}).encode())
    yield "a body beyond the limit", with_body(b" " * (20 << 20))
    yield "a length beyond the limit", head + b"Content-Length: 99999999999\r\n\r\n"
    yield "no length", head + b"Content-Length: -5\r\n\r\n"
    yield "endless headers", head + b"X-Large: 1234567890\r\n" * 4_000_000
    yield "one long header", head + b"X-Large: " + b"1" * 50_000_000
    yield "a long path", b"GET /" + b"a" * 10_000_000 + b" HTTP/1.1\r\n\r\n"
    yield "endless chunks", head + b"Transfer-Encoding: chunked\r\n\r\n" + b"fffff\r\n" + (b" " * 0xFFFFF + b"\r\nfffff\r\n") * 60
    yield "many ranges", f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nRange: bytes={','.join(['0-'] * 2000)}\r\n\r\n".encode()
    yield "a compressed body", head + b"Content-Encoding: gzip\r\nContent-Length: 10\r\n\r\n" + b"\x1f\x8b" + bytes(8)


def test_whatever_arrives_it_stays_up_and_small(lab):
    for name, data in requests(lab.port):
        lab.raw(data)
        assert lab.process.poll() is None, name
        # The sizes of a request, of its JSON and of its strings; the limit of a run is 100 MB.
        assert lab.memory() < 500 << 20, name
    assert lab.run(DOUBLE, "1 2")["result"]["outputs"][0]["cells"] == ["2", "4"]


def test_idle_connections_keep_nobody_out(lab):
    idle = [socket.create_connection(("127.0.0.1", lab.port)) for _ in range(24)]
    begin = time.monotonic()
    assert lab.get("/")[0] == 200
    assert time.monotonic() - begin < 5
    for one in idle:
        one.close()


def test_interrupt_ends_it(tmp_path):
    lab = Lab(tmp_path)
    code, _ = cancel(lab.process, patience=5)
    assert code == 130
    lab.close()
