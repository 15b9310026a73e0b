package scene_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	_ "github.com/zkviz/zkviz/recipes"
	uistrings "github.com/zkviz/zkviz/static/strings"
	"github.com/zkviz/zkviz/static/strings/words"
)

const root = "/zkviz/printer"

var english, pseudo = load(uistrings.Source), load(uistrings.Pseudo)

func load(code string) words.Words {
	w, err := uistrings.Load(code)
	if err != nil {
		panic(err)
	}
	return w
}

// now is the time of all fixtures.
const now = 12 * time.Second

// base returns a run at rest with n clients, each with a session.
func base(recipe string, n int) *view.State {
	s := &view.State{Seq: 1, At: now, Zxid: 0x2f, Header: headerOf(recipe), Root: root}
	for i := range n {
		s.Clients = append(s.Clients, view.Client{
			Name: fmt.Sprintf("client-%d", i+1), Started: true, Linked: true,
			Session: session(i), Timeout: 10 * time.Second,
			Heard:  now - time.Duration((i*37)%70)*100*time.Millisecond,
			Belief: view.Belief{Phase: program.Waiting, Since: 2 * time.Second}, Blocked: true,
		})
	}
	s.Tree.Nodes = append(s.Tree.Nodes, view.Node{Path: root, Number: -1, Mode: zoo.Persistent})
	return s
}

func session(i int) int64 { return 0x100001f0000 + int64(i) }

func lockPath(i, number int) string {
	return fmt.Sprintf("%s/lock-%x-%010d", root, session(i), number)
}

func add(s *view.State, n view.Node) *view.Node {
	s.Tree.Nodes = append(s.Tree.Nodes, n)
	slices.SortStableFunc(s.Tree.Nodes, func(a, b view.Node) int { return strings.Compare(a.Path, b.Path) })
	for i := range s.Tree.Nodes {
		if s.Tree.Nodes[i].Path == n.Path {
			return &s.Tree.Nodes[i]
		}
	}
	return nil
}

func lockNode(i, number int) view.Node {
	return view.Node{Path: lockPath(i, number), Number: int64(number), Mode: zoo.EphemeralSequential,
		Owner: session(i), Creator: event.Actor(i + 1), Created: time.Second, Czxid: int64(number)}
}

// queued returns n clients in order with client 1 inside, and the recipe's watches.
func queued(recipe string, n int) *view.State {
	s := base(recipe, n)
	for i := range n {
		add(s, lockNode(i, i+7))
		s.Clients[i].Belief.Path = lockPath(i, i+7)
		if i == 0 {
			continue
		}
		w := view.Watch{Client: event.Actor(i + 1), Set: 3 * time.Second}
		w.Path, w.Kind = root, event.ChildWatch
		if recipe == "predecessor-lock" {
			w.Path, w.Kind = lockPath(i-1, i+6), event.DataWatch
		}
		s.Watches.List = append(s.Watches.List, w)
	}
	enter(s, 0)
	return s
}

func enter(s *view.State, i int) {
	c := &s.Clients[i]
	c.Belief.Phase, c.Inside, c.Blocked = program.Holding, true, false
}

// unique returns a state in which all clients wait for one znode.
func unique(n int) *view.State {
	s := base("unique-lock", n)
	add(s, view.Node{Path: root + "/lock", Number: -1, Mode: zoo.Ephemeral, Owner: session(0), Creator: 1,
		Created: time.Second})
	enter(s, 0)
	s.Clients[0].Belief.Path = root + "/lock"
	for i := 1; i < n; i++ {
		s.Watches.List = append(s.Watches.List, view.Watch{Client: event.Actor(i + 1), Path: root + "/lock",
			Kind: event.DataWatch, Set: 3 * time.Second})
	}
	return s
}

