"""Joins the queue at /zkviz/queue with kazoo, three times."""
import sys
import time

from kazoo.client import KazooClient
from kazoo.recipe.lock import Lock


class QueueLock(Lock):
    """kazoo calls its znodes …__lock__…; these are called as Curator and go-zookeeper call theirs."""

    _NODE_NAME = "-lock-"
    _EXCLUDE_NAMES = ["-lock-"]


server = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:2181"
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 3
zk = KazooClient(server)
zk.start()
for _ in range(3):
    with QueueLock(zk, "/zkviz/queue", "kazoo"):
        print("kazoo: inside", flush=True)
        time.sleep(seconds)
        print("kazoo: leaving", flush=True)
zk.stop()
