# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tools that watch connections, in a network of their own where that matters."""
import shutil

from toolkit import Skip, tool

# A connection with known bytes both ways, one that is refused, and datagrams.
WORK = """
import socket, threading, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
def serve():
    a, _ = s.accept()
    while a.recv(65536):
        pass
    a.sendall(b"y" * 777)
    a.close()
t = threading.Thread(target=serve)
t.start()
c = socket.create_connection(s.getsockname())
print("ports", s.getsockname()[1], c.getsockname()[1], flush=True)
time.sleep(0.1)
c.sendall(b"x" * 10000)
c.shutdown(socket.SHUT_WR)
while c.recv(4096):
    pass
c.close()
t.join()
try:
    socket.create_connection(("127.0.0.1", 1))
except OSError:
    pass
time.sleep(0.2)
"""
DATAGRAMS = """
import socket
a, b = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for i in "ab")
a.bind(("127.0.0.1", 0))
b.bind(("127.0.0.1", 0))
for i in range(25):
    b.sendto(b"z" * 100, a.getsockname())
    a.recv(1000, socket.MSG_PEEK)
    a.recv(1000)
a.sendto(b"", b.getsockname())
print("ports", a.getsockname()[1], b.getsockname()[1], flush=True)
"""


def rows(r):
    """Rows that begin with a number, as words, and the ports of the work."""
    ports = next(x.split()[1:] for x in r.out.splitlines()
                 if x.startswith("ports"))
    return [x.split() for x in r.out.splitlines()
            if x.split() and x.split()[0].replace(".", "").isdigit()], ports


L = "127.0.0.1"


@tool("tcpconnect", "bpf")
def tcpconnect(t):
    r = t.run("-c", t.python(WORK))
    got, (server, client) = rows(r)
    assert [x[2:] for x in got][0] == [L, client, L, server], r.out
    assert [x[4:] for x in got] == [[L, server], [L, "1"]], r.out
    assert len({x[0] for x in got}) == 1, r.out


@tool("tcpaccept", "bpf")
def tcpaccept(t):
    r = t.run("-c", t.python(WORK))
    got, (server, client) = rows(r)
    assert [x[3:] for x in got] == [[L, server, L, client]], r.out


@tool("tcplife", "bpf")
def tcplife(t):
    r = t.run("-c", t.python(WORK))
    got, (server, client) = rows(r)
    ends = {x[3]: x for x in got}
    assert ends[client][2:8] == [L, client, L, server, "10000", "777"], r.out
    assert ends[server][2:8] == [L, server, L, client, "777", "10000"], r.out
    assert all(float(ends[p][8]) >= 100 for p in (client, server)), r.out
    assert [x[5:8] for x in got if x[5] == "1"] == [["1", "0", "0"]], r.out
    assert len(got) == 3 and len({x[0] for x in got}) == 1, r.out


@tool("tcptop", "bpf")
def tcptop(t):
    t.kernel(6, 3)
    r = t.run("-c", t.python(WORK))
    got, (server, client) = rows(r)
    ends = {x[3]: x[6:] for x in got if len(x) == 8}
    assert ends[client][0] == "10000" and ends[server] == ["777", "10000"], \
        r.out


@tool("udptop", "bpf")
def udptop(t):
    t.kernel(6, 3)
    r = t.run("-c", t.python(DATAGRAMS))
    got, (a, b) = rows(r)
    ends = {x[2]: x[3:] for x in got if len(x) == 7}
    assert ends[b] == ["25", "2500", "0", "0"], r.out
    assert ends[a] == ["1", "0", "25", "2500"], r.out


@tool("tcpconnlat", "bpf")
def tcpconnlat(t):
    r = t.run("-c", t.python(WORK))
    got, (server, client) = rows(r)
    assert [(x[5], x[7]) for x in got] == [(server, "connected"),
                                           ("1", "closed")], r.out
    assert all(0 < float(x[6]) < 60000 for x in got), r.out
    r = t.run("3600000", "-c", t.python(WORK))
    assert not rows(r)[0], r.out