// release moves on to right after client 1 has deleted its znode: every watch on a changed znode has fired.
func release(s *view.State) *view.State {
	first := s.Tree.Nodes[0].Path
	for i := range s.Tree.Nodes {
		if n := &s.Tree.Nodes[i]; n.Creator == 1 {
			n.Gone, n.GoneAt, n.Why, first = true, now-200*time.Millisecond, event.ByOp, n.Path
		}
	}
	c := &s.Clients[0]
	c.Belief.Phase, c.Inside = program.Released, false
	for i := range s.Watches.List {
		w := &s.Watches.List[i]
		if w.Path != root && w.Path != first {
			continue
		}
		w.Over, w.Fired, w.OverAt, w.Flight = true, true, now-200*time.Millisecond,
			time.Duration(300+i*37%200)*time.Millisecond
		w.Type = zoo.NodeDeleted
	}
	s.Wakeups.Releases = append(s.Wakeups.Releases, view.Release{At: now - 200*time.Millisecond, By: 1, Why: event.ByOp,
		Woken: len(s.Watches.List), Wasted: max(len(s.Watches.List)-1, 0)})
	woken := len(s.Watches.List)
	s.Counts.Requests, s.Wakeups.ByRelease, s.Clients[len(s.Clients)-1].Woken = 24, woken, woken
	return s
}

// expiredHolder returns a queue whose client 1 slept through its session: its znode is gone, but not its belief.
func expiredHolder(n int) *view.State {
	s := release(queued("predecessor-lock", n))
	c := &s.Clients[0]
	c.Belief.Phase, c.Paused, c.Ended, c.EndedAt = program.Holding, true, view.Expired, now-200*time.Millisecond
	for i := range s.Tree.Nodes {
		if s.Tree.Nodes[i].Gone {
			s.Tree.Nodes[i].Why = event.BySessionExpired
		}
	}
	for i := range s.Watches.List {
		s.Watches.List[i].Over = s.Watches.List[i].Over && s.Watches.List[i].OverAt > 0
	}
	enter(s, 1)
	s.Clients[1].Belief.Path = lockPath(1, 8)
	return s
}

// talking returns requests and replies of every kind under way, and clients in every kind of trouble.
func talking() *view.State {
	s := queued("predecessor-lock", 6)
	s.Flights.List = []view.Flight{
		{Seq: 1, From: 2, Op: event.Create, Path: root, Sent: now - 150*time.Millisecond, Takes: 300 * time.Millisecond},
		{Seq: 2, To: 3, Op: event.Children, Reply: true, Sent: now - 100*time.Millisecond, Takes: 300 * time.Millisecond},
		{Seq: 3, From: 4, Op: event.Delete, Sent: now - 100*time.Millisecond, Takes: 300 * time.Millisecond, Over: true,
			OverAt: now - 20*time.Millisecond, Dropped: true},
		{Seq: 4, To: 5, Op: event.Create, Code: -110, Reply: true, Sent: now - 100*time.Millisecond,
			Takes: 300 * time.Millisecond},
		{Seq: 5, From: 6, Op: event.Ping, Sent: now - 100*time.Millisecond, Takes: 300 * time.Millisecond},
	}
	s.Clients[1].Paused = true
	s.Clients[3].Linked = false
	s.Clients[5].Crashed = true
	return s
}

func barrier(n, here int, open bool) *view.State {
	s := base("barrier", n)
	add(s, view.Node{Path: root + "/members", Number: -1, Mode: zoo.Persistent})
	for i := range here {
		add(s, view.Node{Path: fmt.Sprintf("%s/members/client-%d", root, i+1), Number: -1, Mode: zoo.Ephemeral,
			Owner: session(i), Creator: event.Actor(i + 1), Created: time.Second})
		s.Watches.List = append(s.Watches.List, view.Watch{Client: event.Actor(i + 1), Path: root + "/start",
			Kind: event.ExistWatch, Set: 3 * time.Second, Over: open, Fired: open, OverAt: now - 100*time.Millisecond,
			Flight: 300 * time.Millisecond})
	}
	for i := here; i < n; i++ {
		s.Clients[i].Belief.Phase = ""
		s.Clients[i].Blocked = false
	}
	if open {
		add(s, view.Node{Path: root + "/start", Number: -1, Mode: zoo.Persistent, Creator: event.Actor(here),
			Created: now - 100*time.Millisecond})
	}
	return s
}

