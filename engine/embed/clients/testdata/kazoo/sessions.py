"""What becomes of sessions, ephemeral znodes and watches when connections break and sessions end."""
import threading

from kazoo.client import KazooState
from kazoo.exceptions import NoNodeError

from common import LIMIT, cut, eventually, expire, fails


def broken_connection(bench):
    with bench.clients(2) as (a, b):
        mine, node = bench.root + "/mine", bench.root + "/node"
        a.create(mine, ephemeral=True, makepath=True)
        a.create(node)
        states, events, session = [], [], a.client_id
        a.add_listener(states.append)
        a.exists(mine, watch=events.append)
        a.get(node, watch=events.append)
        a.get_children(node, watch=events.append)
        a.exists(node + "/child", watch=events.append)
        for _ in range(3):
            states.clear()
            cut(a)
            eventually(lambda: states == [KazooState.SUSPENDED, KazooState.CONNECTED], "the client is back")
        assert a.client_id == session and b.exists(mine).ephemeralOwner == session[0]
        b.set(node, b"1")
        b.create(node + "/child")
        eventually(lambda: len(events) == 3, "its watches are still set")
        got = sorted((e.type, e.path) for e in events)
        assert got == [("CHANGED", node), ("CHILD", node), ("CREATED", node + "/child")], got


def missed_while_away(bench):
    with bench.clients(2) as (a, b):
        events, away, back = [], threading.Event(), threading.Event()
        nodes = ["/changed", "/deleted", "/parent", "/again", "/still"]
        for name in nodes:
            a.create(bench.root + name, makepath=True)
            a.get_children(bench.root + name, watch=events.append)
            a.get(bench.root + name, watch=events.append)
        a.exists(bench.root + "/created", watch=events.append)

        def hold(state):  # runs in the client's own thread, so it can't connect before it returns
            if state == KazooState.SUSPENDED:
                away.set()
                assert back.wait(LIMIT)

        a.add_listener(hold)
        cut(a)
        assert away.wait(LIMIT)
        b.set(bench.root + "/changed", b"1")
        b.delete(bench.root + "/deleted")
        b.create(bench.root + "/parent/child")
        b.delete(bench.root + "/again")
        b.create(bench.root + "/again")
        b.create(bench.root + "/created")
        back.set()
        eventually(lambda: len(events) >= 6, "the client hears of what it missed")
        a.sync(bench.root)
        b.set(bench.root + "/still", b"1")
        eventually(lambda: events[-1].path == bench.root + "/still", "and of what comes after")
        got = sorted((e.path[len(bench.root):], e.type) for e in events)
        assert got == [("/again", "CHANGED"), ("/changed", "CHANGED"), ("/created", "CREATED"),
                       ("/deleted", "DELETED"), ("/deleted", "DELETED"), ("/parent", "CHILD"),
                       ("/still", "CHANGED")], got


def end_of_session(bench):
    with bench.clients(2) as (a, b):
        mine, lost, again = bench.root + "/mine", threading.Event(), threading.Event()
        a.create(mine, ephemeral=True, makepath=True)
        gone = threading.Event()
        b.exists(mine, watch=lambda event: gone.set())

        def state_is(state):
            if state == KazooState.LOST:
                lost.set()
            if state == KazooState.CONNECTED and lost.is_set():
                again.set()

        a.add_listener(state_is)
        session = a.client_id[0]
        expire(bench, a)
        assert gone.wait(LIMIT), "its ephemeral znode goes with the session"
        assert lost.wait(LIMIT) and again.wait(LIMIT), "the client learns of it, and starts a new one"
        assert a.client_id[0] != session
        fails(NoNodeError, a.get, mine)
        a.create(mine, ephemeral=True)


def silent_session(bench):
    with bench.client() as zk:
        quiet = bench.client(timeout=0.4)
        with quiet as a:
            mine = a.create(bench.root + "/mine", ephemeral=True, makepath=True)
            gone, back = threading.Event(), threading.Event()
            zk.exists(mine, watch=lambda event: gone.set())

            def sleep(state):
                if state == KazooState.SUSPENDED:
                    assert gone.wait(LIMIT)
                if state == KazooState.CONNECTED:
                    back.set()

            a.add_listener(sleep)
            cut(a)
            assert gone.wait(LIMIT), "the server ends the session of who is silent for too long"
            assert back.wait(LIMIT) and a.exists(mine) is None


CHECKS = [broken_connection, missed_while_away, end_of_session, silent_session]
