import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;

/** A server to check, and a path of its own for one check to work under. */
class Bench implements AutoCloseable {
    /** How long what must happen sooner or later may take, on a machine however slow. */
    static final int LIMIT_SECONDS = 120;
    /** Long enough to outlive a machine that stands still for a while. */
    private static final int SESSION_MS = 60_000;

    final String root;
    private final String server;
    private final List<CuratorFramework> clients = new ArrayList<>();

    Bench(String server, String root) {
        this.server = server;
        this.root = root;
    }

    interface Work {
        void run(int i) throws Exception;
    }

    interface Condition {
        boolean holds() throws Exception;
    }

    interface Call {
        void run() throws Exception;
    }

    /** A client with a session of its own, closed at the end of the check. */
    CuratorFramework client() throws Exception {
        return client(CuratorFrameworkFactory.builder());
    }

    CuratorFramework client(CuratorFrameworkFactory.Builder builder) throws Exception {
        CuratorFramework zk = builder.connectString(server).sessionTimeoutMs(SESSION_MS)
                .connectionTimeoutMs(LIMIT_SECONDS * 1000).retryPolicy(new ExponentialBackoffRetry(100, 10)).build();
        clients.add(zk);
        zk.start();
        check(zk.blockUntilConnected(LIMIT_SECONDS, TimeUnit.SECONDS), "no connection");
        return zk;
    }

    CuratorFramework[] clients(int n) throws Exception {
        CuratorFramework[] all = new CuratorFramework[n];
        for (int i = 0; i < n; i++) {
            all[i] = client();
        }
        return all;
    }

    @Override
    public void close() {
        for (CuratorFramework zk : clients) {
            zk.close();
        }
    }

    /** Runs work for 0 to n-1 in a thread each and throws what one of them threw. */
    static void atOnce(int n, Work work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(n);
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            int me = i;
            all.add(threads.submit(() -> {
                work.run(me);
                return null;
            }));
        }
        for (Future<?> one : all) {
            one.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
        threads.shutdown();
    }

    static void eventually(Condition condition, String what) throws Exception {
        eventually(condition, () -> what);
    }

    static void eventually(Condition condition, Supplier<String> what) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.holds()) {
            check(System.nanoTime() < end, "not within " + LIMIT_SECONDS + " s: " + what.get());
            Thread.sleep(5);
        }
    }

    static void check(boolean ok, Object what) {
        if (!ok) {
            throw new AssertionError(what);
        }
    }

    static void same(Object got, Object want) {
        check(got == null ? want == null : got.equals(want), "got " + got + ", want " + want);
    }

    static void fails(KeeperException.Code code, Call call) throws Exception {
        try {
            call.run();
        } catch (KeeperException e) {
            same(e.code(), code);
            return;
        }
        throw new AssertionError("no error, want " + code);
    }

    static void number(CuratorFramework zk, String path) throws Exception {
        zk.create().creatingParentsIfNeeded().forPath(path, "0".getBytes());
    }

    /**
     * Makes a znode that stays. What Curator makes itself are containers, which go when they are empty; where one goes
     * between two of Curator's steps, what it does fails.
     */
    static void lasting(CuratorFramework zk, String path) throws Exception {
        zk.create().creatingParentsIfNeeded().forPath(path);
    }

    static int numberAt(CuratorFramework zk, String path) throws Exception {
        return Integer.parseInt(new String(zk.getData().forPath(path)));
    }

    /** Reads, adds, writes, with nothing that would keep others from doing so between: a lock must. */
    static void addOneUnprotected(CuratorFramework zk, String path) throws Exception {
        zk.setData().forPath(path, Integer.toString(numberAt(zk, path) + 1).getBytes());
    }

    /**
     * Breaks the client's connection. Its session goes on: another connection takes it over with its password, at
     * which the server closes the older one, and leaves at once.
     */
    void cut(CuratorFramework zk) throws Exception {
        takeOver(zk, new byte[0]);
    }

    /** Ends the client's session behind its back: who has taken it over closes it. */
    void expire(CuratorFramework zk) throws Exception {
        takeOver(zk, ByteBuffer.allocate(12).putInt(8).putInt(1).putInt(-11).array());
    }

    /** Sends the request along with the handshake, because the session's owner soon takes it back. */
    private void takeOver(CuratorFramework zk, byte[] request) throws Exception {
        ZooKeeper of = zk.getZookeeperClient().getZooKeeper();
        String[] address = server.split(":");
        try (Socket thief = new Socket(address[0], Integer.parseInt(address[1]))) {
            ByteBuffer hello = ByteBuffer.allocate(48 + request.length);
            hello.putInt(44).putInt(0).putLong(0).putInt(SESSION_MS);
            hello.putLong(of.getSessionId()).putInt(16).put(of.getSessionPasswd()).put(request);
            thief.getOutputStream().write(hello.array());
            thief.getInputStream().readNBytes(40 + request.length);
        } catch (SocketException e) {
            // The owner is back already, and has cut this off.
        }
    }
}
