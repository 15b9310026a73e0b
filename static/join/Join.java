// Joins the queue at /zkviz/queue with Apache Curator, three times.
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

public class Join {
    public static void main(String[] args) throws Exception {
        String server = args.length > 0 ? args[0] : "127.0.0.1:2181";
        double seconds = args.length > 1 ? Double.parseDouble(args[1]) : 3;
        try (CuratorFramework zk =
                CuratorFrameworkFactory.newClient(server, new ExponentialBackoffRetry(1000, 10))) {
            zk.start();
            InterProcessMutex lock = new InterProcessMutex(zk, "/zkviz/queue");
            for (int round = 0; round < 3; round++) {
                lock.acquire();
                try {
                    System.out.println("curator: inside");
                    Thread.sleep((long) (seconds * 1000));
                } finally {
                    System.out.println("curator: leaving");
                    lock.release();
                }
            }
        }
    }
}
