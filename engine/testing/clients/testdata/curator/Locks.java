import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;

/** Locks and semaphores. What they protect is a number in a znode, read and written without a version. */
class Locks extends Bench {
    private static final int THREADS = 10, ROUNDS = 5;

    private Locks() {
        super(null, null);
    }

    static void add(Map<String, Main.Check> checks) {
        checks.put("mutexOfTenThreads", Locks::mutexOfTenThreads);
        checks.put("mutexOfTenClients", Locks::mutexOfTenClients);
        checks.put("mutexGivenUp", Locks::mutexGivenUp);
        checks.put("mutexOfOneWhoDied", Locks::mutexOfOneWhoDied);
        checks.put("semaphore", Locks::semaphore);
        checks.put("readWriteLock", Locks::readWriteLock);
        checks.put("otherLocks", Locks::otherLocks);
    }

    /** The demo of many an article: ten threads, one client, one lock, one counter. */
    static void mutexOfTenThreads(Bench b) throws Exception {
        CuratorFramework zk = b.client();
        number(zk, b.root + "/count");
        InterProcessMutex lock = new InterProcessMutex(zk, b.root + "/lock");
        int[] counter = {0};
        atOnce(THREADS, i -> {
            for (int round = 0; round < ROUNDS; round++) {
                lock.acquire();
                lock.acquire(); // it is reentrant
                counter[0]++;
                addOneUnprotected(zk, b.root + "/count");
                lock.release();
                lock.release();
            }
        });
        same(counter[0], THREADS * ROUNDS);
        same(numberAt(zk, b.root + "/count"), THREADS * ROUNDS);
    }

    static void mutexOfTenClients(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(THREADS);
        number(zk[0], b.root + "/count");
        atOnce(THREADS, i -> {
            InterProcessMutex lock = new InterProcessMutex(zk[i], b.root + "/lock");
            for (int round = 0; round < ROUNDS; round++) {
                check(lock.acquire(LIMIT_SECONDS, TimeUnit.SECONDS), "no lock");
                addOneUnprotected(zk[i], b.root + "/count");
                lock.release();
            }
        });
        same(numberAt(zk[0], b.root + "/count"), THREADS * ROUNDS);
    }

    static void mutexGivenUp(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(2);
        InterProcessMutex held = new InterProcessMutex(zk[0], b.root + "/lock");
        InterProcessMutex wanted = new InterProcessMutex(zk[1], b.root + "/lock");
        held.acquire();
        check(!wanted.acquire(50, TimeUnit.MILLISECONDS), "two hold one lock");
        same(held.getParticipantNodes().size(), 1);
        held.release();
        check(wanted.acquire(LIMIT_SECONDS, TimeUnit.SECONDS), "nobody holds the lock, and it can't be had");
        wanted.release();
    }

    static void mutexOfOneWhoDied(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(2);
        InterProcessMutex wanted = new InterProcessMutex(zk[1], b.root + "/lock");
        new InterProcessMutex(zk[0], b.root + "/lock").acquire();
        atOnce(2, i -> {
            if (i == 0) {
                eventually(() -> wanted.getParticipantNodes().size() == 2, "the other waits");
                zk[0].close();
            } else {
                check(wanted.acquire(LIMIT_SECONDS, TimeUnit.SECONDS), "the end of a session releases its lock");
            }
        });
    }

    static void semaphore(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(THREADS);
        lasting(zk[0], b.root + "/semaphore/leases");
        lasting(zk[0], b.root + "/semaphore/locks");
        AtomicInteger inside = new AtomicInteger(), most = new AtomicInteger(), entries = new AtomicInteger();
        atOnce(THREADS, i -> {
            InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(zk[i], b.root + "/semaphore", 3);
            for (int round = 0; round < 2; round++) {
                Lease lease = semaphore.acquire(LIMIT_SECONDS, TimeUnit.SECONDS);
                int now = inside.incrementAndGet();
                most.accumulateAndGet(now, Math::max);
                entries.incrementAndGet();
                zk[i].checkExists().forPath(b.root);
                inside.decrementAndGet();
                semaphore.returnLease(lease);
            }
        });
        check(entries.get() == 2 * THREADS && most.get() <= 3, entries + " entered, at most " + most + " together");
        InterProcessSemaphoreV2 all = new InterProcessSemaphoreV2(zk[0], b.root + "/semaphore", 3);
        same(all.acquire(3, LIMIT_SECONDS, TimeUnit.SECONDS).size(), 3);
        same(new InterProcessSemaphoreV2(zk[1], b.root + "/semaphore", 3).acquire(50, TimeUnit.MILLISECONDS), null);
    }

    static void readWriteLock(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(6);
        number(zk[0], b.root + "/count");
        AtomicInteger readers = new AtomicInteger();
        InterProcessReadWriteLock one = new InterProcessReadWriteLock(zk[0], b.root + "/lock");
        InterProcessReadWriteLock other = new InterProcessReadWriteLock(zk[1], b.root + "/lock");
        one.readLock().acquire();
        check(other.readLock().acquire(LIMIT_SECONDS, TimeUnit.SECONDS), "readers go together");
        check(!other.writeLock().acquire(50, TimeUnit.MILLISECONDS), "a writer entered beside readers");
        one.readLock().release();
        other.readLock().release();
        atOnce(zk.length, i -> {
            InterProcessReadWriteLock lock = new InterProcessReadWriteLock(zk[i], b.root + "/lock");
            for (int round = 0; round < ROUNDS; round++) {
                lock.readLock().acquire();
                readers.incrementAndGet();
                numberAt(zk[i], b.root + "/count");
                readers.decrementAndGet();
                lock.readLock().release();
                lock.writeLock().acquire();
                same(readers.get(), 0);
                addOneUnprotected(zk[i], b.root + "/count");
                lock.writeLock().release();
            }
        });
        same(numberAt(zk[0], b.root + "/count"), zk.length * ROUNDS);
    }

    static void otherLocks(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(4);
        number(zk[0], b.root + "/count");
        lasting(zk[0], b.root + "/one/leases");
        lasting(zk[0], b.root + "/one/locks");
        atOnce(zk.length, i -> {
            InterProcessLock both = new InterProcessMultiLock(List.of(
                    new InterProcessSemaphoreMutex(zk[i], b.root + "/one"),
                    new InterProcessMutex(zk[i], b.root + "/two")));
            for (int round = 0; round < ROUNDS; round++) {
                both.acquire();
                addOneUnprotected(zk[i], b.root + "/count");
                both.release();
            }
        });
        same(numberAt(zk[0], b.root + "/count"), zk.length * ROUNDS);
    }
}
