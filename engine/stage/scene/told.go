package scene

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
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
var toldOrder = [...]MarkKind{StateMark, InsideMark, BelievesMark, HoldsMark, PatienceMark, HasMark, UnreadMark,
	SessionMark, CutMark, BackMark, SilentMark, UnwatchedMark,
	PendingMark, WatchMark, ToldMark, MessageMark, ReplyMark, LostMark,
	RefusedMark, SaidMark, CalledMark, HeadMark, TxMark, KeptMark, TriesMark, NodesMark, LeaseMark, DoubtMark, EndsMark,
	MissingMark,
	ModeMark, OwnerMark,
	DataMark, VersionMark, CountMark, CounterMark,
	MadeMark, CzxidMark, LeftMark, GoneMark}

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
	marks, w := p.Marks(), p.l.floor.words
	for _, m := range marks {
		if s := wholly(m, w); s != "" {
			all = append(all, Entry{Text: s})
		}
	}
	clients, nodes, stores := newTeller(w), newTeller(w), newTeller(w)
	stores.repeats = true
	servers := newTeller(w)
	clients.tellClients(&p.l.clients)
	for _, m := range marks {
		switch m.Kind {
		case EntryMark:
			name := m.Said
			if node, _, _ := strings.Cut(m.Subject, " "); len(p.l.remote.nodes.remotes) > 1 {
				name = w.Say("told.at", name, node)
			}
			nodes.add(m.Subject, m.Subject, name)
		case RemoteMark:
			servers.add(m.Subject, m.Subject, m.Subject)
			servers.tell(m.Subject, m.Said)
		case AheadMark, LacksMark, OpenMark:
			servers.tell(m.Subject, m.Said)
		case NodeMark, MissingMark:
			nodes.add(m.Subject, m.Subject, called(m.Subject))
		case ServerMark:
			servers.add(m.Subject, m.Subject, m.Subject)
			servers.tell(m.Subject, m.Said)
		case BetweenMark, SilenceMark:
			servers.tell(m.Subject, m.Said)
		case StoreMark:
			stores.add(m.Subject, "", m.Subject)
			stores.tell(m.Subject, m.Value)
		}
	}
	var more []Entry
	for _, list := range [2][]nodePlan{p.l.znodes.rows, p.l.znodes.cards} {
		for i := range list {
			if n := &list[i]; n.look == asMore {
				more = append(more, Entry{n.path, w.Say("told.more", n.name.text, called(n.path))})
			}
		}
	}
	for _, list := range [2][]tickPlan{p.l.crowd.ticksAfter, p.l.crowd.ticksBefore} {
		for i := range list {
			nodes.add(list[i].path, list[i].path, called(list[i].path))
		}
	}
	for _, kind := range toldOrder {
		for _, m := range marks {
			if m.Kind == kind {
				clients.tell(m.about(), m.words(w))
				nodes.tell(m.about(), m.words(w))
			}
		}
	}
	for _, m := range marks {
		if m.Kind == WriteMark || m.Kind == HalvesMark {
			stores.tell(p.l.store.plan.name.text, m.words(w))
		}
	}
	all = append(all, servers.first(len(servers.entries), "")...)
	all = append(all, clients.first(mostClients, "told.more-clients")...)
	all = append(all, nodes.first(mostNodes, "told.more-nodes")...)
	all = append(all, more...)
	return append(all, stores.first(1, "")...)
}

// tellClients adds the clients: first those with a letter, then the dots. If there are many, the selected client comes
// first and then those after it, so that a reader reaches all by selecting.
func (t *teller) tellClients(shown *clients) {
	type one struct {
		index int
		name  string
		word  string // for a dot
	}
	var all []one
	selected := 0
	for i := range shown.letters {
		c := &shown.letters[i]
		if all = append(all, one{index: c.index, name: c.name}); c.selected {
			selected = c.index
		}
	}
	for i := range shown.dots {
		d := &shown.dots[i]
		if all = append(all, one{d.index, d.name, t.words.Say(dotWords[d.look])}); d.selected {
			selected = d.index
		}
	}
	if len(all) > mostClients {
		from := func(i int) int { return (all[i].index - selected + event.MaxActor) % event.MaxActor }
		sort.SliceStable(all, func(i, j int) bool { return from(i) < from(j) })
	}
	for _, c := range all {
		t.add(letter(c.index), c.name, letter(c.index))
		t.tell(letter(c.index), c.word)
	}
}

