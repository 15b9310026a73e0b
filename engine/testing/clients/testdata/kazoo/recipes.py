"""kazoo's recipes, each with several clients at once."""
import threading

from kazoo.exceptions import LockTimeout
from kazoo.recipe.cache import TreeCache, TreeEvent

from common import LIMIT, add_one_unprotected, at_once, eventually, fails

CLIENTS, ROUNDS = 8, 5


def lock(bench):
    with bench.clients(CLIENTS) as zks:
        zks[0].create(bench.root + "/count", b"0", makepath=True)

        def work(i):
            for _ in range(ROUNDS):
                with zks[i].Lock(bench.root + "/lock", "client-%d" % i):
                    add_one_unprotected(zks[i], bench.root + "/count")

        at_once(CLIENTS, work)
        assert int(zks[0].get(bench.root + "/count")[0]) == CLIENTS * ROUNDS
        assert zks[0].get_children(bench.root + "/lock") == []


def lock_that_is_taken(bench):
    with bench.clients(2) as (a, b):
        held, wanted = a.Lock(bench.root + "/lock", "a"), b.Lock(bench.root + "/lock", "b")
        assert held.acquire()
        assert not wanted.acquire(blocking=False)
        fails(LockTimeout, wanted.acquire, timeout=0.05)
        assert wanted.contenders() == ["a"], "who gave up leaves nothing in the queue"
        held.release()
        assert wanted.acquire(timeout=LIMIT)
        wanted.release()


def lock_of_one_who_died(bench):
    with bench.clients(2) as (a, b):
        a.Lock(bench.root + "/lock", "a").acquire()
        got = threading.Event()
        wanted = b.Lock(bench.root + "/lock", "b")
        waiting = threading.Thread(target=lambda: wanted.acquire() and got.set(), daemon=True)
        waiting.start()
        eventually(lambda: wanted.contenders() == ["a", "b"], "b waits in the queue")
        assert not got.is_set()
        a.stop()  # without a release: the end of the session is one
        assert got.wait(LIMIT), "b has the lock"
        wanted.release()


def read_and_write_locks(bench):
    with bench.clients(3) as (a, b, c):
        path = bench.root + "/lock"
        one, two, writer = a.ReadLock(path, "one"), b.ReadLock(path, "two"), c.WriteLock(path, "writer")
        assert one.acquire() and two.acquire(timeout=LIMIT), "readers go together"
        assert not writer.acquire(blocking=False)
        one.release()
        two.release()
        assert writer.acquire(timeout=LIMIT)
        assert not one.acquire(blocking=False)
        writer.release()
        # No reader waits beside a waiting writer here: kazoo 2.8's readers wait for writers behind them too.
        a.create(bench.root + "/count", b"0")

        def work(i):
            for _ in range(ROUNDS):
                with (a, b, c)[i].WriteLock(path):
                    add_one_unprotected((a, b, c)[i], bench.root + "/count")

        at_once(3, work)
        assert int(a.get(bench.root + "/count")[0]) == 3 * ROUNDS


def semaphore(bench):
    with bench.clients(CLIENTS) as zks:
        inside, most = [], []

        def work(i):
            for _ in range(2):
                with zks[i].Semaphore(bench.root + "/semaphore", "client-%d" % i, max_leases=3):
                    inside.append(i)
                    most.append(len(inside))
                    zks[i].exists(bench.root)
                    inside.remove(i)

        at_once(CLIENTS, work)
        assert len(most) == 2 * CLIENTS and max(most) <= 3, most
        assert zks[0].get(bench.root + "/semaphore")[0] == b"3"


def barrier(bench):
    with bench.clients(4) as zks:
        gate = zks[0].Barrier(bench.root + "/barrier")
        zks[0].ensure_path(bench.root)
        gate.create()
        passed = []

        def work(i):
            if i == 0:
                assert not zks[0].Barrier(bench.root + "/barrier").wait(timeout=0.05) and not passed
                assert gate.remove()
            assert zks[i].Barrier(bench.root + "/barrier").wait(LIMIT)
            passed.append(i)

        at_once(4, work)
        assert len(passed) == 4


def double_barrier(bench):
    with bench.clients(CLIENTS) as zks:
        arrived, left = [], []
        # kazoo's barrier waits for ever if one leaves before another has noticed that it may enter.
        entered = threading.Barrier(CLIENTS)

        def work(i):
            both = zks[i].DoubleBarrier(bench.root + "/barrier", CLIENTS, "client-%d" % i)
            arrived.append(i)
            both.enter()
            assert len(arrived) == CLIENTS, "client %d passed when %d had come" % (i, len(arrived))
            entered.wait(LIMIT)
            left.append(i)
            both.leave()
            assert len(left) == CLIENTS, "client %d left when %d wanted to" % (i, len(left))

        at_once(CLIENTS, work)


