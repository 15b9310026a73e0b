# What redis-py's Lock does at the port whose number is given, and what comes of it.
import sys

import redis
from redis.exceptions import LockNotOwnedError

port = int(sys.argv[1])
a = redis.Redis(port=port, client_name="a")
b = redis.Redis(port=port, client_name="b", decode_responses=True)


def refused(do):
    try:
        do()
    except LockNotOwnedError as e:
        return type(e).__name__ + ": " + str(e)
    return "not refused"


one = a.lock("lock", timeout=600)
two = b.lock("lock", timeout=600)
print("a takes it:", one.acquire())
print("b is refused:", two.acquire(blocking=False))
print("a has it:", one.owned(), "b has it:", two.owned())
before = a.pttl("lock")
print("a extends it:", one.extend(600), a.pttl("lock") > before + 500_000)
print("a has it begin anew:", one.reacquire(), a.pttl("lock") <= 600_000)
print("a extends it to:", one.extend(60, replace_ttl=True), a.pttl("lock") <= 60_000)
print("the keys:", b.keys("l?c[j-l]"), list(b.scan_iter("*", count=1)), b.type("lock"), b.ttl("lock") > 50)
one.release()
print("b takes it:", two.acquire(blocking=False))
one.local.token = b"stale"
print("a releases it:", refused(one.release))
one.local.token = b"stale"
print("a extends it:", refused(lambda: one.extend(60)))
print("a has it begin anew:", refused(one.reacquire))
print("b still has it:", two.owned())
two.release()
print("somebody has it:", one.locked())
forever = a.lock("lock")
print("a takes it for ever:", forever.acquire(), a.ttl("lock"))
forever.release()
print("who:", a.client_getname(), b.client_getname(), a.ping())
