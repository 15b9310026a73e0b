import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.NodeCache;
import org.apache.curator.framework.recipes.cache.PathChildrenCache;
import org.apache.curator.framework.recipes.cache.TreeCache;
import org.apache.curator.framework.recipes.cache.TreeCacheEvent;
import org.apache.curator.framework.recipes.watch.PersistentWatcher;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.KeeperException.Code;

/** Watches, and the caches that live by them. */
@SuppressWarnings("deprecation") // the older caches are still what many use
class Caches extends Bench {
    private Caches() {
        super(null, null);
    }

    static void add(Map<String, Main.Check> checks) {
        checks.put("watchesOnce", Caches::watchesOnce);
        checks.put("persistentWatcher", Caches::persistentWatcher);
        checks.put("recursiveWatcher", Caches::recursiveWatcher);
        checks.put("removedWatch", Caches::removedWatch);
        checks.put("nodeCache", Caches::nodeCache);
        checks.put("pathChildrenCache", Caches::pathChildrenCache);
        checks.put("treeCache", Caches::treeCache);
        checks.put("curatorCache", Caches::curatorCache);
    }

    /** What a writer does to a node, its child and its grandchild. */
    private static void changes(CuratorFramework zk, String path) throws Exception {
        zk.create().forPath(path, "1".getBytes());
        zk.setData().forPath(path, "2".getBytes());
        zk.create().forPath(path + "/child");
        zk.create().forPath(path + "/child/grandchild");
        zk.setData().forPath(path + "/child", "3".getBytes());
        zk.delete().forPath(path + "/child/grandchild");
        zk.delete().forPath(path + "/child");
        zk.delete().forPath(path);
    }

    static void watchesOnce(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(2);
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        CuratorWatcher watcher = event -> heard.add(event.getType() + event.getPath().substring(b.root.length()));
        zk[0].create().creatingParentsIfNeeded().forPath(b.root);
        zk[0].getChildren().usingWatcher(watcher).forPath(b.root);
        zk[0].checkExists().usingWatcher(watcher).forPath(b.root + "/node");
        changes(zk[1], b.root + "/node");
        zk[0].checkExists().usingWatcher(watcher).forPath(b.root + "/last");
        zk[1].create().forPath(b.root + "/last");
        eventually(() -> heard.contains("NodeCreated/last"), "the last event");
        same(heard, List.of("NodeCreated/node", "NodeChildrenChanged", "NodeCreated/last"));
    }

    private static void persistent(Bench b, boolean recursive, List<String> want) throws Exception {
        CuratorFramework[] zk = b.clients(2);
        zk[0].create().creatingParentsIfNeeded().forPath(b.root);
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch set = new CountDownLatch(1);
        try (PersistentWatcher watcher = new PersistentWatcher(zk[0], b.root + "/node", recursive)) {
            watcher.getListenable().addListener(
                    event -> heard.add(event.getType() + event.getPath().substring(b.root.length())));
            watcher.getResetListenable().addListener(set::countDown);
            watcher.start();
            check(set.await(LIMIT_SECONDS, TimeUnit.SECONDS), "the watch is set");
            changes(zk[1], b.root + "/node");
            eventually(() -> heard.contains("NodeDeleted/node"), "the last event");
        }
        same(heard, want);
        zk[1].create().forPath(b.root + "/node");
        zk[0].sync().forPath(b.root);
        same(heard, want);
    }

    static void persistentWatcher(Bench b) throws Exception {
        persistent(b, false, List.of("NodeCreated/node", "NodeDataChanged/node", "NodeChildrenChanged/node",
                "NodeChildrenChanged/node", "NodeDeleted/node"));
    }

    static void recursiveWatcher(Bench b) throws Exception {
        persistent(b, true, List.of("NodeCreated/node", "NodeDataChanged/node", "NodeCreated/node/child",
                "NodeCreated/node/child/grandchild", "NodeDataChanged/node/child",
                "NodeDeleted/node/child/grandchild", "NodeDeleted/node/child", "NodeDeleted/node"));
    }

