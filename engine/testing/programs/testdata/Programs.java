import java.util.Arrays;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.barriers.DistributedBarrier;
import org.apache.curator.framework.recipes.barriers.DistributedDoubleBarrier;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.recipes.queue.DistributedQueue;
import org.apache.curator.framework.recipes.queue.QueueBuilder;
import org.apache.curator.framework.recipes.queue.QueueConsumer;
import org.apache.curator.framework.recipes.queue.QueueSerializer;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.recipes.leader.LeaderElectionSupport;
import org.apache.zookeeper.recipes.lock.LockListener;
import org.apache.zookeeper.recipes.lock.WriteLock;

/**
 * Clients of Curator and of ZooKeeper's own recipes: Programs SERVERS TIMEOUT_MS. Each line of the input is VERB CLIENT
 * RECIPE PATH [MS]: to acquire, to try for so long, to release, to close. It says what becomes of that, a line each:
 * MS RECIPE PATH CLIENT SESSION EVENT.
 */
public class Programs {
    private static String servers;
    private static int timeout;
    private static final Map<String, CuratorFramework> clients = new ConcurrentHashMap<>();
    private static final Map<String, Visit> visits = new ConcurrentHashMap<>();

    /** What a recipe does to get in, and to leave. */
    private interface Recipe {
        boolean acquire(long ms) throws Exception; // ms is -1 to wait as long as it takes

        void release() throws Exception;
    }

    public static void main(String[] args) {
        servers = args[0];
        timeout = Integer.parseInt(args[1]);
        for (Scanner in = new Scanner(System.in); in.hasNextLine();) {
            String[] line = in.nextLine().split(" ");
            if (line[0].equals("close")) {
                new Thread(() -> close(line[1])).start();
                continue;
            }
            String key = line[1] + " " + line[2] + " " + line[3];
            Visit v = visits.computeIfAbsent(key, k -> new Visit(line[1], line[2], line[3]));
            v.thread.submit(() -> v.carryOut(line[0], line.length > 4 ? Long.parseLong(line[4]) : -1));
        }
        for (CuratorFramework one : clients.values()) {
            one.close();
        }
        System.exit(0);
    }

    private static synchronized void say(String recipe, String path, String client, String session, String event) {
        System.out.println(System.currentTimeMillis() + " " + recipe + " " + path + " " + client + " " + session + " "
                + event);
        System.out.flush();
    }

    private static void close(String name) {
        CuratorFramework zk = clients.remove(name);
        if (zk != null) {
            zk.close();
        }
        say("-", "-", name, "0x0", "CLOSED");
    }

    /** The session that a client has now, 0x0 if it has none. */
    private static String session(CuratorFramework zk) {
        try {
            return "0x" + Long.toHexString(zk.getZookeeperClient().getZooKeeper().getSessionId());
        } catch (Exception e) {
            return "0x0";
        }
    }

    /** A space and the address from which a client is connected, as its library prints it; nothing if it isn't. */
    private static String address(CuratorFramework zk) {
        try {
            String[] all = zk.getZookeeperClient().getZooKeeper().toString().split("local:[^/]*/| remoteserver:");
            return all.length == 3 ? " " + all[1] : "";
        } catch (Exception e) {
            return "";
        }
    }

