import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.atomic.AtomicValue;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicLong;
import org.apache.curator.framework.recipes.barriers.DistributedBarrier;
import org.apache.curator.framework.recipes.barriers.DistributedDoubleBarrier;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.nodes.GroupMember;
import org.apache.curator.framework.recipes.queue.SimpleDistributedQueue;
import org.apache.curator.framework.recipes.shared.SharedCount;
import org.apache.curator.framework.recipes.shared.VersionedValue;
import org.apache.curator.retry.RetryNTimes;

/** What several clients do together: barriers, leaders, counters, groups, queues. */
class Shared extends Bench {
    private Shared() {
        super(null, null);
    }

    static void add(Map<String, Main.Check> checks) {
        checks.put("barrier", Shared::barrier);
        checks.put("doubleBarrier", Shared::doubleBarrier);
        checks.put("leaderLatch", Shared::leaderLatch);
        checks.put("leaderSelector", Shared::leaderSelector);
        checks.put("sharedCount", Shared::sharedCount);
        checks.put("atomicLong", Shared::atomicLong);
        checks.put("groupMember", Shared::groupMember);
        checks.put("queue", Shared::queue);
    }

    static void barrier(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(4);
        DistributedBarrier gate = new DistributedBarrier(zk[0], b.root + "/barrier");
        gate.setBarrier();
        AtomicInteger passed = new AtomicInteger();
        atOnce(4, i -> {
            if (i == 0) {
                check(!gate.waitOnBarrier(50, TimeUnit.MILLISECONDS), "the barrier is set");
                same(passed.get(), 0);
                gate.removeBarrier();
            }
            check(new DistributedBarrier(zk[i], b.root + "/barrier").waitOnBarrier(LIMIT_SECONDS, TimeUnit.SECONDS),
                    "the barrier is gone");
            passed.incrementAndGet();
        });
        same(passed.get(), 4);
    }

    static void doubleBarrier(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(8);
        lasting(zk[0], b.root + "/barrier");
        AtomicInteger arrived = new AtomicInteger(), leaving = new AtomicInteger();
        atOnce(zk.length, i -> {
            DistributedDoubleBarrier both = new DistributedDoubleBarrier(zk[i], b.root + "/barrier", zk.length);
            arrived.incrementAndGet();
            check(both.enter(LIMIT_SECONDS, TimeUnit.SECONDS), "not let in");
            same(arrived.get(), zk.length);
            leaving.incrementAndGet();
            check(both.leave(LIMIT_SECONDS, TimeUnit.SECONDS), "not let out");
            // Curator 5.4 lets everybody go once a single one is left, also if that one does not want to go yet.
            check(leaving.get() >= zk.length - 1, "let out when only " + leaving + " wanted to go");
        });
    }

    static void leaderLatch(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(4);
        List<LeaderLatch> waiting = new ArrayList<>();
        for (int i = 0; i < zk.length; i++) {
            LeaderLatch latch = new LeaderLatch(zk[i], b.root + "/latch", "client-" + i);
            latch.start();
            waiting.add(latch);
        }
        while (!waiting.isEmpty()) {
            int members = waiting.size();
            eventually(() -> waiting.get(0).getParticipants().size() == members, "all take part");
            eventually(() -> waiting.stream().anyMatch(LeaderLatch::hasLeadership), "one leads");
            List<LeaderLatch> leaders = new ArrayList<>(waiting);
            leaders.removeIf(latch -> !latch.hasLeadership());
            same(leaders.size(), 1);
            same(waiting.get(0).getLeader().getId(), leaders.get(0).getId());
            leaders.get(0).close();
            waiting.removeAll(leaders);
        }
    }

    static void leaderSelector(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(5);
        number(zk[0], b.root + "/count");
        CountDownLatch done = new CountDownLatch(zk.length);
        List<LeaderSelector> all = new ArrayList<>();
        for (CuratorFramework one : zk) {
            LeaderSelector selector = new LeaderSelector(one, b.root + "/leader", new LeaderSelectorListenerAdapter() {
                @Override
                public void takeLeadership(CuratorFramework client) throws Exception {
                    addOneUnprotected(client, b.root + "/count");
                    done.countDown();
                }
            });
            selector.start();
            all.add(selector);
        }
        check(done.await(LIMIT_SECONDS, TimeUnit.SECONDS), "not everybody led");
        same(numberAt(zk[0], b.root + "/count"), zk.length);
        for (LeaderSelector selector : all) {
            selector.close();
        }
    }

    static void sharedCount(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(4);
        atOnce(zk.length, i -> {
            SharedCount count = new SharedCount(zk[i], b.root + "/count", 0);
            count.start();
            for (int round = 0; round < 5; ) {
                VersionedValue<Integer> now = count.getVersionedValue();
                round += count.trySetCount(now, now.getValue() + 1) ? 1 : 0;
            }
            eventually(() -> count.getCount() == 20, "everyone hears of the last change");
            count.close();
        });
    }

    static void atomicLong(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(4);
        AtomicInteger sum = new AtomicInteger();
        atOnce(zk.length, i -> {
            DistributedAtomicLong value = new DistributedAtomicLong(zk[i], b.root + "/long", new RetryNTimes(1000, 1));
            for (int round = 0; round < 5; round++) {
                AtomicValue<Long> got = value.add(3L);
                check(got.succeeded() && got.postValue() == got.preValue() + 3, "3 more");
                sum.addAndGet(3);
            }
        });
        AtomicValue<Long> end = new DistributedAtomicLong(zk[0], b.root + "/long", new RetryNTimes(1, 1)).get();
        same(end.postValue(), (long) sum.get());
    }

    static void groupMember(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(3);
        List<GroupMember> members = new ArrayList<>();
        for (int i = 0; i < zk.length; i++) {
            members.add(new GroupMember(zk[i], b.root + "/group", "client-" + i, new byte[] {(byte) i}));
            members.get(i).start();
        }
        for (GroupMember member : members) {
            eventually(() -> member.getCurrentMembers().size() == 3, "everybody sees everybody");
        }
        zk[2].close();
        eventually(() -> members.get(0).getCurrentMembers().size() == 2, "who has gone is a member no more");
        members.get(1).close();
        members.get(0).close();
    }

    static void queue(Bench b) throws Exception {
        CuratorFramework[] zk = b.clients(4);
        lasting(zk[0], b.root + "/queue");
        List<String> taken = Collections.synchronizedList(new ArrayList<>());
        atOnce(zk.length, i -> {
            SimpleDistributedQueue queue = new SimpleDistributedQueue(zk[i], b.root + "/queue");
            for (int n = 0; n < 10; n++) {
                if (i < 2) {
                    check(queue.offer((i + "-" + n).getBytes()), "not taken in");
                } else {
                    taken.add(new String(queue.poll(LIMIT_SECONDS, TimeUnit.SECONDS)));
                }
            }
        });
        List<String> want = new ArrayList<>();
        for (int n = 0; n < 20; n++) {
            want.add(n / 10 + "-" + n % 10);
        }
        Collections.sort(taken);
        same(taken, want);
    }
}
