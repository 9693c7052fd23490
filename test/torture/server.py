#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""server.py NAME [SIZE] - a server under a load that ends, for torture.

Starts the server, works it, prints what must be the same each time (sums of what
it answered, not how fast), whatever else it says of its own accord if that is an
error, and the status it ends with.  NAME is one of the functions below."""
import glob
import hashlib
import http.client
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

BAD = re.compile(r"PANIC|ERROR|crash|segfault|terminated by signal"
                 r"|exited on signal|BUG REPORT", re.I)


def wait_for(what, fn, seconds=60):
    end = time.time() + seconds
    while not fn():
        if time.time() > end:
            sys.exit("no %s in %d s" % (what, seconds))
        time.sleep(0.02)


def finish(server, log, how):
    """End it, and print its status and what it had to complain of."""
    server.send_signal(how)
    status = server.wait(timeout=120)
    print("status", status)
    for line in Path(log).read_text(errors="replace").splitlines():
        if BAD.search(line):
            print(line)
    if status:
        sys.exit(1)


def connects(path):
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect(path)
        return True
    except OSError:
        return False
    finally:
        s.close()


def postgres(tmp, size):
    """pgbench of four clients; the balances must be what history says."""
    bindir = os.path.dirname(
        sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))[-1])
    who = {}
    if os.geteuid() == 0:
        p = pwd.getpwnam("postgres")
        os.chown(tmp, p.pw_uid, p.pw_gid)
        who = dict(user=p.pw_uid, group=p.pw_gid, extra_groups=[])
    env = dict(os.environ, LC_ALL="C", TZ="UTC", PGHOST=tmp, PGUSER="tester",
               PGDATABASE="postgres", PATH=bindir + ":" + os.environ["PATH"])
    quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env,
                 cwd=tmp)
    subprocess.run(["initdb", "-N", "-D", tmp + "/db", "-A", "trust", "-U",
                    "tester"], check=True, **quiet, **who)
    with open(tmp + "/log", "w") as log:
        server = subprocess.Popen(
            ["postgres", "-D", tmp + "/db", "-c", "listen_addresses=", "-c",
             "unix_socket_directories=" + tmp, "-c", "fsync=off"], stdout=log,
            stderr=subprocess.STDOUT, env=env, cwd=tmp, **who)
    ask = ["psql", "-XAtqc"]
    wait_for("server", lambda: subprocess.run(ask + ["select 1"],
                                              **quiet).returncode == 0)
    subprocess.run(["pgbench", "-i", "-q", "-s", "4"], check=True, **quiet)
    said = subprocess.run(["pgbench", "-n", "-c", "4", "-j", "2", "-t",
                           str(size)], env=env, cwd=tmp, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    print("pgbench", said.returncode)
    for line in said.stdout.splitlines():
        if re.match("number of (transactions|failed)", line) or \
           BAD.search(line):
            print(line)
    sys.stdout.flush()
    subprocess.run(ask + [
        "select count(*), sum(delta) = (select sum(abalance) from"
        " pgbench_accounts), sum(delta) = (select sum(bbalance) from"
        " pgbench_branches) from pgbench_history"], env=env, check=False)
    finish(server, tmp + "/log", signal.SIGINT)


def redis(tmp, size):
    """Commands in pipelines, a snapshot by a forked child, a script; the digest
    of all that is stored."""
    sock = tmp + "/sock"
    with open(tmp + "/log", "w") as log:
        server = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", sock, "--dir", tmp,
             "--save", "", "--enable-debug-command", "local"], stdout=log,
            stderr=subprocess.STDOUT)
    wait_for("server", lambda: connects(sock))
    s = socket.socket(socket.AF_UNIX)
    s.connect(sock)
    answers = s.makefile("rb")

    def send(*commands):
        words = [c.split(" ") for c in commands]
        s.sendall("".join("*%d\r\n" % len(ws) + "".join(
            "$%d\r\n%s\r\n" % (len(w), w) for w in ws)
            for ws in words).encode())
        return [answers.readline() for _ in commands]
    bad = 0
    for i in range(size):
        got = send("SET k%d v%d" % (i % 5003, i), "INCR n", "LPUSH l%d x%d" %
                   (i % 7, i), "ZADD z %d m%d" % (i % 911, i), "HSET h f%d %d"
                   % (i % 301, i), "EVAL return(redis.call('incr','s')) 0"
                   if i % 3 == 0 else "APPEND a y")
        bad += sum(a.startswith(b"-") for a in got)
        if i % 4000 == 99:
            send("BGSAVE")
    print("errors", bad)
    print(send("GET n"), answers.readline(), send("DEBUG DIGEST"))
    finish(server, tmp + "/log", signal.SIGTERM)


CONF = """daemon off; pid {tmp}/pid; error_log {tmp}/log warn;
worker_processes 2; {user}
events {{ worker_connections 64; }}
http {{ access_log {tmp}/access; gzip on; gzip_types *; gzip_min_length 1;
 client_body_temp_path {tmp}/b; proxy_temp_path {tmp}/p;
 fastcgi_temp_path {tmp}/f; uwsgi_temp_path {tmp}/u; scgi_temp_path {tmp}/s;
 server {{ listen unix:{tmp}/sock; root {tmp}/www; keepalive_requests 50;
  location /re {{ rewrite ^/re(.*)$ $1 last; }} }} }}