func fifo(producers, consumers, items int) *view.State {
	s := base("fifo-queue", producers+consumers)
	for i := range s.Clients {
		c := &s.Clients[i]
		c.Role, c.Belief.Phase = "producer", program.Produced
		if i >= producers {
			c.Role, c.Belief.Phase = "consumer", program.Consumed
			s.Watches.List = append(s.Watches.List, view.Watch{Client: event.Actor(i + 1), Path: root, Kind: event.ChildWatch,
				Set: 3 * time.Second})
		}
	}
	for i := range items {
		add(s, view.Node{Path: fmt.Sprintf("%s/item-%010d", root, i+3), Number: int64(i + 3), Mode: zoo.PersistentSequential,
			Creator: event.Actor(i%producers + 1), Data: fmt.Sprintf("order %d", i+3), Bytes: 7, Created: time.Second})
	}
	s.Flights.List = []view.Flight{{Seq: 1, From: 1, Op: event.Create, Sent: now - 150*time.Millisecond,
		Takes: 300 * time.Millisecond},
		{Seq: 2, From: event.Actor(producers + 1), Op: event.Delete, Sent: now - 150*time.Millisecond,
			Takes: 300 * time.Millisecond}}
	return s
}

// tree returns a tree like that of the first lesson or of an observed cluster.
func tree(clients int) *view.State {
	s := base("first-steps", clients)
	if clients == 0 {
		s.Header = headerOf("")
	}
	s.Root = "/app"
	s.Tree.Nodes = nil
	for _, n := range []view.Node{
		{Path: "/app", Number: -1},
		{Path: "/app/config", Number: -1, Data: "colour=green", Bytes: 12, Version: 3, Changed: now - 300*time.Millisecond},
		{Path: "/app/config/db", Number: -1, Data: "10.0.0.7:5432", Bytes: 13},
		{Path: "/app/members", Number: -1},
		{Path: "/app/members/a", Number: -1, Mode: zoo.Ephemeral, Owner: session(0), Creator: 1},
		{Path: "/app/members-old", Number: -1},
		{Path: "/app/locks", Number: -1},
		{Path: "/app/locks/printer", Number: -1},
	} {
		add(s, n)
	}
	for i := range 5 {
		n := lockNode(i, i+7)
		n.Path = strings.Replace(n.Path, root, "/app/locks/printer", 1)
		add(s, n)
	}
	if clients > 1 {
		s.Watches.List = []view.Watch{{Client: 2, Path: "/app/members/a", Kind: event.DataWatch, Set: time.Second},
			{Client: 1, Path: "/app/config", Kind: event.DataWatch, Set: time.Second},
			{Client: 2, Path: "/app/config", Kind: event.DataWatch, Set: time.Second, Over: true, Fired: true,
				OverAt: now - 200*time.Millisecond, Flight: 400 * time.Millisecond},
			{Client: 2, Path: "/app/feature", Kind: event.ExistWatch, Set: time.Second}}
	}
	return s
}

// owners returns an observed cluster whose clients are known only by the znodes that they own.
func owners(clients int) *view.State {
	s := tree(clients)
	s.Header, s.Watches.List = headerOf(""), nil
	for i := range s.Clients {
		c := &s.Clients[i]
		*c = view.Client{Name: c.Name, Started: true, Session: c.Session, Heard: c.Heard}
	}
	return s
}

