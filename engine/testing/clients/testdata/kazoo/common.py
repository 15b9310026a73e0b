"""What the checks share: clients that end with their check, threads whose failures count, and waiting."""
import contextlib
import socket
import struct
import threading
import time

from kazoo.client import KazooClient

LIMIT = 120  # seconds for what must happen sooner or later, on a machine however slow
SESSION = 60  # seconds, so that it outlives a machine that stands still


class Bench:
    """A server to check, and a path of its own for one check to work under."""

    def __init__(self, server, root):
        self.server, self.root = server, root

    def client(self, **settings):
        """A client that is connected. It is stopped when the with block around it ends."""
        zk = KazooClient(self.server, **{"timeout": SESSION, **settings})
        zk.start(timeout=LIMIT)
        return stopping(zk)

    @contextlib.contextmanager
    def clients(self, n):
        with contextlib.ExitStack() as stack:
            yield [stack.enter_context(self.client()) for _ in range(n)]


@contextlib.contextmanager
def stopping(zk):
    try:
        yield zk
    finally:
        zk.stop()
        zk.close()


def at_once(n, work):
    """Runs work(0) … work(n-1) in a thread each, and raises the first thing that one of them raised."""
    failed = []

    def one(i):
        try:
            work(i)
        except BaseException as e:
            failed.append(e)

    threads = [threading.Thread(target=one, args=(i,), daemon=True) for i in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(LIMIT)
        assert not t.is_alive(), "a thread is still at work after %d s" % LIMIT
    if failed:
        raise failed[0]


def eventually(condition, what):
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, "not within %d s: %s" % (LIMIT, what)
        time.sleep(0.005)


def fails(error, call, *args, **kwargs):
    """Asserts that the call raises just this error."""
    try:
        got = call(*args, **kwargs)
    except error as e:
        assert type(e) is error, "%r instead of %s" % (e, error.__name__)
        return
    raise AssertionError("%r instead of %s" % (got, error.__name__))


def add_one_unprotected(zk, path):
    """Reads, adds, writes, with nothing that would keep others from doing so between: a lock must."""
    value, _ = zk.get(path)
    zk.set(path, b"%d" % (int(value) + 1))


def cut(zk):
    """Breaks the client's connection. Its session goes on."""
    zk._connection._socket.shutdown(socket.SHUT_RDWR)


def expire(bench, zk):
    """Ends the client's session behind its back: another connection takes it over with its password and closes it.
    Both are asked for at once, because the client soon takes it back."""
    session, password = zk.client_id
    host, port = bench.server.split(":")
    with socket.create_connection((host, int(port)), LIMIT) as thief:
        hello = struct.pack(">iiqiqi16s", 44, 0, 0, SESSION * 1000, session, 16, password)
        thief.sendall(hello + struct.pack(">iii", 8, 1, -11))
        with contextlib.suppress(ConnectionError):
            while thief.recv(100):
                pass
