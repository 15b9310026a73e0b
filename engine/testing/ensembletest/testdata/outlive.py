"""A client with an ephemeral znode: outlive.py SERVERS PATH. For each line "write" it changes the znode, however often it
has to try, and says "wrote"; for each "look" it says "mine" if the znode is there and its session the first one."""
import sys

from kazoo.client import KazooClient

servers, path = sys.argv[1:]
zk = KazooClient(servers, timeout=60, connection_retry={"max_tries": -1}, command_retry={"max_tries": -1})
zk.start(timeout=120)
zk.create(path, b"", ephemeral=True)
session = zk.client_id[0]
print("ready", flush=True)
for line in sys.stdin:
    if line.strip() == "write":
        zk.retry(zk.set, path, b"again")
        print("wrote", flush=True)
    else:
        stat = zk.retry(zk.exists, path)
        print("mine" if stat and stat.ephemeralOwner == session == zk.client_id[0] else "lost", flush=True)
zk.stop()
