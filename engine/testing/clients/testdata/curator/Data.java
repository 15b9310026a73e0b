import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/** The operations. */
class Data extends Bench {
    private Data() {
        super(null, null);
    }

    static void add(Map<String, Main.Check> checks) {
        checks.put("operations", Data::operations);
        checks.put("errors", Data::errors);
        checks.put("modes", Data::modes);
        checks.put("containersAndTTL", Data::containersAndTTL);
        checks.put("permissions", Data::permissions);
        checks.put("transactions", Data::transactions);
        checks.put("background", Data::background);
        checks.put("wholeTrees", Data::wholeTrees);
    }

    static void operations(Bench b) throws Exception {
        CuratorFramework zk = b.client();
        Stat made = new Stat();
        String path = b.root + "/node";
        same(zk.create().storingStatIn(made).creatingParentsIfNeeded().forPath(path, "one".getBytes()), path);
        check(made.getVersion() == 0 && made.getDataLength() == 3 && made.getMzxid() == made.getCzxid(), made);
        Stat stat = zk.setData().withVersion(0).forPath(path, "three".getBytes());
        check(stat.getVersion() == 1 && stat.getMzxid() > made.getMzxid() && stat.getDataLength() == 5, stat);
        zk.create().forPath(path + "/child", new byte[0]);
        zk.getData().storingStatIn(stat).forPath(path);
        check(stat.getNumChildren() == 1 && stat.getCversion() == 1 && stat.getPzxid() > stat.getMzxid(), stat);
        same(zk.getData().forPath(path + "/child").length, 0);
        same(zk.getChildren().forPath(path), List.of("child"));
        zk.delete().forPath(path + "/child");
        check(zk.checkExists().forPath(path).getCversion() == 2, "cversion counts the delete too");
        zk.delete().withVersion(1).forPath(path);
        same(zk.checkExists().forPath(path), null);
    }

    static void errors(Bench b) throws Exception {
        CuratorFramework zk = b.client();
        String path = b.root + "/node";
        fails(Code.NONODE, () -> zk.create().forPath(path));
        zk.create().creatingParentsIfNeeded().forPath(path + "/child");
        fails(Code.NODEEXISTS, () -> zk.create().forPath(path));
        fails(Code.NOTEMPTY, () -> zk.delete().forPath(path));
        fails(Code.BADVERSION, () -> zk.setData().withVersion(5).forPath(path));
        fails(Code.BADVERSION, () -> zk.delete().withVersion(5).forPath(path + "/child"));
        fails(Code.NONODE, () -> zk.getData().forPath(path + "/none"));
        zk.create().withMode(CreateMode.EPHEMERAL).forPath(path + "/mine");
        fails(Code.NOCHILDRENFOREPHEMERALS, () -> zk.create().forPath(path + "/mine/child"));
        fails(Code.INVALIDACL, () -> zk.create().withACL(ZooDefs.Ids.CREATOR_ALL_ACL).forPath(path + "/acl"));
        fails(Code.NOWATCHER, () -> zk.getZookeeperClient().getZooKeeper()
                .removeAllWatches(path, org.apache.zookeeper.Watcher.WatcherType.Any, false));
    }

    static void modes(Bench b) throws Exception {
        CuratorFramework zk = b.client();
        zk.create().creatingParentsIfNeeded().forPath(b.root);
        same(zk.create().withMode(CreateMode.PERSISTENT_SEQUENTIAL).forPath(b.root + "/n-"), b.root + "/n-0000000000");
        String mine = zk.create().withProtection().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath(b.root + "/n-");
        check(mine.matches(b.root + "/_c_[0-9a-f-]{36}-n-0000000001"), mine);
        long session = zk.getZookeeperClient().getZooKeeper().getSessionId();
        same(zk.checkExists().forPath(mine).getEphemeralOwner(), session);
        same(zk.getZookeeperClient().getZooKeeper().getEphemerals(b.root), List.of(mine));
        same(zk.getZookeeperClient().getZooKeeper().getAllChildrenNumber(b.root), 2);
        zk.close();
        same(b.client().getChildren().forPath(b.root), List.of("n-0000000000"));
    }

    static void containersAndTTL(Bench b) throws Exception {
        CuratorFramework zk = b.client();
        zk.create().creatingParentsIfNeeded().withMode(CreateMode.CONTAINER).forPath(b.root + "/container");
        zk.create().withMode(CreateMode.CONTAINER).forPath(b.root + "/unused");
        zk.create().withTtl(50).withMode(CreateMode.PERSISTENT_WITH_TTL).forPath(b.root + "/ttl");
        zk.transaction().forOperations( // at once, so that its time is not over before it has a child
                zk.transactionOp().create().withTtl(50).withMode(CreateMode.PERSISTENT_WITH_TTL)
                        .forPath(b.root + "/parent"),
                zk.transactionOp().create().forPath(b.root + "/parent/child"));
        same(zk.create().withTtl(3_600_000).withMode(CreateMode.PERSISTENT_SEQUENTIAL_WITH_TTL)
                .forPath(b.root + "/later-"), b.root + "/later-0000000004");
        same(zk.checkExists().forPath(b.root + "/later-0000000004").getEphemeralOwner(), 0L);
        zk.create().forPath(b.root + "/container/child");
        same(zk.checkExists().forPath(b.root + "/container").getEphemeralOwner(), 0L);
        eventually(() -> zk.checkExists().forPath(b.root + "/ttl") == null, "the time to live is over");
        check(zk.checkExists().forPath(b.root + "/container") != null, "a container lives while it has a child");
        zk.delete().forPath(b.root + "/container/child");
        eventually(() -> zk.checkExists().forPath(b.root + "/container") == null, "an empty container goes");
        List<String> left = new ArrayList<>(zk.getChildren().forPath(b.root));
        left.sort(null);
        same(left, List.of("later-0000000004", "parent", "unused"));
    }

