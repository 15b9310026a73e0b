"""What becomes of sessions, ephemeral znodes and watches when connections break and sessions end."""
import threading

from kazoo.client import KazooState
from kazoo.exceptions import NoNodeError

from common import LIMIT, cut, eventually, expire, fails


def broken_connection(bench):
    with bench.clients(2) as (a, b):
        mine, node = bench.root + "/mine", bench.root + "/node"
        a.create(mine, ephemeral=True, makepath=True)
        states, session = [], a.client_id
        a.add_listener(states.append)
        for _ in range(3):
            states.clear()
            cut(a)
            eventually(lambda: states == [KazooState.SUSPENDED, KazooState.CONNECTED], "the client is back")
        assert a.client_id == session and b.exists(mine).ephemeralOwner == session[0]
        assert a.create(node) == node


def missed_while_away(bench):
    with bench.clients(2) as (a, b):
        node, data, names = bench.root + "/node", [], []
        a.create(node, b"1", makepath=True)
        a.DataWatch(node, lambda value, stat: data.append(value))
        a.ChildrenWatch(node, lambda children: names.append(children))
        away, back = threading.Event(), threading.Event()

        def hold(state):  # runs in the client's own thread, so it can't connect before this returns
            if state == KazooState.SUSPENDED:
                away.set()
                assert back.wait(LIMIT)

        a.add_listener(hold)
        cut(a)
        assert away.wait(LIMIT)
        b.set(node, b"2")
        b.set(node, b"3")
        b.create(node + "/child")
        back.set()
        eventually(lambda: data == [b"1", b"3"] and names == [[], ["child"]], "it learns what it missed, once")
        b.set(node, b"4")
        eventually(lambda: data[-1] == b"4", "and of what comes after")


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
        for _ in range(LIMIT // 10):
            expire(bench, a)  # unless the client is back sooner, and keeps its session
            if gone.wait(10) or a.client_id[0] != session:
                break
        assert gone.wait(LIMIT), "its ephemeral znode goes with the session"
        assert lost.wait(LIMIT) and again.wait(LIMIT), "the client learns of it, and starts a new one"
        assert a.client_id[0] != session
        fails(NoNodeError, a.get, mine)
        a.create(mine, ephemeral=True)


def silent_session(bench):
    with bench.client() as zk:
        quiet = bench.client(timeout=10)
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
