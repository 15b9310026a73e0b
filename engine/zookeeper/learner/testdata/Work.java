import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryForever;

/**
 * Clients at work: Work SERVERS PATH CLIENTS PAUSE_MS. Each takes the same lock again and again, writes to a znode while
 * it is inside, and pauses. When the input ends, they close their sessions.
 */
public class Work {
    private static volatile boolean over;

    public static void main(String[] args) throws Exception {
        Thread[] all = new Thread[Integer.parseInt(args[2])];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Thread(() -> work(args[0], args[1], Long.parseLong(args[3])));
            all[i].start();
        }
        while (System.in.read() >= 0) {
            // nothing is said to it
        }
        over = true;
        for (Thread one : all) {
            one.join();
        }
    }

    private static void work(String servers, String path, long pauseMS) {
        try (CuratorFramework zk = CuratorFrameworkFactory.builder().connectString(servers).sessionTimeoutMs(60_000)
                .connectionTimeoutMs(600_000).retryPolicy(new RetryForever(50)).build()) {
            zk.start();
            InterProcessMutex lock = new InterProcessMutex(zk, path + "/lock");
            while (!over) {
                try {
                    if (lock.acquire(5, TimeUnit.SECONDS)) {
                        zk.create().orSetData().forPath(path + "/work", "held".getBytes());
                        lock.release();
                    }
                    Thread.sleep(pauseMS);
                } catch (Exception e) {
                    System.out.println(e); // a leader is gone: it tries again
                }
            }
        }
    }
}
