package scene

import (
	"slices"
	"sort"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/stage/scene/client"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/queue"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
	"github.com/zkviz/zkviz/engine/stage/scene/znode"
	"github.com/zkviz/zkviz/static/strings/words"
)

// Entry describes something in the picture in words. ID selects it; it is "" if nothing does.
type Entry struct{ ID, Text string }

// The maximum numbers of clients and znodes described, and of facts about each.
const (
	mostClients = 30
	mostNodes   = 40
	mostTold    = 16
)

// toldOrder is the order in which the marks of a subject are described. Marks of the whole picture have entries of
// their own.
var toldOrder = [...]mark.Kind{mark.State, mark.Inside, mark.Believes, mark.Holds, mark.Ring, mark.Patience,
	mark.Wakeups, mark.Has, mark.Unread, mark.Session, mark.Cut, mark.Linked, mark.Back, mark.Silent, mark.Unwatched,
	mark.Pending, mark.Watch, mark.Told, mark.Message, mark.Reply, mark.Lost,
	mark.Refused, mark.Said, mark.Called, mark.Head, mark.Tx, mark.Kept, mark.Tries, mark.Nodes, mark.Lease, mark.Doubt,
	mark.Ends,
	mark.Missing,
	mark.Mode, mark.Owner,
	mark.Data, mark.Version, mark.Count, mark.Counter,
	mark.Made, mark.Czxid, mark.Left, mark.Gone}

// teller puts marks into words.
type teller struct {
	words   words.Words
	entries []told
	at      map[string]int // index in entries, by a mark's subject
	repeats bool           // keep repeated facts
}

// told is an entry being built.
type told struct {
	id, name string
	parts    []string
}

// Tell describes what the picture shows, and nothing else: first the whole, then an entry for each client, znode and
// store.
func (p *Plan) Tell() (all []Entry) {
	marks, w := p.Marks(), p.l.floor.Words
	for _, m := range marks {
		if s := mark.Wholly(m, w); s != "" {
			all = append(all, Entry{Text: s})
		}
	}
	clients, nodes, stores := newTeller(w), newTeller(w), newTeller(w)
	stores.repeats = true
	servers := newTeller(w)
	clients.tellClients(&p.l.clients)
	for _, m := range marks {
		switch m.Kind {
		case mark.Entry:
			name := m.Said
			if node, _, _ := strings.Cut(m.Subject, " "); p.l.remote.Several() {
				name = w.Say("told.at", name, node)
			}
			nodes.add(m.Subject, m.Subject, name)
		case mark.Remote:
			servers.add(m.Subject, m.Subject, m.Subject)
			servers.tell(m.Subject, m.Said)
		case mark.Ahead, mark.Lacks, mark.Open:
			servers.tell(m.Subject, m.Said)
		case mark.Node, mark.Missing:
			nodes.add(m.Subject, m.Subject, mark.NodeName(m.Subject))
		case mark.Server:
			servers.add(m.Subject, m.Subject, m.Subject)
			servers.tell(m.Subject, m.Said)
		case mark.Between, mark.Silence, mark.Busy:
			servers.tell(m.Subject, m.Said)
		case mark.Store:
			stores.add(m.Subject, "", m.Subject)
			stores.tell(m.Subject, m.Value)
		}
	}
	var more []Entry
	for _, list := range [2][]znode.NodePlan{p.l.znodes.Rows, p.l.znodes.Cards} {
		for i := range list {
			if n := &list[i]; n.Look == znode.AsMore {
				more = append(more, Entry{n.Path, w.Say("told.more", n.Name.Text, mark.NodeName(n.Path))})
			}
		}
	}
	for _, list := range [2][]queue.TickPlan{p.l.crowd.TicksAfter, p.l.crowd.TicksBefore} {
		for i := range list {
			nodes.add(list[i].Path, list[i].Path, mark.NodeName(list[i].Path))
		}
	}
	for _, kind := range toldOrder {
		for _, m := range marks {
			if m.Kind == kind {
				clients.tell(m.About(), m.Words(w))
				nodes.tell(m.About(), m.Words(w))
			}
		}
	}
	for _, m := range marks {
		if m.Kind == mark.Write || m.Kind == mark.Halves {
			stores.tell(p.l.store.Title(), m.Words(w))
		}
	}
	all = append(all, servers.first(len(servers.entries), "")...)
	all = append(all, clients.first(mostClients, "told.more-clients")...)
	all = append(all, nodes.first(mostNodes, "told.more-nodes")...)
	all = append(all, more...)
	all = append(all, conversation(marks, w)...)
	return append(all, stores.first(1, "")...)
}