// joined returns a queue of an ensemble that zkviz has joined: its clients are known only by what they write.
func joined(clients int) *view.State {
	s := queued("predecessor-lock", clients)
	s.Header, s.Watches.List = event.Header{Host: event.Joined}, nil
	for i := range s.Clients {
		c := &s.Clients[i]
		*c = view.Client{Name: c.Name, Started: true, Session: c.Session, Timeout: c.Timeout}
	}
	return s
}

// deep returns a large observed subtree: many levels, many children, queues of all lengths.
func deep(n int) *view.State {
	s := base("", 0)
	s.Root, s.Tree.Nodes = "/", nil
	add(s, view.Node{Path: "/", Number: -1})
	for i := range n {
		p := fmt.Sprintf("/service-%d", i/12)
		for d := range i % 12 {
			p += fmt.Sprintf("/level%d", d)
		}
		add(s, view.Node{Path: p, Number: -1, Data: "x=1", Mode: zoo.CreateMode(i % 2)})
		for k := range i % 9 {
			add(s, view.Node{Path: fmt.Sprintf("%s/job-%010d", p, k), Number: int64(k), Mode: zoo.PersistentSequential})
		}
	}
	return s
}

// shelf returns an observed queue.
func shelf(n int) *view.State {
	s := base("", 0)
	for i := range n {
		node := lockNode(i, i)
		node.Creator = 0
		add(s, node)
	}
	return s
}

// hostile adds names and data that look like markup, contain control characters, or have 100 kB.
func hostile(s *view.State) *view.State {
	bad := []string{"<script>alert(1)</script>", "\x00\x1b[31m\r\n", "‮evil", "&amp;\"'>", strings.Repeat("long", 25_000),
		"\xff\xfe", "名前の長いノード名前の長いノード"}
	for i, b := range bad {
		add(s, view.Node{Path: s.Root + "/" + b, Number: -1, Data: b, Bytes: int64(len(b))})
		add(s, view.Node{Path: fmt.Sprintf("%s/%s-%010d", s.Root, b, 100+i), Number: int64(100 + i),
			Mode: zoo.EphemeralSequential, Data: b})
	}
	return s
}

// written adds a store that took some writes and has just refused the last one, from client 1.
func written(s *view.State, name string) *view.State {
	t := view.Store{Name: name, Greatest: 8, Taken: view.KeptWrites - 1, Refused: 1}
	for i := range t.Writes {
		who := event.Actor(i%len(s.Clients) + 1)
		t.Writes[i] = view.Write{Client: who, Text: who.String() + " begins", Fence: int64(i),
			At: now - time.Duration(len(t.Writes)-i)*time.Second}
	}
	t.Writes[len(t.Writes)-1] = view.Write{Client: 1, Text: "client-1 ends", Fence: 1, Refused: true, At: now}
	s.Stores = append(s.Stores, t)
	return s
}

// stored adds a store of a form that received the writes, each "A text", one a second, the last one now.
func stored(s *view.State, form event.StoreForm, writes ...string) *view.State {
	return storedAs(s, event.StoreDrawing{Name: "store", Form: form}, writes...)
}

// storedAs adds a store with the given drawing that received the writes.
func storedAs(s *view.State, like event.StoreDrawing, writes ...string) *view.State {
	t := view.NewFor(event.Header{Clients: len(s.Clients), Drawing: event.Drawing{Stores: []event.StoreDrawing{like}}})
	for i := range s.Clients {
		c := &s.Clients[i]
		t.Apply(event.Event{Seq: t.Seq + 1, Kind: event.RecipePhase, Actor: event.Actor(i + 1), Text: string(c.Belief.Phase)})
	}
	for i, w := range writes {
		t.Apply(event.Event{Seq: t.Seq + 1, Kind: event.StoreWritten, Actor: event.Actor(w[0] - '@'), Path: "store",
			Text: w[2:], At: now - time.Duration(len(writes)-1-i)*time.Second})
	}
	s.Stores = t.Stores
	return s
}