    private static CuratorFramework client(String name) {
        return clients.computeIfAbsent(name, k -> {
            CuratorFramework zk = CuratorFrameworkFactory.newClient(servers, timeout, timeout, new RetryNTimes(30, 200));
            zk.getConnectionStateListenable().addListener((of, now) -> {
                if (now.isConnected()) {
                    say("-", "-", name, session(zk), "OPENED" + address(zk));
                }
            });
            zk.start();
            try {
                zk.blockUntilConnected();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return zk;
        });
    }

    /** A client and what it wants. It has a thread of its own, since Curator's locks are those of a thread. */
    private static class Visit {
        final ExecutorService thread = Executors.newSingleThreadExecutor();
        final String client;
        final String recipe;
        final String path;
        Recipe how;
        CuratorFramework zk;

        Visit(String client, String recipe, String path) {
            this.client = client;
            this.recipe = recipe;
            this.path = path;
        }

        void say(String event) {
            Programs.say(recipe, path, client, zk == null ? "0x0" : session(zk), event);
        }

        void carryOut(String verb, long ms) {
            try {
                if (how == null) {
                    zk = client(client);
                    how = of();
                }
                if (verb.equals("release")) {
                    say("LEAVES");
                    how.release();
                    say("LEFT");
                    return;
                }
                say("WAITS");
                if (!how.acquire(ms)) {
                    say("GAVEUP");
                } else if (!(how instanceof Told)) {
                    say("GOT");
                }
            } catch (Throwable e) {
                say("FAILED " + e.toString().replace('\n', ' '));
            }
        }

        Recipe of() throws Exception {
            switch (recipe) {
                case "mutex":
                    return lock(new InterProcessMutex(zk, path));
                case "semaphoremutex":
                    return lock(new InterProcessSemaphoreMutex(zk, path));
                case "read":
                    return lock(new InterProcessReadWriteLock(zk, path).readLock());
                case "write":
                    return lock(new InterProcessReadWriteLock(zk, path).writeLock());
                case "downgrade":
                    return new Downgrade(new InterProcessReadWriteLock(zk, path));
                case "multi":
                    return lock(new InterProcessMultiLock(zk, Arrays.asList(path, path + "-too")));
                case "semaphore":
                    return new Semaphore(new InterProcessSemaphoreV2(zk, path, 2));
                case "latch":
                    return new Latch();
                case "selector":
                    return new Selector();
                case "barrier":
                    return new Barrier(new DistributedBarrier(zk, path));
                case "doublebarrier":
                    return new DoubleBarrier(new DistributedDoubleBarrier(zk, path, 3));
                case "lockedqueue":
                    return new LockedQueue();
                case "writelock":
                    return new Theirs();
                case "election":
                    return new Election();
                default:
                    throw new IllegalArgumentException("there is no " + recipe);
            }
        }

        Recipe lock(InterProcessLock l) {
            return new Recipe() {
                public boolean acquire(long ms) throws Exception {
                    if (ms >= 0) {
                        return l.acquire(ms, TimeUnit.MILLISECONDS);
                    }
                    l.acquire();
                    return true;
                }

                public void release() throws Exception {
                    l.release();
                }
            };
        }

        /** One who writes, then reads as well, then only reads. */
        class Downgrade implements Recipe {
            final InterProcessReadWriteLock l;

            Downgrade(InterProcessReadWriteLock l) {
                this.l = l;
            }

            public boolean acquire(long ms) throws Exception {
                if (l.writeLock().isOwnedByCurrentThread()) {
                    l.readLock().acquire();
                } else {
                    l.writeLock().acquire();
                }
                return true;
            }

            public void release() throws Exception {
                if (l.writeLock().isOwnedByCurrentThread()) {
                    l.writeLock().release();
                } else {
                    l.readLock().release();
                }
            }
        }

        class Semaphore implements Recipe {
            final InterProcessSemaphoreV2 of;
            Lease has;

            Semaphore(InterProcessSemaphoreV2 of) {
                this.of = of;
            }

            public boolean acquire(long ms) throws Exception {
                has = ms < 0 ? of.acquire() : of.acquire(ms, TimeUnit.MILLISECONDS);
                return has != null;
            }

            public void release() {
                of.returnLease(has);
            }
        }

        /** Recipes that say by themselves that one has got in. */
        abstract class Told implements Recipe {
            CountDownLatch over;

            void inside() throws InterruptedException {
                say("GOT");
                over.await();
            }
        }

        class Latch extends Told {
            LeaderLatch of;

            public boolean acquire(long ms) throws Exception {
                of = new LeaderLatch(zk, path, client);
                of.addListener(new LeaderLatchListener() {
                    public void isLeader() {
                        say("GOT");
                    }

                    public void notLeader() {
                        say("LOST");
                    }
                });
                of.start();
                return true;
            }

            public void release() throws Exception {
                of.close();
            }
        }

        class Selector extends Told {
            LeaderSelector of;
            CountDownLatch left;

            public boolean acquire(long ms) {
                over = new CountDownLatch(1);
                left = new CountDownLatch(1);
                of = new LeaderSelector(zk, path, new LeaderSelectorListenerAdapter() {
                    public void takeLeadership(CuratorFramework zk) throws Exception {
                        try {
                            inside();
                        } catch (InterruptedException e) {
                            say("LOST");
                            throw e;
                        } finally {
                            left.countDown();
                        }
                    }
                });
                of.setId(client);
                of.start();
                return true;
            }

            public void release() throws Exception {
                over.countDown();
                left.await();
                of.close();
            }
        }

        class LockedQueue extends Told implements QueueConsumer<String>, QueueSerializer<String> {
            DistributedQueue<String> of;

            public boolean acquire(long ms) throws Exception {
                over = new CountDownLatch(1);
                of = QueueBuilder.builder(zk, this, this, path + "-items").lockPath(path).maxItems(1).buildQueue();
                of.start();
                of.put("work");
                return true;
            }

            public void release() throws Exception {
                over.countDown();
                of.flushPuts(1, TimeUnit.MINUTES);
                of.close();
            }

            public void consumeMessage(String item) throws Exception {
                inside();
            }

            public void stateChanged(CuratorFramework zk, ConnectionState now) {
                // nothing is done about that
            }

            public byte[] serialize(String item) {
                return item.getBytes();
            }

            public String deserialize(byte[] item) {
                return new String(item);
            }
        }

        class Barrier implements Recipe {
            final DistributedBarrier of;

            Barrier(DistributedBarrier of) {
                this.of = of;
            }

            public boolean acquire(long ms) throws Exception {
                of.setBarrier();
                return true;
            }

            public void release() throws Exception {
                of.removeBarrier();
            }
        }

        class DoubleBarrier implements Recipe {
            final DistributedDoubleBarrier of;

            DoubleBarrier(DistributedDoubleBarrier of) {
                this.of = of;
            }

            public boolean acquire(long ms) throws Exception {
                of.enter();
                return true;
            }

            public void release() throws Exception {
                of.leave();
            }
        }

        /** ZooKeeper's own lock. */
        class Theirs extends Told {
            WriteLock of;

            public boolean acquire(long ms) throws Exception {
                ZooKeeper own = zk.getZookeeperClient().getZooKeeper();
                of = new WriteLock(own, path, null, new LockListener() {
                    public void lockAcquired() {
                        say("GOT");
                    }

                    public void lockReleased() {
                        // whoever releases it says so
                    }
                });
                of.lock();
                return true;
            }

            public void release() {
                of.unlock();
            }
        }

        /** ZooKeeper's own election. */
        class Election extends Told {
            LeaderElectionSupport of;

            public boolean acquire(long ms) throws Exception {
                zk.createContainers(path);
                of = new LeaderElectionSupport();
                of.setZooKeeper(zk.getZookeeperClient().getZooKeeper());
                of.setRootNodeName(path);
                of.setHostName(client);
                of.addListener(e -> {
                    if (e == LeaderElectionSupport.EventType.ELECTED_COMPLETE) {
                        say("GOT");
                    }
                });
                of.start();
                return true;
            }

            public void release() {
                of.stop();
            }
        }
    }
}