// dotWords holds the keys of the words for a dot's look.
var dotWords = [...]string{
	dotWaits: "scene.waits", dotInside: "told.inside", dotWrong: "told.believes", dotWoken: "scene.woken",
	dotDead: "told.dead", dotStopped: "told.stopped", dotAbsent: "told.absent", dotThere: "told.there",
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

// about returns the client or the znode that a mark is about.
func (m *Mark) about() string {
	if m.Kind == MessageMark || m.Kind == ReplyMark {
		who, _, _ := strings.Cut(m.Value, " ")
		return who
	}
	return m.Subject
}

// wholly describes a mark of the whole picture, or returns "".
func wholly(m Mark, w words.Words) string {
	switch m.Kind {
	case UnreachableMark:
		return w.Say("told.unreachable")
	case ZxidMark, WhoseMark, CostMark:
		return w.Say("told.name", m.Said)
	case SummaryMark, TotalsMark:
		return w.Say("told.name", m.Subject)
	}
	return ""
}

// words returns the words for a mark: those in the picture, or else the sentence for its kind.
func (m *Mark) words(w words.Words) string {
	switch m.Kind {
	case StateMark:
		return m.Said
	case BackMark, RefusedMark, HasMark, UnreadMark, PatienceMark, SessionMark, HeadMark, KeptMark, TriesMark, EndsMark,
		NodesMark, TxMark, LeaseMark, GoneMark:
		if m.Said != "" {
			return m.Said
		}
	case DoubtMark:
		return w.Say("scene.uncommitted")
	case ModeMark, MissingMark:
		if m.Said != "" {
			return m.Said
		}
		return w.Say("scene." + cmp.Or(m.Value, "not-there"))
	case MadeMark, CzxidMark:
		return w.Say("scene."+string(m.Kind), m.Value)
	case CounterMark:
		return w.Say("scene.next", m.Value)
	case UnwatchedMark:
		return w.Say("told.unwatched", called(m.Value))
	case WatchMark, ToldMark:
		return w.Say("told."+string(m.Kind), cmp.Or(m.Said, called(m.Value)))
	case DataMark:
		return w.Say("told.data", string(clean(nil, m.Value)))
	case MessageMark, ReplyMark:
		return m.request(w)
	case SaidMark:
		return w.Say("told.said", m.Said)
	case WriteMark:
		return m.written(w)
	case HalvesMark:
		return m.halves(w)
	}
	return w.Say("told."+string(m.Kind), m.Value)
}

// request describes a request or a reply.
func (m *Mark) request(w words.Words) string {
	what := w.Say("scene.op." + m.Subject)
	_, rest, _ := strings.Cut(m.Value, " ")
	switch {
	case m.Kind == ReplyMark && m.Said != "":
		return w.Say("told.reply", what, m.Said)
	case m.Kind == ReplyMark:
		return w.Say("told.reply.wordless", what)
	case m.Said != "": // the whole command
		return w.Say("told.message", m.Said)
	case rest == "watch":
		return w.Say("told.message.watch", what)
	case rest != "": // with its condition
		return w.Say("told.message", rest)
	}
	return w.Say("told.message", what)
}

// written describes what a store got from a client.
func (m *Mark) written(w words.Words) string {
	switch key := "told." + strings.ReplaceAll(m.Value, " ", "."); {
	case strings.HasPrefix(m.Value, "page") && w.Has(key):
		return w.Say(key, m.Subject)
	case m.Subject == "-":
		return m.Value
	}
	return w.Say("told.write", m.Subject, m.Value)
}

// halves describes the halves of a document, or of a client's copy.
func (m *Mark) halves(w words.Words) string {
	key, versions := "told.copy", strings.Fields(m.Value)
	if m.Subject == "-" {
		key = "told.document"
	}
	switch {
	case len(versions) > 2:
		key += ".torn"
	case versions[0] != versions[1]:
		key += ".halves"
	}
	return w.Say(key, m.Subject, versions[0], versions[1])
}

// called returns the name of a znode without the session that a recipe puts into it, and with at most two zeros before
// its number.
func called(path string) string {
	name := base(path)
	n := event.Number(name)
	if n < 0 {
		return string(clean(nil, cmp.Or(name, path)))
	}
	stem := clean(nil, event.Stem(name))
	if len(stem) > 0 {
		stem = append(stem, '-')
	}
	digits := strconv.FormatInt(n, 10)
	return string(stem) + strings.Repeat("0", max(0, 3-len(digits))) + digits
}