// torn returns the moment at which client 1, whose session is over, prints on the page of client 2.
func torn(n int) *view.State {
	return stored(expiredHolder(n), event.StoreSheet, "A page", "A page", "B page", "A page")
}

// trays returns a printer with two trays in which three clients print.
func trays(writes ...string) *view.State {
	s := tree(3)
	for i := range s.Clients {
		s.Clients[i].Belief.Phase = program.Holding
	}
	return storedAs(s, event.StoreDrawing{Name: "store", Form: event.StoreSheet, Trays: 2}, writes...)
}

// document returns a document that two clients write while two others read it.
func document(writes ...string) *view.State {
	s := tree(4)
	for i := range s.Clients {
		s.Clients[i].Belief.Phase = []program.Phase{program.Writing, program.Writing, program.Reading, program.Reading}[i]
	}
	return stored(s, event.StoreDocument, writes...)
}

// gaveUp returns a queue in which client 3 has given up, come back, and watches the znode that it left behind.
func gaveUp() *view.State {
	s := queued("ghost-after-timeout", 3)
	add(s, lockNode(2, 10))
	s.Clients[2].Belief.Path = lockPath(2, 10)
	s.Clients[1].Belief.Phase, s.Clients[1].Blocked = program.GaveUp, false
	s.Watches.List = append(s.Watches.List,
		view.Watch{Client: 3, Set: 3 * time.Second, Path: lockPath(2, 9), Kind: event.DataWatch})
	return s
}

func fixtures() map[string]*view.State {
	all := map[string]*view.State{
		"votes":     electingNow("patch", 3),
		"votes7":    electingNow("seven", 9),
		"apart":     asOf("apart", 2, func(e event.Event) bool { return e.Kind == event.MsgSent && e.At > 10*time.Second }),
		"patch":     choosingNow("patch", event.Diff),
		"cut":       choosingNow("cut", event.Trunc),
		"copy":      choosingNow("copy", event.Snap),
		"servers":   ensemble(queued("predecessor-lock", 6), 3),
		"nine":      ensemble(queued("children-lock", 30), 9),
		"outside":   outside(queued("predecessor-lock", 6)),
		"chain":     queued("predecessor-lock", 6),
		"fan":       queued("children-lock", 6),
		"herd":      release(queued("children-lock", 6)),
		"star":      unique(6),
		"starherd":  release(unique(6)),
		"expired":   expiredHolder(6),
		"talking":   talking(),
		"barrier":   barrier(6, 4, false),
		"open":      barrier(6, 6, true),
		"fifo":      fifo(2, 2, 5),
		"fifolong":  fifo(3, 4, 40),
		"tree":      tree(2),
		"observed":  tree(0),
		"owners":    owners(3),
		"joined":    joined(3),
		"asked":     asked(),
		"hostile":   hostile(queued("children-lock", 3)),
		"evil":      hostile(tree(2)),
		"dozen":     queued("predecessor-lock", 12),
		"thirty":    queued("predecessor-lock", 30),
		"sixty":     release(queued("children-lock", 60)),
		"thousand":  release(queued("children-lock", 1000)),
		"thousandp": queued("predecessor-lock", 1000),
		"thousandu": unique(1000),
		"shelf":     shelf(9),
		"shelves":   shelf(300),
		"deep":      deep(24),
		"deeper":    deep(120),
		"fenced":    written(queued("unnoticed-expiry", 3), "ledger"),
		"written":   written(tree(2), strings.Repeat("a long name ", 20)),
		"unwritten": queued("fenced-lock", 3),
		"dozenw":    written(queued("unnoticed-expiry", 12), "ledger"),
		"gaveup":    gaveUp(),
		"torn":      torn(3),
		"torncrowd": torn(200),
		"printed":   stored(queued("predecessor-lock", 6), event.StoreSheet, "A page", "A page", "A page"),
		"trays":     trays("A page", "B page", "A page"),
		"traystorn": trays("A page", "B page", "A page", "C page", "B page"),
		"onetray":   trays("B page"),
		"numbers":   stored(tree(2), event.StoreNumbers, "A 1", "B 2", "A 3", "B 3", "A 4"),
		"values":    stored(tree(3), event.StoreValues, "B price 10", "C price 10", "B price 20"),
		"tasks": stored(fifo(2, 3, 5), event.StoreTasks, "A item-0000000000 open", "B item-0000000001 open",
			"C item-0000000000 taken", "A item-0000000002 open", "C item-0000000000 done", "D item-0000000001 taken",
			"D item-0000000001 done", "E item-0000000001 done"),
		"document": document("A first half", "A second half", "C a copy", "B first half"),
		"torncopy": document("A first half", "A second half", "C a copy", "B first half", "D a copy"),
		"mixed":    document("A first half", "B first half", "B second half", "A second half", "C a copy"),
		"empty":    base("children-lock", 6),
		"nobody":   base("children-lock", 0),
	}
	maps.Copy(all, farFixtures())
	return all
}

