"""Clients of kazoo: programs.py SERVERS TIMEOUT_MS [CA CERT KEY]. Each line of the input is VERB CLIENT RECIPE PATH [MS]: to acquire, to
try for so long, to release, to close. It says what becomes of that, a line each: MS RECIPE PATH CLIENT SESSION EVENT."""
import queue
import sys
import threading
import time

from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import LockTimeout, NoNodeError
from kazoo.security import make_digest_acl

servers, timeout_ms, *files = sys.argv[1:]
TLS = dict(zip(("ca", "certfile", "keyfile"), files), use_ssl=True) if files else {}
RETRY = {"max_tries": 100, "delay": 0.1, "backoff": 1}
clients = {}
visits = {}
saying = threading.Lock()
opening = threading.Lock()


def say(recipe, path, name, event, *more):
    zk = clients.get(name)
    session = zk.client_id[0] & (1 << 64) - 1 if zk and zk.client_id else 0
    with saying:
        print(int(time.time() * 1000), recipe, path, name, hex(session), event, *more, flush=True)


def opened(name, state):
    """Says so in a thread of its own, since the listener's is the one that reads what the server sends."""
    if state == KazooState.CONNECTED:
        threading.Thread(target=say_opened, args=(name,), daemon=True).start()


def say_opened(name):
    try:
        host, port = clients[name]._connection._socket.getsockname()[:2]
        say("-", "-", name, "OPENED", f"{host}:{port}")
    except (AttributeError, KeyError, OSError):
        say("-", "-", name, "OPENED")  # that connection is gone again


def close(name):
    zk = clients.pop(name, None)
    if zk:
        zk.stop()
        zk.close()
    say("-", "-", name, "CLOSED")


def client(name):
    with opening:
        if name not in clients:
            zk = KazooClient(servers, timeout=int(timeout_ms) / 1000, connection_retry=RETRY, command_retry=RETRY, **TLS)
            clients[name] = zk
            zk.add_listener(lambda state: opened(name, state))
            zk.start(timeout=600)
        return clients[name]


class Lock:
    """What has acquire and release."""

    def __init__(self, make, path, name, ephemeral=True, **more):
        self.of = make(path, name, **more)
        self.how = {} if ephemeral else {"ephemeral": False}

    def acquire(self, seconds, said):
        if self.of.acquire(timeout=seconds, **self.how):
            said("GOT")
        else:
            said("GAVEUP")

    def release(self):
        self.of.release()


class Election:
    def __init__(self, zk, path, name):
        self.of, self.over, self.left = zk.Election(path, name), threading.Event(), threading.Event()

    def acquire(self, seconds, said):
        def lead():
            said("GOT")
            self.over.wait()

        def run():
            self.of.run(lead)
            self.left.set()

        self.over.clear()
        self.left.clear()
        threading.Thread(target=run, daemon=True).start()

    def release(self):
        self.over.set()
        self.left.wait()


class DoubleBarrier:
    def __init__(self, zk, path, name):
        self.of = zk.DoubleBarrier(path, 3, name)

    def acquire(self, seconds, said):
        self.of.enter()
        said("GOT" if self.of.participating else "FAILED")

    def release(self):
        self.of.leave()


class Party:
    def __init__(self, zk, path, name):
        self.of = zk.Party(path, name)

    def acquire(self, seconds, said):
        self.of.join()
        said("GOT")

    def release(self):
        self.of.leave()


class LockingQueue:
    def __init__(self, zk, path, name):
        self.of, self.name = zk.LockingQueue(path), name

    def acquire(self, seconds, said):
        self.of.put(self.name.encode())
        said("GOT" if self.of.get(seconds) else "GAVEUP")

    def release(self):
        self.of.consume()


