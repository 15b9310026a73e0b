package panes

import (
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Fact is one line of the inspector or of the counters.
type Fact struct {
	_           view.Incomparable
	Name, Value string
	Wrong       bool // the belief is wrong
	Aside       bool // a detail: lessons show it only on demand
}

// Table has rows below heads. Mark explains the marked cells.
type Table struct {
	Title, Mark string
	Heads       []string
	Rows        [][]Cell
}

// Cell is a cell of a Table.
type Cell struct {
	Text   string
	Marked bool
}

// Inspected is what the inspector shows about the selection. Its zero value is for no selection.
type Inspected struct {
	Title string
	Who   Who // empty for a znode
	Facts []Fact
	Table Table // below the facts; no rows for none
	Over  bool  // the process has ended, so nothing more can be done to it
}

// Inspect describes a client ("client-3"), a server of an ensemble ("server-3"), a node of another system ("node-1"),
// an entry there ("node-1 /lock") or a znode (its path). file is the recipe's source file.
func Inspect(s *view.State, at time.Duration, selected, file string, say Say) Inspected {
	if a, ok := ParseClient(selected); ok {
		if int(a) > len(s.Clients) {
			return Inspected{Title: say("inspect.client", a.Letter()), Who: say.who(a),
				Facts: []Fact{{Name: say("fact.state"), Value: say("inspect.gone")}}}
		}
		return inspectClient(s, at, a, file, say)
	}
	if n, ok := ParseServer(selected); ok && n <= len(s.Ensemble.Servers) {
		return inspectServer(s, n, at, say)
	}
	if n, path, ok := ParseNode(selected); ok && n <= len(s.Remotes.Nodes) {
		if path != "" {
			return inspectEntry(s, n, path, at, say)
		}
		return inspectRemote(s, n, say)
	}
	if !strings.HasPrefix(selected, "/") {
		return Inspected{}
	}
	if n := s.Tree.Node(selected); n != nil {
		return inspectNode(s, n, say)
	}
	return Inspected{Title: Short(selected), Facts: []Fact{
		{Name: say("fact.path"), Value: clean(selected)}, {Name: say("fact.state"), Value: say("inspect.gone")}}}
}

// observed reports whether clients are known only by what their sessions own.
func observed(s *view.State) bool {
	t := s.Header.Host.Traits()
	return !t.Recipe && !t.Visitors
}

func inspectClient(s *view.State, at time.Duration, a event.Actor, file string, say Say) Inspected {
	c := &s.Clients[a-1]
	if observed(s) {
		return inspectOwner(s, at, a, say)
	}
	in := Inspected{Title: say("inspect.client", a.Letter()), Who: say.who(a), Over: c.Exited || c.Crashed}
	add := func(key, value string) { in.Facts = append(in.Facts, Fact{Name: say(key), Value: value}) }
	aside := func(key, value string, so bool) {
		in.Facts = append(in.Facts, Fact{Name: say(key), Value: value, Aside: so})
	}
	inZoo := s.Header.Host.Traits().Visitors
	switch {
	case inZoo && c.Role == program.Contender:
		add("zoo.from", say("zoo.contender"))
	case inZoo && c.Role == "": // its program was gone when the log began
	case inZoo:
		add("zoo.from", clean(c.Role))
	case c.Role != "":
		add("fact.role", clean(c.Role))
	}
	judged := inZoo || reports(s)
	switch {
	case inZoo && c.Role != program.Contender:
		add("fact.believes", say("zoo.believes"))
	case judged:
		in.Facts = append(in.Facts, Fact{Name: say("fact.believes"), Value: believes(c, say),
			Wrong: c.Belief.Phase.Inside() && !c.Inside})
	}
	if judged {
		add("fact.truth", truth(s, c, at, say))
	}
	if c.Server != 0 {
		add("fact.server", say.who(c.Server).Label)
	}
	in.Facts = append(in.Facts, atServer(s, a, say)...)
	if s.Header.HasZooKeeper() {
		add("fact.session", session(s, c, at, say))
	}
	if judged {
		number := fence(c.Belief, say)
		aside("fact.fence", number, number == say("fact.none"))
	}
	if !inZoo && file != "" {
		aside("fact.blocked", blocked(c, file, say), true)
	}
	if len(s.Remotes.Nodes) > 0 {
		in.Facts = append(in.Facts, farFacts(c, at, say)...)
	} else if c.Op != event.NoOp {
		add("fact.waits", asked(c.Op, c.OpPath, say))
	} else if c.Blocked {
		add("fact.waits", say("blocked.watch"))
	}
	if inZoo || !judged {
		aside("fact.woken", sentence.Grouped(c.Woken), c.Woken == 0)
	} else {
		aside("fact.woken", say("woken.value", sentence.Grouped(c.Woken), sentence.Grouped(c.Wasted)), c.Woken == 0)
	}
	if c.Note != "" {
		add("fact.said", clean(c.Note))
	}
	return in
}

// fence returns the fencing token of a client that queues for a lock or is inside. In other reports the number means
// something else. A log has 0 for none, but 0 is also the number of the first in a queue, as its znode shows.
func fence(b view.Belief, say Say) string {
	switch {
	case b.Phase != program.Waiting && !b.Phase.Inside():
	case b.Fence != 0, event.Number(b.Path) == 0:
		return strconv.FormatInt(b.Fence, 10)
	}
	return say("fact.none")
}

// believes says what the client believes about itself.
func believes(c *view.Client, say Say) string {
	if c.Belief.Phase == program.Waiting && !c.Blocked && c.WokenAt > c.Belief.Since {
		return say("believes.woken")
	}
	if p := c.Belief.Phase; p != "" && !p.Known() { // from a foreign log
		return clean(string(p))
	}
	return say("believes." + string(c.Belief.Phase))
}

// truth says what is true, by what the server knows and by the faults done to the process.
func truth(s *view.State, c *view.Client, at time.Duration, say Say) string {
	switch {
	case !c.Started:
		return say("truth.not-started")
	case c.Crashed && c.Ended == view.Alive && s.Header.HasZooKeeper():
		return say("truth.crashed.alive")
	case c.Crashed:
		return say("truth.crashed")
	case c.Ended == view.Expired:
		return say("truth.expired")
	case c.Exited:
		return say("truth.exited")
	case c.Ended == view.Closed:
		return say("truth.closed")
	case c.Inside:
		return say("truth.inside")
	case c.Belief.Phase.Inside() && len(s.Remotes.Nodes) > 0:
		return say("truth.not-its-own", Short(c.Belief.Path))
	case c.Stalled:
		return say("truth.stalled", seconds(max(0, c.PausedAt+c.PausedFor-at), 1))
	case c.KeptAt != 0:
		return say("node.kept", c.KeptAt.String(), Short(c.KeptFor))
	case c.Paused:
		return say("truth.paused", seconds(max(0, c.PausedAt+c.PausedFor-at), 1))
	case c.Belief.Phase == program.Waiting && s.Header.Drawing.Kind == event.DrawBarrier:
		return say("truth.waiting.any") // it waits for all clients: none is ahead
	case c.Belief.Phase == program.Waiting:
		return place(s, c.Belief.Path, say)
	}
	for i := range s.Tree.Nodes {
		if n := &s.Tree.Nodes[i]; s.Header.Host.Traits().Visitors && !n.Gone && n.Owner != 0 && n.Owner == c.Session &&
			n.Number >= 0 {
			if k := s.Kin(n.Path); k.Shared() || k.Part == view.Item {
				return standing(&k, say)
			}
			return place(s, n.Path, say)
		}
	}
	if s.Header.Host.Traits().Visitors {
		return say("truth.idle")
	}
	if own := queued(s, c); own != "" {
		return place(s, own, say)
	}
	return say("truth.outside")
}

// queued returns the znode by which a client stands in the recipe's queue before it knows, or "".
func queued(s *view.State, c *view.Client) string {
	if s.Header.Drawing.Kind != event.DrawQueue || c.Session == 0 || c.Belief.Phase != "" {
		return ""
	}
	for i := range s.Tree.Nodes {
		if n := &s.Tree.Nodes[i]; !n.Gone && n.Owner == c.Session && n.Number >= 0 {
			return n.Path
		}
	}
	return ""
}

// place counts the siblings with smaller numbers than a client's own znode.
func place(s *view.State, own string, say Say) string {
	number := event.Number(own)
	if number < 0 {
		return say("truth.waiting.any")
	}
	folder := own[:strings.LastIndexByte(own, '/')+1]
	ahead := 0
	for i := range s.Tree.Nodes {
		n := &s.Tree.Nodes[i]
		name, below := strings.CutPrefix(n.Path, folder)
		if below && !n.Gone && n.Number >= 0 && n.Number < number && !strings.Contains(name, "/") {
			ahead++
		}
	}
	if ahead == 0 {
		return say("truth.next")
	}
	return say("truth.waiting", sentence.Grouped(ahead))
}

func session(s *view.State, c *view.Client, at time.Duration, say Say) string {
	switch {
	case c.Session == 0:
		return say("session.none")
	case c.Ended != view.Alive:
		return ended(c, say)
	}
	return say("session.alive", hex(c.Session), long(c.Timeout), seconds(max(0, at-s.Ensemble.LeaderHeard(c)), 1))
}

// ended says how a session ended, and when.
func ended(c *view.Client, say Say) string {
	key := "session.expired"
	if c.Ended == view.Closed {
		key = "session.closed"
	}
	return say(key, hex(c.Session), seconds(c.EndedAt, 1))
}

func blocked(c *view.Client, file string, say Say) string {
	if c.Line == 0 || c.Exited || c.Crashed {
		return say("blocked.not")
	}
	return say("blocked.line", file, strconv.Itoa(c.Line))
}

func inspectNode(s *view.State, n *view.Node, say Say) Inspected {
	in := Inspected{Title: Short(n.Path)}
	add := func(key, value string) { in.Facts = append(in.Facts, Fact{Name: say(key), Value: value}) }
	add("fact.path", clean(n.Path))
	if n.Gone {
		key := "gone.op"
		if n.Why == event.BySessionClosed || n.Why == event.BySessionExpired {
			key = "gone.session"
		}
		add("fact.state", say(key, seconds(n.GoneAt, 3)))
	}
	made := since(n)
	if n.Untold {
		untold := say("fact.untold")
		if n.Made == 0 {
			made = untold
		}
		add("fact.kind", untold)
		add("fact.owner", untold)
	} else {
		add("fact.kind", say("kind."+event.ModeName(uint8(n.Mode))))
		add("fact.owner", owner(s, n, say))
	}
	if observed(s) {
		in.Facts = append(in.Facts, among(s, n, say)...)
	}
	aside := func(key, value string, so bool) {
		in.Facts = append(in.Facts, Fact{Name: say(key), Value: value, Aside: so})
	}
	add("fact.created", made)
	if n.Czxid != 0 {
		aside("fact.czxid", say("scene.zxid", hex(n.Czxid)), true)
	}
	if n.Mzxid != n.Czxid {
		add("fact.changed", say("seconds", seconds(n.Changed, 3)))
		aside("fact.mzxid", say("scene.zxid", hex(n.Mzxid)), true)
	}
	if !n.Untold && !s.Header.Host.Traits().Gaps { // an observer may have missed changes
		aside("fact.version", strconv.Itoa(int(n.Version)), n.Version == 0)
	}
	switch {
	case n.Bytes == 0:
		add("fact.data", say("data.none"))
	case n.Data == "":
		add("fact.data", say("data.secret", sentence.Grouped(int(n.Bytes))))
	default:
		data := n.Data
		if s.Header.Host.Traits().Recipe { // our own clients may have written their names there
			data = lettered(data)
		}
		add("fact.data", say("data.bytes", clean(data), sentence.Grouped(int(n.Bytes))))
	}
	if w := watchers(s, n.Path); w != "" {
		add("fact.watchers", w)
	}
	if s.Watches.Asked > 0 {
		add("fact.asked", say("asked", seconds(s.Watches.Asked, 1)))
	}
	return in
}

func owner(s *view.State, n *view.Node, say Say) string {
	if n.Owner == 0 {
		return say("owner.none")
	}
	for i := range s.Clients {
		if s.Clients[i].Session == n.Owner {
			return say("owner.client", event.Actor(i+1).Letter(), hex(n.Owner))
		}
	}
	return say("owner.session", hex(n.Owner))
}

// maxListed is the maximum number of clients that a list names; it counts the others.
const maxListed = 12

// watchers lists the clients that watch a path, each once.
func watchers(s *view.State, path string) string {
	var names []string
	more, seen := 0, map[event.Actor]bool{}
	for i := range s.Watches.List {
		w := &s.Watches.List[i]
		if w.Path != path || w.Over || seen[w.Client] {
			continue
		}
		seen[w.Client] = true
		if len(names) == maxListed {
			more++
			continue
		}
		names = append(names, w.Client.Letter())
	}
	list := strings.Join(names, ", ")
	if more > 0 {
		list += " +" + sentence.Grouped(more)
	}
	return list
}