// headerOf returns the header of a simulated run of the recipe, of the zoo, or, for "", of an observation.
func headerOf(name string) event.Header {
	switch name {
	case "":
		return event.Header{Host: event.Observed}
	case "zoo":
		return event.Header{Host: event.Embedded, Recipe: name}
	}
	r, _ := recipe.Find(name)
	return event.Header{Host: event.Simulated, Recipe: name, Drawing: r.Drawing}
}

// outside adds servers that are known only from outside, and connects the clients to three of them.
func outside(s *view.State) *view.State {
	s.Header.Systems = []event.System{{Kind: event.ZooKeeperSystem, Addresses: []string{
		"10.0.0.1:2181", "zookeeper-2.zookeeper-headless.production.svc.cluster.example:2181", "[2001:db8::3]:2181",
		"\u202e:1", "10.0.0.5:2181",
	}}}
	s.Ensemble.Servers = []view.Server{
		{Up: true, Outside: true, Phase: event.Broadcasting, Leader: event.Server(2), Delivered: 2<<32 | 7},
		{Up: true, Outside: true, Phase: event.Broadcasting, Leader: event.Server(2), Delivered: 2<<32 | 9},
		{Up: true, Outside: true}, {Outside: true}, {Up: true, Outside: true, Phase: event.NotServing},
	}
	for i := range s.Clients {
		s.Clients[i].Server = event.Server(1 + i%3)
	}
	return s
}

