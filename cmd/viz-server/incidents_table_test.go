package main

import "time"

// hasIt is the answer to who holds it, since when, and from which host. Pages have what the client wrote behind that.
func hasIt(client string) string {
	return "{" + client + "} {" + client + ".at}[^!]{0,80}{" + client + ".held}"
}

// standsBehind is the answer to who waits behind whom, and since when.
func standsBehind(client, other string) string {
	return "{" + client + "} {" + client + ".at}[^!]{0,80}{" + client + ".waits}.{0,60} behind {" + other + "}"
}

// mayEnd is the answer to whose session is near its end.
func mayEnd(client, timeout string) string {
	return "Session {" + client + "} may end soon: its client was last heard from \\d+ s ago, of " + timeout
}

// withWatches asks the servers for watches too.
const (
	withWatches     = "locks {named} --herds"
	pageWithWatches = "path={base}&herds=on"
)

var allNews = []way{readNews, joinedNews}

// incidents lists those that spare the servers.
var incidents = []incident{
	{name: "paused", session: 20 * time.Second, acts: []act{
		{"in gx1 lock; ask j1 mutex; ask j2 mutex; pause gx", []asking{
			{question: nearItsEnd, says: []string{mayEnd("gx1", "20 s")}},
			{question: nearItsEnd, by: allNews, says: []string{"{p}  ! " + mayEnd("gx1", "20 s")}},
			{question: whoHolds, says: []string{hasIt("gx1")}},
			{question: whoWaits, says: []string{standsBehind("j1", "gx1"), standsBehind("j2", "j1")}},
			{question: whichClient, says: []string{"{gx1} {gx1.at}"}, nots: []string{"[Nn]ot connected"}},
		}},
		{"got j1", []asking{
			{question: whoHolds, says: []string{hasIt("j1")}, nots: []string{"may end soon"}},
			{question: whyHandedOver, by: []way{joinedNews, joinedPage},
				says: []string{"{gx1} lost it: its session expired; then {j1} got it"}},
			{question: whyHandedOver, by: []way{readNews, readPage}, honest: true,
				says: []string{"{gx1} lost it: this log doesn't show why; then {j1} got it"}},
			{question: whyHandedOver, by: []way{files}, says: []string{
				"{gx1}  lost it with \\S+: its session expired, after holding it",
				"{j1.got}\\S*  0x[0-9a-f]+  {j1}  got it with \\S+ .*after waiting for"}},
			{question: whatHappened, by: []way{joinedNews}, says: []string{
				"{p}  ! Session {gx1} may end soon.*{j1.got}\\S*  {p}  {gx1} lost it: its session expired; then {j1} got it"}},
			{question: whatHappened, by: []way{files}, args: "log {files} --below {path} --since 10m", says: []string{
				"{gx1}  created {p}/\\S+.*{j1}  created {p}/\\S+.*{gx1}  session expired\n.*{gx1}  deleted {p}/\\S+ because its " +
					"session expired"}},
		}},
	}},
	{name: "hung", acts: []act{
		{"in k1 lock; ask k2 lock; ask k3 lock", []asking{
			{question: whoHolds, says: []string{hasIt("k1")}},
			{question: whoWaits, says: []string{standsBehind("k2", "k1"), standsBehind("k3", "k2")}},
			{question: whichClient, says: []string{"{k1} {k1.at} .{0,60}k1-hung"}},
			{question: nearItsEnd, says: []string{hasIt("k1")}, nots: []string{"may end soon", "[Nn]ot connected"}},
			{question: whoHolds, by: allNews, says: []string{"{k1.got}\\S*  {p}  {k1} got it"}},
			{question: whoHolds, by: []way{files}, says: []string{"{k1.got}\\S* .*{k1}  got it .*held by {k1} with"}},
		}},
	}},
	{name: "cut-off", session: 15 * time.Second, acts: []act{
		{"in kr1 lock; ask k1 lock; ask k2 lock", []asking{{question: whichClient, says: []string{"{kr1} {kr1.at}"}}}},
		{"cut kr", []asking{
			{question: whichClient, says: []string{"{kr1} .{0,30}not connected to these addresses", "{k1} {k1.at}"}},
			{question: whoHolds, says: []string{"{kr1} .{0,80}{kr1.held}"}},
		}},
		{"got k1", []asking{
			{question: whoHolds, says: []string{hasIt("k1")}, nots: []string{"{kr1} [^;]{0,80} for at most"}},
			{question: whyHandedOver, by: []way{joinedNews, joinedPage},
				says: []string{"{kr1} lost it: its session expired; then {k1} got it"}},
			{question: whyHandedOver, by: []way{files}, says: []string{"{kr1}  lost it with \\S+: its session expired"}},
		}},
	}},
	{name: "herd-exists", alarms: "^A herd: 5", acts: []act{
		{"in k1 first; ask k2 first; ask k3 first; ask k4 first; ask k5 first; ask k6 first", []asking{
			{question: isThereAHerd, args: withWatches, page: pageWithWatches, says: []string{
				"A herd: 5 clients watch \\S*lock-0000000000, and its end wakes them all", "{k1} .{0,200}", "{k4} {k4.at}"}},
			{question: isThereAHerd, by: allNews, says: []string{"{p}  ! A herd: 5 clients watch"}},
		}},
	}},
	{name: "herd-list", session: 10 * time.Minute, alarms: "^Probably a herd: 5", acts: []act{
		{"in k1 children; ask k2 children; ask k3 children; ask k4 children; ask k5 children; ask k6 children", []asking{
			{question: isThereAHerd, args: withWatches, page: pageWithWatches, says: []string{
				"Probably a herd: 5 clients that wait watch no znode ahead, and have last listed the children"},
				nots: []string{"nobody tells them"}},
			{question: isThereAHerd, by: allNews, says: []string{"{p}  ! Probably a herd: 5 clients that wait"}},
		}},
	}},
	{name: "blind", alarms: "^Of those who wait, 1 watches no", acts: []act{
		{"in k1 ahead; ask k2 ahead; ask k3 blind", []asking{
			{question: whyStuck, args: withWatches, page: pageWithWatches, says: []string{"Of those who wait, 1 watches no",
				// If zkviz has seen it list the children, it can't rule out a watch on them.
				"{k3} {k3.at}.{0,80} behind {k2}(, but watches nobody ahead)?", "{k2} {k2.at}[^!]{0,80} behind {k1}",
				"watches nobody ahead|perhaps it watches the list"},
				nots: []string{"behind {k1}, but watches"}},
			{question: whyStuck, by: allNews, says: []string{"{p}  ! Of those who wait, 1 watches no"}},
		}},
	}},
	{name: "stuck", acts: []act{ // kazoo's reader waits for a writer behind it
		{"in k1 write; ask k2 read; ask k3 write; leave k1 write", []asking{
			{question: whyStuck, says: []string{"{k2}", "{k3}",
				"its library may make it wait for the writer behind it, as kazoo did"}},
		}},
	}},
	{name: "nobody", alarms: "^Nobody can get in: ", acts: []act{
		{"nobody lock-0000000000; ask g1 lock", []asking{
			{question: whyStuck, says: []string{
				"Nobody can get in: \\S*lock-0000000000 is at the front, and it belongs to no session",
				"{g1} {g1.at}[^!]{0,80}{g1.waits}"}},
			{question: whyStuck, by: allNews, says: []string{
				"{p}  ! Nobody can get in: \\S*lock-0000000000 is at the front"}},
		}},
	}},
	{name: "leaked", acts: []act{ // by a client that gave up, and lives on
		{"in k1 ahead; try k2 ahead 1500; ask k3 ahead; leave k1 ahead", []asking{
			{question: whyStuck, says: []string{"{k2} {k2.at} .{0,80}for (at most )?\\d", standsBehind("k3", "k2")}},
			{question: whyHandedOver, by: []way{joinedNews, joinedPage},
				says: []string{"{k1} lost it: it let go; then {k2} got it"}},
		}},
	}},
	{name: "gave-up", alarms: "^Of those who wait, 1 watches no", acts: []act{
		{"in g1 lock; try j1 mutex 2000; ask j2 mutex; close j2; ask gk1 lock; kill gk", []asking{
			{question: whoGaveUp, by: []way{joinedNews, joinedPage}, says: []string{
				"{j1} left the queue after waiting for \\d\\.\\d s: it gave up",
				"{j2} left the queue after waiting for .{1,12}: it closed",
				"{gk1} left the queue after waiting for .{1,12}: its session expired"}},
			{question: whoGaveUp, by: []way{readNews, readPage}, honest: true, says: []string{
				"{j1} left the queue after waiting for \\d\\.\\d s: reading doesn't show why",
				"{gk1} left the queue after waiting for .{1,12}: reading doesn't show why"}},
			{question: whoGaveUp, by: []way{files}, args: "log {files} --below {path}", says: []string{
				"{j1}  deleted {p}/\\S+, after \\d", "{gk1}  deleted {p}/\\S+ because its session expired, after"}},
			{question: whoHolds, says: []string{hasIt("g1")}},
		}},
	}},
	{name: "acl", acts: []act{
		{"in k1 secret; ask k2 secret", []asking{
			{question: whoHolds, by: []way{read, readPage}, page: "path={path}", honest: true,
				says: []string{"that their ACLs hide: 1, the first is {p}"},
				nots: []string{"{k1}"}},
			{question: whoHolds, auth: true, says: []string{hasIt("k1")}},
			{question: whoWaits, auth: true, says: []string{standsBehind("k2", "k1")}},
		}},
	}},
	{name: "tls", secure: true, acts: []act{
		{"in k1 lock; ask k2 lock", []asking{
			{question: whoHolds, by: []way{read, readPage}, page: "path={path}", says: []string{hasIt("k1")}},
			{question: whoWaits, by: []way{read, readPage}, page: "path={path}", says: []string{standsBehind("k2", "k1")}},
			{question: whichClient, by: []way{read, readPage}, page: "path={path}", says: []string{"{k1} {k1.at}"},
				nots: []string{"[Nn]ot connected"}},
			// What is asked at one port doesn't tell of connections to the other: that's all that can be said.
			{question: whichClient, by: []way{read}, honest: true, args: "locks {named} --zk {plain}",
				says: []string{"{k1} .{0,3}not connected to these addresses"}},
		}},
	}},
	{name: "chroot", chroot: true, acts: []act{
		{"in k1 lock; ask k2 lock", []asking{
			{question: whoHolds, says: []string{"/it .{0,80}" + hasIt("k1")}, nots: []string{"/incidents/chroot/it"}},
			{question: whoWaits, says: []string{standsBehind("k2", "k1")}},
		}},
	}},
	{name: "moved", acts: []act{
		{"in kr1 lock; ask k2 lock; move kr; opened kr1", []asking{
			{question: whichClient, says: []string{"{kr1} {kr1.at}"}, nots: []string{"[Nn]ot connected"}},
			{question: whoHolds, says: []string{hasIt("kr1")}, nots: []string{"lost it", "may end soon"}},
			{question: whyHandedOver, by: []way{files}, says: []string{"held by {kr1} with"}, nots: []string{"lost it"}},
		}},
	}},
	{name: "many", acts: []act{ // 300 locks × 5
		{"crowd g lock", []asking{
			{question: whoHolds, args: "locks {base}", page: "path={base}&text=it-007",
				says: []string{"{p}-007 .{0,80}{in007}"}},
			{question: whoHolds, args: "locks {base}", page: "path={base}&text=it-299",
				says: []string{"{p}-299 .{0,80}{in299}"}},
			{question: whoWaits, args: "locks {path}-150", page: "path={path}-150",
				says: []string{"4\\. 0x|behind {in150}"}},
		}},
	}},
	{name: "reads", acts: []act{
		{"in kt1 reads", []asking{
			{question: whatFails, by: []way{byTap}, says: []string{"{kt1.at} +{kt1} +get {p}/missing: no node, \\d",
				"{kt1.at} +{kt1} +get {p}: ok, \\d"}},
			{question: whichClient, by: []way{byTap}, says: []string{"{kt1.at} +{kt1} +connected to 127"}},
			{question: whatFails, args: "locks {base}", says: []string{"latency [\\d.]+ ms, at most [\\d.]+ ms"}},
		}},
	}},
}

