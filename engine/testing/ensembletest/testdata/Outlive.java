import java.io.BufferedReader;
import java.io.InputStreamReader;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;

/**
 * A client with an ephemeral znode: Outlive SERVERS PATH. For each line "write" it changes the znode, however often it
 * has to try, and says "wrote"; for each "look" it says "mine" if the znode is there and its session the first one.
 */
public class Outlive {
    public static void main(String[] args) throws Exception {
        CuratorFramework zk = CuratorFrameworkFactory.builder().connectString(args[0]).sessionTimeoutMs(60_000)
                .connectionTimeoutMs(120_000).retryPolicy(new RetryForever(50)).build();
        zk.start();
        zk.create().withMode(CreateMode.EPHEMERAL).forPath(args[1]);
        long session = zk.getZookeeperClient().getZooKeeper().getSessionId();
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("write")) {
                zk.setData().forPath(args[1], "again".getBytes());
                System.out.println("wrote");
            } else {
                Stat stat = zk.checkExists().forPath(args[1]);
                boolean same = zk.getZookeeperClient().getZooKeeper().getSessionId() == session;
                System.out.println(stat != null && stat.getEphemeralOwner() == session && same ? "mine" : "lost");
            }
        }
        zk.close();
    }
}
