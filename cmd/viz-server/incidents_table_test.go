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
	return "Session {" + client + "} {" + client + ".at}" + wrote + " may end soon: its client was last heard from " +
		"\\d+ s ago, of " + timeout
}

// wrote stands for what may follow a session: its client's address, if a server has told it, and what it wrote.
const wrote = "[^;!\\n]{0,60}"

// passed is the answer to why it changed hands.
func passed(client, why, next string) string {
	return "{" + client + "}" + wrote + " lost it: " + why + "; then {" + next + "}" + wrote + " got it"
}

// left is the answer to who gave up, and why.
func left(client, why string) string {
	return "{" + client + "}" + wrote + " left the queue after waiting for \\d[^:]{0,20}: " + why
}

// withWatches asks the servers for watches too.
const (
	withWatches     = "locks {named} --herds"
	pageWithWatches = "path={base}&herds=on"
)

// theHour is the page of a lock's last hour.
const theHour = "/live/locks/hour?path={path}"

var allNews = []way{readNews, joinedNews}

// incidents lists those that spare the servers.
var incidents = []incident{
	{name: "paused", session: 40 * time.Second, acts: []act{
		{"in gx1 lock; ask j1 mutex; ask j2 mutex", []asking{
			{question: whoHolds, says: []string{hasIt("gx1")}},
			{question: whoWaits, says: []string{standsBehind("j1", "gx1"), standsBehind("j2", "j1")}},
		}},
		{"pause gx", []asking{
			{question: nearItsEnd, quickly: true, says: []string{mayEnd("gx1", "40 s"), hasIt("gx1"),
				standsBehind("j1", "gx1")}, nots: []string{"[Nn]ot connected"}},
			{question: nearItsEnd, by: allNews, says: []string{"{p}  ! " + mayEnd("gx1", "40 s")}},
		}},
		{"got j1", []asking{
			{question: whoHolds, says: []string{hasIt("j1")}, nots: []string{"may end soon"}},
			{question: whyHandedOver, by: []way{joinedNews, joinedPage},
				says: []string{passed("gx1", "its session expired", "j1")}},
			{question: whyHandedOver, by: []way{readNews, readPage}, honest: true,
				says: []string{passed("gx1", "reading can't tell why[^;]{0,30}", "j1")}},
			{question: whyHandedOver, by: []way{files}, says: []string{
				"{gx1}  lost it with \\S+: its session expired, after holding it",
				"{j1.got}\\S*  0x[0-9a-f]+  {j1}  got it with \\S+ .*after waiting for"}},
			{question: whatHappened, by: []way{joinedNews}, says: []string{
				"{p}  ! Session {gx1}" + wrote + " may end soon.*{j1.got}\\S*  {p}  " +
					passed("gx1", "its session expired", "j1")}},
			{question: whatHappened, by: []way{files}, args: "log {files} --below {path} --since 10m", says: []string{
				"{gx1}  created {p}/\\S+.*{j1}  created {p}/\\S+.*{gx1}  session expired\n.*{gx1}  deleted {p}/\\S+ because its " +
					"session expired"}},
			{question: whatHappened, by: []way{files}, args: "log {files} --hands {path} --why expired", says: []string{
				"{gx1}  lost it with \\S+: its session expired"}, nots: []string{"{j1}  lost it"}},
			{question: whatHappened, by: []way{joinedPage}, page: theHour, says: []string{
				"{j1}.{0,200}holds it now.{0,200}{gx1} {gx1.at}.{0,200}session expired"}},
			{question: whatHappened, by: []way{readPage}, page: theHour, says: []string{
				"Reading doesn't show why", "{j1}.{0,200}holds it now.{0,200}{gx1} {gx1.at}"}},
			{question: whatHappened, by: []way{readPage, joinedPage}, page: "/api/hour?path={path}", says: []string{
				"\"{j1}\"", "\"{gx1}\""}},
		}},
	}},
	{name: "hung", acts: []act{
		{"in k1 lock; ask k2 lock; ask k3 lock", []asking{
			{question: whoHolds, says: []string{hasIt("k1")}},
			{question: whoWaits, says: []string{standsBehind("k2", "k1"), standsBehind("k3", "k2")}},
			{question: whichClient, says: []string{"{k1} {k1.at} .{0,60}k1-hung"}},
			{question: nearItsEnd, says: []string{hasIt("k1")}, nots: []string{"may end soon", "[Nn]ot connected"}},
			{question: whoHolds, by: allNews, says: []string{"{k1.got}\\S*  {p}  {k1}" + wrote + " got it"}},
			{question: whoHolds, by: []way{files}, says: []string{"{k1.got}\\S* .*{k1}  got it .*held by {k1} with"}},
		}},
	}},
	{name: "cut-off", session: 30 * time.Second, acts: []act{
		{"in kr1 lock; ask k1 lock; ask k2 lock", []asking{{question: whichClient, says: []string{"{kr1} {kr1.at}"}}}},
		{"cut kr", []asking{
			{question: whichClient, quickly: true, says: []string{"{kr1} .{0,30}not connected to these addresses",
				"{k1} {k1.at}", "{kr1} .{0,80}{kr1.held}"}},
		}},
		{"got k1", []asking{
			{question: whoHolds, says: []string{hasIt("k1")}, nots: []string{"{kr1} [^;]{0,80} for at most"}},
			{question: whyHandedOver, by: []way{joinedNews, joinedPage},
				says: []string{passed("kr1", "its session expired", "k1")}},
			{question: whyHandedOver, by: []way{files}, says: []string{"{kr1}  lost it with \\S+: its session expired"}},
		}},
	}},
	{name: "herd-exists", alarms: "^A herd: ", acts: []act{
		{"in k1 first; ask k2 first; ask k3 first; ask k4 first; ask k5 first; ask k6 first", []asking{
			{question: isThereAHerd, args: withWatches, page: pageWithWatches, says: []string{
				"A herd: 5 clients watch \\S*lock-0000000000, and its end wakes them all", "{k1} .{0,200}", "{k4} {k4.at}"}},
			{question: isThereAHerd, by: allNews, says: []string{"{p}  ! A herd: \\d clients watch"}},
		}},
	}},
	{name: "herd-list", alarms: "^Probably a herd: ", acts: []act{
		{"in k1 children; ask k2 children; ask k3 children; ask k4 children; ask k5 children; ask k6 children", []asking{
			{question: isThereAHerd, args: withWatches, page: pageWithWatches, says: []string{
				"Probably a herd: 5 clients that wait watch no znode ahead, and have last listed the children"},
				nots: []string{"nobody tells them"}},
			{question: isThereAHerd, by: allNews, says: []string{"{p}  ! Probably a herd: \\d clients that wait"}},
		}},
	}},
	{name: "blind", acts: []act{
		{"in k1 ahead; ask k2 ahead; ask k3 blind", []asking{
			{question: whyStuck, args: withWatches, page: pageWithWatches, says: []string{"Of those who wait, 1 watches no",
				// If zkviz has seen it list the children, it can't rule out a watch on them.
				"{k3} {k3.at}.{0,80} behind {k2}(, but watches nobody ahead)?", "{k2} {k2.at}[^!]{0,80} behind {k1}",
				"watches nobody ahead|perhaps it watches the list"},
				nots: []string{"behind {k1}, but watches"}},
			{question: whyStuck, by: allNews, says: []string{"{p}  ! Of those who wait, \\d watch(es)? no"}},
		}},
	}},
	// kazoo's reader waits for a writer behind it, for good if it has looked after that came: then nobody gets in.
	{name: "stuck", alarms: "^Nobody gets in: ", acts: []act{
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
	{name: "lasting", alarms: "^Nobody else can get in: ", acts: []act{ // kazoo's, with a znode that outlives its client
		{"in k1 lasting; ask k2 lock", []asking{
			{question: whyStuck, says: []string{
				"Nobody else can get in: \\S*\\d{10} holds it, and it belongs to no session",
				"{k2} {k2.at}[^!]{0,80}{k2.waits}"}},
			{question: whyStuck, by: allNews, says: []string{
				"{p}  ! Nobody else can get in: \\S*\\d{10} holds it, and it belongs to no session"}},
		}},
	}},
	{name: "leaked", acts: []act{ // by a client that gave up, and lives on
		{"in k1 ahead; try k2 ahead 1500; ask k3 ahead; leave k1 ahead", []asking{
			{question: whyStuck, says: []string{"{k2} {k2.at} .{0,80}for (at most )?\\d", standsBehind("k3", "k2")}},
			{question: whyHandedOver, by: []way{joinedNews, joinedPage},
				says: []string{passed("k1", "it let go", "k2")}},
		}},
	}},
	{name: "gave-up", session: 20 * time.Second, acts: []act{
		{"in g1 lock; ask gk1 lock", []asking{{question: whichClient, says: []string{"{gk1} {gk1.at}"}}}},
		{"kill gk; try j1 mutex 2000; ask j2 mutex; close j2", []asking{
			{question: whoGaveUp, by: []way{joinedNews, joinedPage}, says: []string{
				left("j1", "it gave up"), left("j2", "it closed its session"), left("gk1", "its session expired")}},
			{question: whoGaveUp, by: []way{joinedPage}, says: []string{"{gk1} {gk1.at}" + wrote + " left the queue"}},
			{question: whoGaveUp, by: []way{readNews, readPage}, honest: true, says: []string{
				left("j1", "reading can't tell why"), left("gk1", "reading can't tell why")}},
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
			{question: whatFails, by: []way{tapPage}, page: "/tap?text={path}&span=all", says: []string{
				"{p}/missing.{0,200}no node 1"}},
			{question: whatFails, by: []way{tapPage}, page: "/tap.json", says: []string{"\"{p}/missing\""}},
			{question: whichClient, by: []way{tapPage}, page: "/tap?by=client&text={kt1}", says: []string{
				"{kt1}.{0,40}{kt1.at}, at 127"}},
			{question: whatFails, args: "locks {base}", says: []string{"latency [\\d.]+ ms, at most [\\d.]+ ms"}},
		}},
	}},
}

// tapped lists incidents of clients that connect through the tap. Servers name the tap's address as theirs.
var tapped = []incident{
	{name: "herd-tapped", alarms: "^A herd: ", acts: []act{
		{"in kt1 first; ask kt2 first; ask kt3 first; ask kt4 first; ask kt5 first", []asking{
			{question: whoWaits, by: []way{tapList}, says: []string{"{kt2} [^!]{0,80}{kt2.waits}.{0,60} behind {kt1}"}},
			{question: isThereAHerd, by: []way{tapList}, args: withWatches, says: []string{
				"A herd: 4 clients watch \\S*lock-0000000000"}},
		}},
		{"leave kt1 first; got kt2", []asking{
			{question: whatFails, by: []way{tapList}, says: []string{ // on a very slow machine that's more than a minute ago
				"through the tap: ([\\d.]+ requests a second, 99% within \\S+|no requests in the last)"}},
			{question: isThereAHerd, by: []way{byTap}, says: []string{
				"(told NodeDeleted {p}/lock-0000000000.*){4}"}},
			{question: isThereAHerd, by: []way{tapPage}, page: "/tap", says: []string{
				"{p}/lock-0000000000.{0,60}was deleted and woke 4"}},
			{question: isThereAHerd, by: []way{tapList}, says: []string{"change there woke 4"}},
			{question: whatHappened, by: []way{byTap}, says: []string{
				"{kt1.at} +{kt1} +create {p}/lock-\\S*: ok.*{kt2.at} +{kt2} +told NodeDeleted {p}/lock-0000000000",
				"{kt1.at} +{kt1} +delete {p}/lock-0000000000: ok"}},
			{question: whoHolds, by: []way{tapList}, says: []string{"{kt2} [^!]{0,80}{kt2.held}"}},
			{question: whichClient, by: []way{tapPage}, page: "/tap?by=client&text={kt3}",
				says: []string{"{kt3}.{0,40}{kt3.at}"}},
			{question: isZooKeeperWell, by: []way{tapList}, says: []string{" leads since "}},
		}},
	}},
	{name: "inert", acts: []act{ // one that is told, and does nothing
		{"in kt1 ahead; ask kt2 inert", []asking{ // kt1 must not leave before kt2 has its watch
			{question: whatHappened, by: []way{byTap}, says: []string{"{kt2} +exists {p}/lock-0000000000 watch: ok"}},
		}},
		{"leave kt1 ahead", []asking{
			{question: whyStuck, by: []way{byTap}, says: []string{"{kt2.at} +{kt2} +told NodeDeleted {p}/lock-0000000000"}},
			{question: whyStuck, by: []way{tapPage}, page: "/tap?by=client&text={kt2}", says: []string{
				"told NodeDeleted {p}/lock-0000000000 .{1,20} ago, and has asked nothing since"}},
			{question: whyStuck, by: []way{tapList}, says: []string{
				"{kt2}: told NodeDeleted \\S*lock-0000000000 .{1,20} ago, and has asked nothing since"}},
		}},
	}},
}

// dated is the time at the beginning of a line.
const dated = "\\d{4}-\\d\\d-\\d\\dT\\S+  "

// serverIncidents lists those that befall the servers.
var serverIncidents = []incident{
	{name: "servers", acts: []act{
		{"in g1 lock; ask j1 mutex; lose leader", []asking{
			{question: isZooKeeperWell, says: []string{
				"{second} leads since \\S+ \\(epoch \\d+\\)", "{leader} can't be reached"}},
			{question: isZooKeeperWell, by: allNews, says: []string{
				dated + "ensemble  {second} leads now \\(epoch \\d+\\); before, {leader} did"}},
			{question: whoHolds, says: []string{hasIt("g1")}, nots: []string{"lost it"}},
			{question: whoWaits, says: []string{standsBehind("j1", "g1")}},
			{question: whyHandedOver, by: []way{files}, says: []string{"held by {g1} with"}, nots: []string{"lost it"}},
		}},
		{"lose another", []asking{
			{question: isZooKeeperWell, by: []way{readPage, joinedPage, read, joined}, says: []string{"no quorum in sight"}},
			{question: isZooKeeperWell, by: allNews, says: []string{dated + "ensemble  no quorum in sight any more: "}},
			{question: whoHolds, by: []way{readPage, joinedPage}, says: []string{"{g1} .{0,80} when last seen"}},
		}},
		{"return all", []asking{
			{question: isZooKeeperWell, by: allNews, says: []string{
				dated + "ensemble  there is a quorum again, after at most \\d"}},
			{question: isZooKeeperWell, by: []way{readNews}, says: []string{
				"ZooKeeper is out of reach since \\d{4}-\\d\\d-\\d\\dT\\S+", dated + "ZooKeeper is in reach again"}},
			{question: isZooKeeperWell, says: []string{
				"{now} leads since \\S+ \\(epoch \\d+\\), \\S+ and \\S+ follow ·"}},
			{question: whoHolds, says: []string{hasIt("g1")}, nots: []string{"lost it", "when last seen"}},
			{question: isZooKeeperWell, by: []way{files}, args: "log {files1} {files2} {files3} --servers",
				says: []string{"epochs  behind"}},
		}},
	}},
}