"""


def nginx(tmp, size):
    """Two clients, files of all sizes, packed and not, connections that end."""
    os.mkdir(tmp + "/www")
    for i in range(12):
        Path(tmp, "www", "f%d" % i).write_bytes(
            b"".join(b"%d " % (k * k % 977) for k in range(3 ** i // 9 + i)))
    Path(tmp, "conf").write_text(CONF.format(
        tmp=tmp, user="user root;" if os.geteuid() == 0 else ""))
    server = subprocess.Popen(["nginx", "-p", tmp, "-c", tmp + "/conf"],
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    wait_for("server", lambda: connects(tmp + "/sock"))
    sums = [hashlib.sha256() for _ in range(2)]

    def client(me):
        for i in range(size):
            if i % 40 == 0:
                c = http.client.HTTPConnection("localhost")
                c.sock = socket.socket(socket.AF_UNIX)
                c.sock.connect(tmp + "/sock")
            c.request("GET", "%s/f%d" % ("/re" if i % 5 == 0 else "",
                                         (i * 7 + me) % 12),
                      headers={"Accept-Encoding": "gzip"} if i % 2 else {})
            r = c.getresponse()
            sums[me].update(b"%d" % r.status + r.read())
    clients = [threading.Thread(target=client, args=(me,)) for me in (0, 1)]
    for c in clients:
        c.start()
    for c in clients:
        c.join()
    print([s.hexdigest() for s in sums])
    finish(server, tmp + "/log", signal.SIGQUIT)


PAGE = """<body><script>
let h = 0, m = {};
function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
for (let i = 0; i < SIZE; i++) {
 m['k' + i % 97] = JSON.stringify([i, {a: i % 7}]);
 h = (h * 31 + m['k' + i % 97].length + f(i % 12)) | 0;
 try { if (i % 5 == 0) throw i; } catch (e) { h ^= e; }
}
document.body.textContent = 'sum ' + h;
</script></body>
"""


def chromium(tmp, size):
    """A page in a renderer that its sandbox confines; needs an ordinary user."""
    who = {}
    if os.geteuid() == 0:
        p = pwd.getpwnam("nobody")
        os.chown(tmp, p.pw_uid, p.pw_gid)
        who = dict(user=p.pw_uid, group=p.pw_gid, extra_groups=[])
    Path(tmp, "page.html").write_text(PAGE.replace("SIZE", str(size)))
    p = subprocess.run(
        ["chromium", "--headless", "--user-data-dir=" + tmp + "/profile",
         "--disable-gpu", "--timeout=200000", "--dump-dom",
         "file://" + tmp + "/page.html"], env=dict(os.environ, HOME=tmp),
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=tmp,
        check=False, **who)
    sums = re.findall(r"sum -?\d+", p.stdout)
    print("status", p.returncode, sums)
    if not sums:
        sys.exit(1)


def main():
    name, size = sys.argv[1], int(sys.argv[2])
    tmp = tempfile.mkdtemp(prefix="dt-" + name)
    try:
        globals()[name](tmp, size)
    finally:
        shutil.rmtree(tmp, ignore_errors=True)


if __name__ == "__main__":
    main()