def election(bench):
    with bench.clients(CLIENTS) as zks:
        zks[0].create(bench.root + "/count", b"0", makepath=True)
        led = []

        def lead(i):
            led.append(i)
            add_one_unprotected(zks[i], bench.root + "/count")

        at_once(CLIENTS, lambda i: zks[i].Election(bench.root + "/election", "client-%d" % i).run(lead, i))
        assert sorted(led) == list(range(CLIENTS)), led
        assert int(zks[0].get(bench.root + "/count")[0]) == CLIENTS


def queue(bench):
    with bench.clients(4) as zks:
        taken = []

        def work(i):
            q = zks[i].Queue(bench.root + "/queue")
            if i < 2:
                for n in range(10):
                    q.put(b"%d-%d" % (i, n), priority=50 if n == 9 else 100)
                return

            def took():
                item = q.get()
                if item is not None:
                    taken.append(item)
                return len(taken) >= 20

            eventually(took, "20 items are taken")

        at_once(4, work)
        assert sorted(taken) == sorted(b"%d-%d" % (i, n) for i in range(2) for n in range(10)), taken


def locking_queue(bench):
    with bench.clients(3) as (a, b, c):
        a.LockingQueue(bench.root + "/queue").put_all([b"1", b"2", b"3"])
        two, three = b.LockingQueue(bench.root + "/queue"), c.LockingQueue(bench.root + "/queue")
        assert two.get(LIMIT) == b"1" and three.get(LIMIT) == b"2"
        assert two.holds_lock() and two.consume()
        assert three.release(), "what is taken and not done goes back"
        assert two.get(LIMIT) == b"2" and two.consume()
        assert two.get(LIMIT) == b"3" and two.consume()
        assert len(two) == 0


def party(bench):
    with bench.clients(3) as zks:
        members = [zk.Party(bench.root + "/party", "client-%d" % i) for i, zk in enumerate(zks)]
        shallow = [zk.ShallowParty(bench.root + "/shallow", "client-%d" % i) for i, zk in enumerate(zks)]
        for m in members + shallow:
            m.join()
        everybody = ["client-0", "client-1", "client-2"]
        assert sorted(members[0]) == everybody and sorted(shallow[0]) == everybody
        members[1].leave()
        zks[2].stop()
        zks[0].sync(bench.root)
        assert list(members[0]) == ["client-0"] and sorted(shallow[0]) == everybody[:2]


def counter(bench):
    with bench.clients(4) as zks:
        def work(i):
            c = zks[i].Counter(bench.root + "/counter")
            for _ in range(ROUNDS):
                c += 3
                c -= 1

        at_once(4, work)
        assert zks[0].Counter(bench.root + "/counter").value == 4 * ROUNDS * 2


def watchers(bench):
    with bench.clients(2) as (a, b):
        path, data, names = bench.root + "/node", [], []
        a.ensure_path(bench.root)
        a.DataWatch(path, lambda value, stat: data.append(value))
        assert data == [None]
        b.create(path, b"1")
        a.ChildrenWatch(path, lambda children: names.append(sorted(children)))
        for step, value in ((1, b"1"), (2, b"2"), (3, b"3")):
            if step > 1:
                b.set(path, value)
            eventually(lambda: data[-1] == value, "the watcher hears of %r" % value)
            b.create(path + "/%d" % step)
            eventually(lambda: len(names[-1]) == step, "the watcher hears of child %d" % step)
        assert data == [None, b"1", b"2", b"3"], data
        assert names == [[], ["1"], ["1", "2"], ["1", "2", "3"]], names
        b.delete(path, recursive=True)
        eventually(lambda: data[-1] is None, "the watcher hears that the node is gone")


def tree_cache(bench):
    with bench.clients(2) as (a, b):
        b.create(bench.root + "/x/y", b"1", makepath=True)
        cache, ready = TreeCache(a, bench.root), threading.Event()
        cache.listen(lambda event: ready.set() if event.event_type == TreeEvent.INITIALIZED else None)
        cache.start()
        assert ready.wait(LIMIT), "the cache has read the tree"
        assert cache.get_data(bench.root + "/x/y").data == b"1"
        b.set(bench.root + "/x/y", b"2")
        b.create(bench.root + "/x/z")
        eventually(lambda: cache.get_data(bench.root + "/x/y").data == b"2", "the cache follows data")
        eventually(lambda: cache.get_children(bench.root + "/x") == {"y", "z"}, "the cache follows children")
        cache.close()


CHECKS = [lock, lock_that_is_taken, lock_of_one_who_died, read_and_write_locks, semaphore, barrier, double_barrier,
          election, queue, locking_queue, party, counter, watchers, tree_cache]