    static void removedWatch(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(2);
        zk[0].create().creatingParentsIfNeeded().forPath(b.root);
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        CuratorWatcher watcher = event -> heard.add(event.getType() + event.getPath().substring(b.root.length()));
        zk[0].watchers().add().withMode(AddWatchMode.PERSISTENT).usingWatcher(watcher).forPath(b.root);
        zk[1].setData().forPath(b.root, "1".getBytes());
        eventually(() -> heard.equals(List.of("NodeDataChanged")), "an event");
        zk[0].watchers().remove(watcher).forPath(b.root);
        eventually(() -> heard.equals(List.of("NodeDataChanged", "PersistentWatchRemoved")), "it is removed");
        zk[1].setData().forPath(b.root, "2".getBytes());
        zk[0].getData().forPath(b.root);
        same(heard.size(), 2);
        fails(Code.NOWATCHER, () -> zk[0].watchers().removeAll().forPath(b.root + "/none"));
    }

    static void nodeCache(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(2);
        zk[1].create().creatingParentsIfNeeded().forPath(b.root);
        try (NodeCache cache = new NodeCache(zk[0], b.root + "/node")) {
            cache.start(true);
            same(cache.getCurrentData(), null);
            for (String value : List.of("1", "2", "3")) {
                zk[1].create().orSetData().forPath(b.root + "/node", value.getBytes());
                eventually(() -> cache.getCurrentData() != null
                        && new String(cache.getCurrentData().getData()).equals(value), "it holds " + value);
            }
            zk[1].delete().forPath(b.root + "/node");
            eventually(() -> cache.getCurrentData() == null, "it is empty again");
        }
    }

    static void pathChildrenCache(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(2);
        zk[1].create().creatingParentsIfNeeded().forPath(b.root + "/before", "1".getBytes());
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        try (PathChildrenCache cache = new PathChildrenCache(zk[0], b.root, true)) {
            cache.getListenable().addListener((client, event) -> {
                if (event.getData() != null) {
                    heard.add(event.getType() + event.getData().getPath().substring(b.root.length()));
                }
            });
            cache.start(PathChildrenCache.StartMode.BUILD_INITIAL_CACHE);
            same(cache.getCurrentData().size(), 1);
            zk[1].create().forPath(b.root + "/child", "1".getBytes());
            eventually(() -> heard.contains("CHILD_ADDED/child"), "a child");
            zk[1].setData().forPath(b.root + "/child", "2".getBytes());
            eventually(() -> heard.contains("CHILD_UPDATED/child"), "its change");
            same(new String(cache.getCurrentData(b.root + "/child").getData()), "2");
            zk[1].delete().forPath(b.root + "/before");
            eventually(() -> heard.contains("CHILD_REMOVED/before"), "the other's end");
        }
    }

    static void treeCache(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(2);
        zk[1].create().creatingParentsIfNeeded().forPath(b.root + "/a/b", "1".getBytes());
        CountDownLatch ready = new CountDownLatch(1);
        try (TreeCache cache = new TreeCache(zk[0], b.root)) {
            cache.getListenable().addListener((client, event) -> {
                if (event.getType() == TreeCacheEvent.Type.INITIALIZED) {
                    ready.countDown();
                }
            });
            cache.start();
            check(ready.await(LIMIT_SECONDS, TimeUnit.SECONDS), "it has read the tree");
            same(cache.getCurrentChildren(b.root + "/a").keySet(), java.util.Set.of("b"));
            zk[1].create().forPath(b.root + "/a/c");
            zk[1].setData().forPath(b.root + "/a/b", "2".getBytes());
            eventually(() -> cache.getCurrentChildren(b.root + "/a").size() == 2, "it follows children");
            eventually(() -> new String(cache.getCurrentData(b.root + "/a/b").getData()).equals("2"), "and data");
        }
    }

    static void curatorCache(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(2);
        for (int i = 0; i < 20; i++) {
            zk[1].create().creatingParentsIfNeeded().forPath(b.root + "/" + i % 4 + "/" + i, "1".getBytes());
        }
        try (CuratorCache cache = CuratorCache.build(zk[0], b.root)) {
            cache.start();
            eventually(() -> cache.size() == 25, "it has read the tree");
            zk[1].delete().deletingChildrenIfNeeded().forPath(b.root + "/0");
            zk[1].setData().forPath(b.root + "/1/1", "2".getBytes());
            zk[1].create().forPath(b.root + "/1/1/new");
            eventually(() -> cache.size() == 20, "it follows");
            eventually(() -> cache.get(b.root + "/1/1").map(n -> new String(n.getData())).equals(
                    java.util.Optional.of("2")), "it follows data");
        }
    }
}
