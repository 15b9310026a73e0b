"""Clients at work: work.py SERVERS PATH CLIENTS PAUSE_MS. Each takes the same lock again and again, writes to a znode while
it is inside, and pauses. When the input ends, they close their sessions."""
import sys
import threading
import time

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException

servers, path, clients, pause_ms = sys.argv[1:]
over = threading.Event()
RETRY = {"max_tries": -1, "delay": 0.05, "backoff": 1}


def work():
    zk = KazooClient(servers, timeout=60, connection_retry=RETRY, command_retry=RETRY)
    zk.start(timeout=600)
    zk.retry(zk.ensure_path, path + "/work")
    lock = zk.Lock(path + "/lock")
    while not over.is_set():
        try:
            if lock.acquire(timeout=5):
                zk.retry(zk.set, path + "/work", b"held")
                lock.release()
        except KazooException as e:
            print(repr(e), flush=True)  # a leader is gone: it tries again
        time.sleep(int(pause_ms) / 1000)
    zk.stop()


threads = [threading.Thread(target=work) for _ in range(int(clients))]
for t in threads:
    t.start()
sys.stdin.read()
over.set()
for t in threads:
    t.join()