@tool("tcpstates", "bpf")
def tcpstates(t):
    """Of the end that closes first, in order."""
    p = t.start()
    w = t.spawn(*t.python(WORK).split())
    ports = w.stdout.readline().split()[1:]
    w.wait()
    r = t.stop(p)
    server, client = ports
    mine = [x.split() for x in r.out.splitlines()
            if x.split()[2:3] == [client]]
    assert [x[6] for x in mine] == [
        "state-established", "state-fin-wait-1", "state-fin-wait-2",
        "state-closed"], r.out
    assert [x[5] for x in mine][1:] == [x[6] for x in mine][:-1], r.out
    # It was established while the work slept.
    assert float(mine[1][7]) >= 100, r.out


@tool("tcpstates", "bpf")
def tcpstates_port(t):
    p = t.start("1")
    t.spawn(*t.python(WORK).split()).wait()
    got = [x.split() for x in t.stop(p).out.splitlines()[1:] if x.split()]
    assert got and all(x[4] == "1" for x in got
                       if x[0] != "it"), got


def alone(t, text):
    """The command for a program in a network of its own, with loopback."""
    for program in ("unshare", "ip"):
        if shutil.which(program) is None:
            raise Skip("no " + program)
    return "unshare -n " + t.shell("ip link set lo up\n" + text)


@tool("netdev", "bpf")
def netdev(t):
    """A device of a name of its own: 25 datagrams with what is around them."""
    name = "dt" + str(t.tmp)[-6:].replace("_", "x").lower()
    p = t.start()
    w = t.spawn(*alone(t, f"""
ip link add {name}0 type veth peer name {name}1
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 2>/dev/null
echo 1 >/proc/sys/net/ipv6/conf/{name}0/disable_ipv6
echo 1 >/proc/sys/net/ipv6/conf/{name}1/disable_ipv6
ip addr add 10.99.0.1/24 dev {name}0
ip neigh add 10.99.0.2 lladdr 02:00:00:00:00:02 dev {name}0
ip link set {name}0 up || exit 9
ip link set {name}1 up
exec """ + t.python("""
import socket, time
a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(25):
    a.sendto(b"z" * 100, ("10.99.0.2", 9))
time.sleep(0.3)
""")).split())
    if w.wait() != 0:
        raise Skip("no veth devices")
    r = t.stop(p)
    x = {x["DEVICE"]: x for x in r.table("DEVICE")}
    assert (x[name + "0"]["OUT"], x[name + "0"]["SENT"]) == \
        ("25", str(25 * 142)), r.out
    assert (x[name + "1"]["IN"], x[name + "1"]["RECEIVED"]) == \
        ("25", str(25 * 128)), r.out


@tool("tcpretrans", "bpf")
def tcpretrans(t):
    """Nobody answers: the first segment is sent again after a second."""
    p = t.start()
    w = t.spawn(*alone(t, """
ip link add nobody type veth peer name other || exit 9
ip link set other up
ip addr add 10.98.0.1/24 dev nobody
ip link set nobody up
ip neigh add 10.98.0.2 lladdr 02:00:00:00:00:02 dev nobody
exec """ + t.python("""
import socket
a = socket.socket()
a.settimeout(2)
try:
    a.connect(("10.98.0.2", 4711))
except OSError:
    pass
""")).split())
    if w.wait() == 9:
        raise Skip("no veth devices")
    r = t.stop(p)
    got = [x.split() for x in r.out.splitlines() if " 10.98.0.2 " in x]
    assert 1 <= len(got) <= 4, r.out
    for x in got:
        assert x[4] == "10.98.0.1" and x[7] == "4711" and \
            x[8] == "state-syn-sent" and int(x[5]) > 0, r.out