// serverIncidents lists those that befall the servers.
var serverIncidents = []incident{
	{name: "servers", acts: []act{
		{"in g1 lock; ask j1 mutex; lose leader", []asking{
			{question: isZooKeeperWell, says: []string{
				"{second} leads since \\S+ \\(epoch \\d+\\)", "{leader} can't be reached"}},
			{question: isZooKeeperWell, by: allNews, says: []string{
				"ensemble  {second} leads now \\(epoch \\d+\\); before, {leader} did"}},
			{question: whoHolds, says: []string{hasIt("g1")}, nots: []string{"lost it"}},
			{question: whoWaits, says: []string{standsBehind("j1", "g1")}},
			{question: whyHandedOver, by: []way{files}, says: []string{"held by {g1} with"}, nots: []string{"lost it"}},
		}},
		{"lose another", []asking{
			{question: isZooKeeperWell, by: []way{readPage, joinedPage, read, joined}, says: []string{"no quorum in sight"}},
			{question: isZooKeeperWell, by: allNews, says: []string{"ensemble  no quorum in sight any more: "}},
			{question: whoHolds, by: []way{readPage, joinedPage}, says: []string{"{g1} .{0,80} when last seen"}},
		}},
		{"return all", []asking{
			{question: isZooKeeperWell, by: allNews, says: []string{"ensemble  there is a quorum again, after at most \\d"}},
			{question: isZooKeeperWell, says: []string{
				"{now} leads since \\S+ \\(epoch \\d+\\), \\S+ and \\S+ follow ·"}},
			{question: whoHolds, says: []string{hasIt("g1")}, nots: []string{"lost it", "when last seen"}},
			{question: isZooKeeperWell, by: []way{files}, args: "log {files1} {files2} {files3} --servers",
				says: []string{"epochs  behind"}},
		}},
	}},
}