    static void permissions(Bench b) throws Exception {
        CuratorFramework owner = b.client(CuratorFrameworkFactory.builder().authorization("digest", "ann:geheim".getBytes()));
        CuratorFramework stranger = b.client();
        String path = b.root + "/secret";
        owner.create().creatingParentsIfNeeded().forPath(b.root);
        owner.create().withACL(ZooDefs.Ids.CREATOR_ALL_ACL).forPath(path, "x".getBytes());
        List<ACL> acl = owner.getACL().forPath(path);
        same(acl.get(0).getId().getScheme() + " " + acl.get(0).getPerms() + " "
                + acl.get(0).getId().getId().startsWith("ann:"), "digest 31 true");
        fails(Code.NOAUTH, () -> stranger.getData().forPath(path));
        fails(Code.NOAUTH, () -> stranger.setData().forPath(path));
        fails(Code.NOAUTH, () -> stranger.create().forPath(path + "/child"));
        fails(Code.NOAUTH, () -> stranger.getACL().forPath(path));
        check(stranger.checkExists().forPath(path) != null, "exists needs no permission");
        Stat stat = owner.setACL().withVersion(0).withACL(ZooDefs.Ids.READ_ACL_UNSAFE).forPath(path);
        same(stat.getAversion(), 1);
        same(new String(stranger.getData().forPath(path)), "x");
        fails(Code.NOAUTH, () -> owner.setData().forPath(path));
        fails(Code.NOAUTH, () -> owner.setACL().withACL(ZooDefs.Ids.OPEN_ACL_UNSAFE).forPath(path));
        owner.delete().forPath(path); // which its parent's ACL allows
    }

    static void transactions(Bench b) throws Exception {
        CuratorFramework zk = b.client();
        String one = b.root + "/one", two = b.root + "/two";
        zk.create().creatingParentsIfNeeded().forPath(b.root);
        List<CuratorTransactionResult> got = zk.transaction().forOperations(
                zk.transactionOp().create().forPath(one, "1".getBytes()),
                zk.transactionOp().create().withMode(CreateMode.PERSISTENT_SEQUENTIAL).forPath(one + "/n-"),
                zk.transactionOp().setData().withVersion(0).forPath(one, "2".getBytes()),
                zk.transactionOp().check().withVersion(1).forPath(one),
                zk.transactionOp().create().forPath(two),
                zk.transactionOp().delete().forPath(two));
        same(got.get(1).getResultPath(), one + "/n-0000000000");
        same(got.get(2).getResultStat().getVersion(), 1);
        long zxid = got.get(2).getResultStat().getMzxid();
        check(zk.checkExists().forPath(one).getCzxid() == zxid, "one transaction has one zxid");
        fails(Code.BADVERSION, () -> zk.transaction().forOperations(
                zk.transactionOp().setData().forPath(one, "3".getBytes()),
                zk.transactionOp().delete().withVersion(7).forPath(one),
                zk.transactionOp().create().forPath(two)));
        same(new String(zk.getData().forPath(one)), "2");
        same(zk.checkExists().forPath(two), null);
    }

    static void background(Bench b) throws Exception {
        CuratorFramework zk = b.client();
        zk.create().creatingParentsIfNeeded().forPath(b.root + "/n");
        CountDownLatch answers = new CountDownLatch(300);
        List<Integer> versions = new ArrayList<>(); // filled by the one thread that hears the answers
        for (int i = 0; i < 300; i++) {
            zk.setData().inBackground((client, event) -> {
                versions.add(event.getStat().getVersion());
                answers.countDown();
            }).forPath(b.root + "/n", new byte[i]);
        }
        check(answers.await(LIMIT_SECONDS, TimeUnit.SECONDS), "not all writes were answered");
        for (int i = 0; i < 300; i++) {
            same(versions.get(i), i + 1);
        }
        ZooKeeper raw = zk.getZookeeperClient().getZooKeeper();
        CountDownLatch synced = new CountDownLatch(1);
        raw.sync(b.root + "/n", (code, path, context) -> synced.countDown(), null);
        check(synced.await(LIMIT_SECONDS, TimeUnit.SECONDS), "sync was not answered");
    }

    static void wholeTrees(Bench b) throws Exception {
        CuratorFramework zk = b.client();
        byte[] large = new byte[1_000_000];
        for (int i = 0; i < 50; i++) {
            zk.create().orSetData().creatingParentsIfNeeded().forPath(b.root + "/a/b/c" + i / 5 + "/d" + i);
        }
        zk.create().forPath(b.root + "/a/large", large);
        same(zk.getData().forPath(b.root + "/a/large").length, large.length);
        same(zk.getZookeeperClient().getZooKeeper().getAllChildrenNumber(b.root), 63);
        zk.delete().guaranteed().deletingChildrenIfNeeded().forPath(b.root + "/a");
        same(zk.getChildren().forPath(b.root), List.of());
    }
}