// ensemble adds n servers, each in another state, and connects the clients to the first of them.
func ensemble(s *view.State, n int) *view.State {
	s.Ensemble.Servers = []view.Server{
		{Up: true, Phase: event.Broadcasting, Leader: event.Server(3), Accepted: 2, Current: 2, Logged: 2<<32 | 9,
			Synced: 2<<32 | 7, Delivered: 2<<32 | 5, Tail: view.TailOf(0, 1<<32|40, 1<<32|41, 2<<32|1, 2<<32|2, 2<<32|3,
				2<<32|4, 2<<32|5, 2<<32|6, 2<<32|7, 2<<32|8, 2<<32|9)},
		{Accepted: 1, Current: 1, Logged: 1<<32 | 40, Synced: 1<<32 | 40, Delivered: 1<<32 | 39,
			Tail: view.TailOf(0, 1<<32|38, 1<<32|39, 1<<32|40), Gone: view.TailOf(0, 1<<32|41, 1<<32|42), GoneAt: now},
		{Up: true, Phase: event.Broadcasting, Leader: event.Server(3), Accepted: 2, Current: 2, Logged: 2<<32 | 9,
			Synced: 2<<32 | 9, Delivered: 2<<32 | 6, Tail: view.TailOf(2<<32|3, 2<<32|4, 2<<32|5, 2<<32|6, 2<<32|7, 2<<32|8,
				2<<32|9)},
		{Up: true, Phase: event.Electing, Accepted: 3, Current: 2, Ballot: view.Ballot{
			Vote: view.Vote{For: event.Server(5), Epoch: 2, Zxid: 2<<32 | 7, Round: 3}, Decided: view.ZxidField}},
		{Up: true, Phase: event.Synchronizing, Leader: event.Server(3), Accepted: 3, Current: 2},
		{Up: true, Paused: true, Phase: event.Broadcasting, Leader: event.Server(3), Accepted: 12, Current: 12},
		{Up: true, Phase: event.Electing}, {}, {Up: true, Phase: event.Discovering, Leader: event.Server(3)},
	}[:n]
	s.Ensemble.Servers[0].SlowUntil = now + 3*time.Second
	s.Ensemble.Servers[0].Cut, s.Ensemble.Servers[1].Cut, s.Ensemble.Servers[2].Cut = 1<<2, 1<<1|1<<3, 1<<2
	s.Ensemble.Committed = view.Commits{1<<32 | 39, 2<<32 | 6}
	for i := range s.Clients {
		s.Clients[i].Server = event.Server(1 + min(i%4, 2)%n)
	}
	s.Header.Systems = []event.System{{Kind: event.ZooKeeperSystem, Servers: n, SyncLimit: 10 * time.Second}}
	for from, to := range map[int]int{1: 3, 3: 1} {
		s.Apply(event.Event{Seq: s.Seq, At: now - 6*time.Second, Kind: event.MsgReceived, Op: event.ServerPing,
			Actor: event.Server(to), Peer: event.Server(from)})
	}
	for i, e := range []event.Event{{Op: event.Connect}, {Op: event.Create, Path: root + "/lock-"},
		{Op: event.Set, Path: root + "/price", Text: "price 10"}, {Op: event.CloseSession},
		{Op: event.Create, Path: "/mine", Code: -110}} {
		e.Seq, e.At, e.Kind, e.Actor, e.Peer, e.Zxid = s.Seq, now-2*time.Second, event.TxnProposed, event.Server(3), 1,
			2<<32|int64(i+4)
		s.Apply(e)
	}
	leader := event.Event{Seq: s.Seq, At: now - time.Second, Kind: event.TxnProposed, Actor: event.Server(3), Peer: 1,
		Op: event.Create, Zxid: 2<<32 | 9}
	s.Apply(leader)
	for to := range 2 {
		s.Ensemble.Costs.Apply(event.Event{Kind: event.MsgSent, Op: event.Proposal, Actor: leader.Actor,
			Peer: event.Server(to + 1), Zxid: leader.Zxid, Cause: leader.Seq})
	}
	s.At = now
	last := &s.Clients[len(s.Clients)-1]
	last.SentAway, last.SentAwayAt = event.Server(1), now-time.Second
	letter := func(op event.Op, from, to int, sent time.Duration) {
		s.Flights.List = append(s.Flights.List, view.Flight{Seq: s.Seq, From: event.Server(from),
			To: event.Server(to), Op: op, Sent: now - sent, Takes: 300 * time.Millisecond})
		s.Seq++
	}
	letter(event.Proposal, 3, 1, 150*time.Millisecond)
	letter(event.Ack, 1, 3, 200*time.Millisecond)
	letter(event.Notification, 2, 3, 400*time.Millisecond) // not arrived: it waits
	letter(event.ServerPing, 3, 1, 100*time.Millisecond)
	if n > 4 {
		letter(event.Proposal, 3, 5, 150*time.Millisecond)
		letter(event.Notification, 4, 5, 100*time.Millisecond)
		s.Flights.List[len(s.Flights.List)-1].Dropped, s.Flights.List[len(s.Flights.List)-1].Over = true, true
		s.Flights.List[len(s.Flights.List)-1].OverAt = now - 20*time.Millisecond
	}
	return s
}