// conversation describes what clients say to a database, in one entry.
func conversation(marks []mark.Mark, w words.Words) []Entry {
	lines := newTeller(w)
	lines.repeats = true
	for _, m := range marks {
		if m.Kind == mark.SQL {
			lines.add("", "", w.Say("told.transcript"))
			lines.tell("", m.Said)
		}
	}
	return lines.first(1, "")
}

// tellClients adds the clients: first those with a letter, then the dots. If there are many, the selected client comes
// first and then those after it, so that a reader reaches all by selecting.
func (t *teller) tellClients(shown *client.Clients) {
	type one struct {
		index int
		name  string
		word  string // for a dot
	}
	var all []one
	selected := 0
	for i := range shown.Letters {
		c := &shown.Letters[i]
		if all = append(all, one{index: c.Index, name: c.Name}); c.Selected {
			selected = c.Index
		}
	}
	for i := range shown.Dots {
		d := &shown.Dots[i]
		if all = append(all, one{d.Index, d.Name, t.words.Say(dotWords[d.Look])}); d.Selected {
			selected = d.Index
		}
	}
	if len(all) > mostClients {
		from := func(i int) int { return (all[i].index - selected + event.MaxActor) % event.MaxActor }
		sort.SliceStable(all, func(i, j int) bool { return from(i) < from(j) })
	}
	for _, c := range all {
		t.add(text.Letter(c.index), c.name, text.Letter(c.index))
		t.tell(text.Letter(c.index), c.word)
	}
}

// dotWords holds the keys of the words for a dot's look.
var dotWords = [...]string{
	client.DotWaits: "scene.waits", client.DotInside: "told.inside", client.DotWrong: "told.believes",
	client.DotWoken: "scene.woken",
	client.DotDead:  "told.dead", client.DotStopped: "told.stopped", client.DotAbsent: "told.absent",
	client.DotThere: "told.there",
}

func newTeller(w words.Words) *teller { return &teller{words: w, at: map[string]int{}} }

// add creates an entry for a subject of marks, unless there is one.
func (t *teller) add(subject, id, name string) {
	if _, there := t.at[subject]; !there {
		t.at[subject] = len(t.entries)
		t.entries = append(t.entries, told{id: id, name: name})
	}
}

// tell adds a text to the entry of a subject, if there is one.
//
//go:noinline
func (t *teller) tell(subject, text string) {
	i, there := t.at[subject]
	if !there || text == "" {
		return
	}
	if e := &t.entries[i]; len(e.parts) < mostTold && (t.repeats || !slices.Contains(e.parts, text)) {
		e.parts = append(e.parts, text)
	}
}

// first returns the first n entries, and one that counts and leads to the others.
func (t *teller) first(n int, more string) (all []Entry) {
	for i := range t.entries {
		e := &t.entries[i]
		if i == n {
			return append(all, Entry{ID: e.id, Text: t.words.Say(more, sentence.Grouped(len(t.entries)-n))})
		}
		text := t.words.Say("told", e.name, strings.Join(e.parts, t.words.Say("told.join")))
		if len(e.parts) == 0 {
			text = t.words.Say("told.name", e.name)
		}
		all = append(all, Entry{e.id, text})
	}
	return all
}
