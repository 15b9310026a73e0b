"""Clients at work: work.py SERVERS PATH CLIENTS PAUSE_MS. Each takes the same lock again and again, writes to a znode while
it is inside, and pauses. When the input ends, they close their sessions.

Now and then a client of kazoo does nothing more after its server has been killed. Another takes its place then."""
import os
import sys
import threading
import time

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException

servers, path, clients, pause_ms = sys.argv[1:]
over = threading.Event()
RETRY = {"max_tries": -1, "delay": 0.05, "backoff": 1}
STUCK = 20  # seconds; who is only slow gets help


class Worker(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.seen = time.monotonic()
        self.start()

    def run(self):
        zk = KazooClient(servers, timeout=60, connection_retry=RETRY, command_retry=RETRY)
        zk.start(timeout=600)
        zk.retry(zk.ensure_path, path + "/work")
        lock = zk.Lock(path + "/lock")
        while not over.is_set():
            self.seen = time.monotonic()
            try:
                if lock.acquire(timeout=5):
                    zk.retry(zk.set, path + "/work", b"held")
                    lock.release()
            except KazooException as e:
                print(repr(e), flush=True)  # a leader is gone: it tries again
            time.sleep(int(pause_ms) / 1000)
        zk.stop()


def until_the_end():
    sys.stdin.read()
    over.set()


threading.Thread(target=until_the_end, daemon=True).start()
at_work = [Worker() for _ in range(int(clients))]
while not over.wait(1):
    for i, worker in enumerate(at_work):
        if time.monotonic() - worker.seen > STUCK:
            print("a client is stuck", flush=True)
            at_work[i] = Worker()
for worker in at_work:
    worker.join(STUCK)
os._exit(0)  # whether or not one of them is stuck
