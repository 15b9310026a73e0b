import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.curator.framework.recipes.watch.PersistentWatcher;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.CreateMode;

/** What becomes of sessions, ephemeral znodes and watches when connections break and sessions end. */
class Sessions extends Bench {
    private Sessions() {
        super(null, null);
    }

    static void add(Map<String, Main.Check> checks) {
        checks.put("brokenConnection", Sessions::brokenConnection);
        checks.put("endOfSession", Sessions::endOfSession);
    }

    /** What the client hears of its connection from now on. Of the first one it may hear only now. */
    private static List<ConnectionState> statesOf(CuratorFramework zk) {
        List<ConnectionState> states = Collections.synchronizedList(new ArrayList<>());
        zk.getConnectionStateListenable().addListener((client, state) -> {
            if (state != ConnectionState.CONNECTED) {
                states.add(state);
            }
        });
        return states;
    }

    static void brokenConnection(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(2);
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        CuratorWatcher watcher = event -> {
            if (event.getPath() != null) {
                heard.add(event.getType() + event.getPath().substring(b.root.length()));
            }
        };
        zk[0].create().creatingParentsIfNeeded().withMode(CreateMode.EPHEMERAL).forPath(b.root + "/mine");
        zk[0].create().forPath(b.root + "/node");
        zk[0].getData().usingWatcher(watcher).forPath(b.root + "/node");
        zk[0].getChildren().usingWatcher(watcher).forPath(b.root + "/node");
        zk[0].checkExists().usingWatcher(watcher).forPath(b.root + "/missing");
        PersistentWatcher all = new PersistentWatcher(zk[0], b.root + "/tree", true);
        List<String> below = Collections.synchronizedList(new ArrayList<>());
        all.getListenable().addListener(event -> {
            if (event.getPath() != null) {
                below.add(event.getType() + event.getPath().substring(b.root.length()));
            }
        });
        CountDownLatch set = new CountDownLatch(1);
        all.getResetListenable().addListener(set::countDown);
        all.start();
        check(set.await(LIMIT_SECONDS, TimeUnit.SECONDS), "the recursive watch is set");
        long session = zk[0].getZookeeperClient().getZooKeeper().getSessionId();
        List<ConnectionState> states = statesOf(zk[0]);
        b.cut(zk[0]);
        eventually(() -> states.contains(ConnectionState.RECONNECTED), () -> "it is back, not " + states);
        same(states, List.of(ConnectionState.SUSPENDED, ConnectionState.RECONNECTED));
        same(zk[0].getZookeeperClient().getZooKeeper().getSessionId(), session);
        same(zk[1].checkExists().forPath(b.root + "/mine").getEphemeralOwner(), session);
        zk[0].checkExists().forPath(b.root);
        same(heard, List.of()); // nothing happened
        zk[1].setData().forPath(b.root + "/node", "1".getBytes());
        zk[1].create().forPath(b.root + "/node/child");
        zk[1].create().forPath(b.root + "/missing");
        eventually(() -> heard.size() == 3, "its watches were set again");
        same(heard, List.of("NodeDataChanged/node", "NodeChildrenChanged/node", "NodeCreated/missing"));
        zk[1].create().creatingParentsIfNeeded().forPath(b.root + "/tree/leaf");
        eventually(() -> below.contains("NodeCreated/tree/leaf"), "the recursive one too");
        same(below.get(0), "NodeCreated/tree");
        all.close();
    }

    static void endOfSession(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(2);
        List<ConnectionState> states = statesOf(zk[0]);
        PersistentNode kept = new PersistentNode(zk[0], CreateMode.EPHEMERAL, false, b.root + "/kept", new byte[0]);
        kept.start();
        eventually(() -> zk[1].checkExists().forPath(b.root + "/kept") != null, "the node is made");
        long before = zk[1].checkExists().forPath(b.root + "/kept").getEphemeralOwner();
        for (int tries = 0; tries < 10 && !states.contains(ConnectionState.LOST); tries++) {
            b.expire(zk[0]); // unless the client is back sooner, and keeps its session
            for (int waits = 0; waits < 1000 && !states.contains(ConnectionState.LOST); waits++) {
                Thread.sleep(10);
            }
        }
        eventually(() -> states.contains(ConnectionState.LOST) && states.contains(ConnectionState.RECONNECTED),
                "it learns of its session's end, and has a new one");
        eventually(() -> zk[1].checkExists().forPath(b.root + "/kept") != null
                && zk[1].checkExists().forPath(b.root + "/kept").getEphemeralOwner() != before, "the node is made again");
        kept.close();
    }
}