class Written:
    """Locks that people write by themselves, going by the recipes page: with a watch on the list, on the one just ahead, on
    the first, or on nothing. One that is inert watches the one just ahead, and does nothing when it is told."""

    def __init__(self, zk, path, name, watch, prefix="lock-", waits_for=""):
        self.zk, self.path, self.watch, self.prefix, self.waits_for = zk, path, watch, prefix, waits_for
        self.name = name.encode()

    def acquire(self, seconds, said):
        self.zk.ensure_path(self.path)
        self.znode = self.zk.create(self.path + "/" + self.prefix, self.name, ephemeral=True, sequence=True)
        own = self.znode.rsplit("/", 1)[1]
        while True:
            event = threading.Event()
            on_list = (lambda e: event.set()) if self.watch == "list" else None
            names = sorted(self.zk.get_children(self.path, watch=on_list), key=lambda n: n[-10:])
            ahead = [n for n in names[:names.index(own)] if n.startswith(self.waits_for)]
            if not ahead:
                return said("GOT")
            if self.watch in ("ahead", "first", "inert"):
                other = ahead[0] if self.watch == "first" else ahead[-1]
                if not self.zk.exists(self.path + "/" + other, watch=lambda e: self.watch == "inert" or event.set()):
                    continue
            if not event.wait(seconds):
                return said("GAVEUP")  # and leaves its znode there, as somebody may forget to clean up

    def release(self):
        self.zk.delete(self.znode)


class Secret(Lock):
    """A lock that only its clients may read."""

    def __init__(self, zk, path, name):
        zk.add_auth("digest", "me:secret")
        zk.default_acl = [make_digest_acl("me", "secret", all=True)]
        super().__init__(zk.Lock, path, name)


class Reads:
    """One who reads a znode, and one that isn't there."""

    def __init__(self, zk, path, name):
        self.zk, self.path, self.name = zk, path, name.encode()

    def acquire(self, seconds, said):
        self.zk.ensure_path(self.path)
        self.zk.set(self.path, self.name)
        self.zk.get(self.path)
        try:
            self.zk.get(self.path + "/missing")
        except NoNodeError:
            said("GOT")

    def release(self):
        pass


RECIPES = {
    "lock": lambda zk, path, name: Lock(zk.Lock, path, name),
    "lasting": lambda zk, path, name: Lock(zk.Lock, path, name, ephemeral=False),
    "mixed": lambda zk, path, name: Lock(zk.Lock, path, name, extra_lock_patterns=["-lock-"]),
    "read": lambda zk, path, name: Lock(zk.ReadLock, path, name),
    "write": lambda zk, path, name: Lock(zk.WriteLock, path, name),
    "semaphore": lambda zk, path, name: Lock(zk.Semaphore, path, name, max_leases=2),
    "election": Election,
    "doublebarrier": DoubleBarrier,
    "party": Party,
    "lockingqueue": LockingQueue,
    "children": lambda zk, path, name: Written(zk, path, name, "list", "n-"),
    "ahead": lambda zk, path, name: Written(zk, path, name, "ahead"),
    "first": lambda zk, path, name: Written(zk, path, name, "first"),
    "inert": lambda zk, path, name: Written(zk, path, name, "inert"),
    "blind": lambda zk, path, name: Written(zk, path, name, "none"),
    "secret": Secret,
    "reads": Reads,
    "page-read": lambda zk, path, name: Written(zk, path, name, "ahead", "read-", "write-"),
    "page-write": lambda zk, path, name: Written(zk, path, name, "ahead", "write-"),
}


class Visit:
    """A client and what it wants, one thing after the other."""

    def __init__(self, name, recipe, path):
        self.name, self.recipe, self.path, self.how = name, recipe, path, None
        self.todo = queue.Queue()
        threading.Thread(target=self.work, daemon=True).start()

    def say(self, event, *more):
        say(self.recipe, self.path, self.name, event, *more)

    def work(self):
        while True:
            verb, seconds = self.todo.get()
            try:
                self.carry_out(verb, seconds)
            except LockTimeout:
                self.say("GAVEUP")
            except Exception as e:  # whatever it is, the one who asked is told
                self.say("FAILED", repr(e))

    def carry_out(self, verb, seconds):
        if not self.how:
            self.how = RECIPES[self.recipe](client(self.name), self.path, self.name)
        if verb == "release":
            self.say("LEAVES")
            self.how.release()
            self.say("LEFT")
        else:
            self.say("WAITS")
            self.how.acquire(seconds, self.say)


for line in sys.stdin:
    verb, name, *what = line.split()
    if verb == "close":
        threading.Thread(target=close, args=(name,), daemon=True).start()
        continue
    recipe, path = what[:2]
    if (name, recipe, path) not in visits:
        visits[name, recipe, path] = Visit(name, recipe, path)
    visits[name, recipe, path].todo.put((verb, int(what[2]) / 1000 if len(what) > 2 else None))
for zk in list(clients.values()):
    zk.stop()
