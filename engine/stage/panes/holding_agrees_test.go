package panes

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/replay"
)

// TestAgrees gives logs of clients that queue to the panel, through the fold, and to the list of locks. After each
// transaction, and whenever servers have said who watches what, both name the same holders and those that wait, have
// the same doubts, and know alike whom each release would wake.
func TestAgrees(t *testing.T) {
	seeds := 500
	if testing.Short() {
		seeds = 50
	}
	for seed := range uint64(seeds) {
		for i, names := range queues {
			q := newQueueing(rand.New(rand.NewPCG(seed, uint64(i))), names)
			for range 25 {
				q.step()
				panel, list := q.panel(), q.list()
				if q.over {
					break
				}
				if panel != list {
					t.Fatalf("seed %d of %v: the panel has\n%s\nand the list\n%s\nafter\n%s", seed, names, panel, list,
						strings.Join(q.said, "\n"))
				}
			}
		}
	}
}

const (
	hex32 = "0123456789abcdef0123456789abcde"
	uuid  = "9f3a6c1e-0b7d-4f55-9a1b-0123456789a"
)

// queues holds the names of those in line, with the session in place of %d.
var queues = [][]string{
	{"lock-"},
	{"read-", "write-"},
	{"job-"},
	{"_c_" + uuid + "%d-lock-"},
	{"_c_" + uuid + "%d-__READ__", "_c_" + uuid + "%d-__WRIT__"},
	{hex32 + "%d__lock__"},
	{hex32 + "%d__rlock__", hex32 + "%d__lock__"},
	{hex32 + "%d__lock__", "_c_" + hex32 + "%d-lock-"},
	{"locks/_c_" + uuid + "%d-lock-", "leases/_c_" + uuid + "%d-lease-"},
	{"n_"},
	{hex32 + "%d"},
}

// queueing is a folder whose children clients make and delete.
type queueing struct {
	rng     *rand.Rand
	host    event.Host
	names   []string
	history *view.History
	log     *locks.Log
	group   *group
	at      time.Duration
	zxid    int64
	line    []string              // paths, in the order of creation
	owners  map[string]int        // sessions, also of those gone
	overdue map[int]bool          // sessions
	came    map[int]time.Duration // when each last created something
	watched map[string][]int64
	known   locks.Known
	// over means that one of both remembers from here on what the other can't know: the list who watched nobody ahead, or
	// came while its own session wrote; the fold that watches showed one to be in before its session was silent.
	over bool
	said []string
}

const (
	began   = 1_700_000_000_000
	timeout = 4 * time.Second
	clients = 5
)

func newQueueing(rng *rand.Rand, names []string) *queueing {
	host := event.Host(event.Joined)
	if rng.IntN(2) == 0 {
		host = event.Observed
	}
	q := &queueing{rng: rng, host: host, names: names, history: view.NewHistoryFor(event.Header{Host: host, Root: "/"}),
		log: locks.NewLog(locks.New("/")), group: newGroup("/l"), owners: map[string]int{}, overdue: map[int]bool{},
		came: map[int]time.Duration{}}
	q.add(event.Event{Kind: event.RunStarted, N: began, Path: "/"})
	for _, at := range []string{"/l", "/l/locks", "/l/leases"} {
		if at == "/l" || strings.Contains(names[0], "/") {
			q.add(event.Event{Kind: event.ZnodeFound, Path: at, Zxid: 1, N: began - 1000})
		}
	}
	for i := range clients {
		q.add(event.Event{Kind: event.ClientStarted, Actor: event.Actor(i + 1)})
		q.add(event.Event{Kind: event.SessionCreated, Peer: event.Actor(i + 1), Session: int64(i + 1), N: int64(timeout)})
	}
	return q
}

func (q *queueing) add(e event.Event) {
	e.At = q.at
	q.history.Append(e)
	e.Seq = event.Seq(q.history.Len())
	q.log.Append(e)
	q.said = append(q.said, fmt.Sprintf("%v %s %s client-%d %s", e.At, e.Kind, e.Path, e.Peer, e.Reason))
}

// step does one thing.
func (q *queueing) step() {
	q.at += time.Duration(200+q.rng.IntN(1400)) * time.Millisecond
	q.zxid++
	session := 1 + q.rng.IntN(clients)
	switch n := q.rng.IntN(10); {
	case n < 4:
		if !q.overdue[session] {
			q.create(session)
		}
	case n < 6 && len(q.line) > 0:
		if at := q.line[q.rng.IntN(len(q.line))]; !q.overdue[q.owners[at]] {
			q.gone(at, event.ByOp)
		}
	case n == 6:
		q.add(event.Event{Kind: event.SessionExpired, Peer: event.Actor(session), Session: int64(session), Zxid: q.zxid})
		for _, at := range slices.Clone(q.line) {
			if q.owners[at] == session {
				q.gone(at, event.BySessionExpired)
			}
		}
		q.overdue[session] = false
		q.add(event.Event{Kind: event.SessionCreated, Peer: event.Actor(session), Session: int64(session),
			N: int64(timeout)})
	case n == 7 && q.at-q.came[session] > timeout: // it was heard from when it came
		e := event.Event{Kind: event.SessionHeard, Peer: event.Actor(session), Session: int64(session)}
		if q.overdue[session] = !q.overdue[session]; q.overdue[session] {
			q.over = q.over || len(q.names) > 1 && slices.ContainsFunc(q.line, func(at string) bool {
				return q.owners[at] == session
			})
			e.Kind, e.Reason, e.N = event.SessionSilent, event.BySessionExpired, int64(5*time.Second)
		}
		q.add(e)
	default:
		q.ask()
	}
}

func (q *queueing) create(session int) {
	name := q.names[q.rng.IntN(len(q.names))]
	if strings.Contains(name, "%d") {
		name = fmt.Sprintf(name, session)
	}
	if !strings.HasSuffix(name, hex32+fmt.Sprint(session)) {
		name += fmt.Sprintf("%010d", q.zxid)
	}
	at := "/l/" + name
	if _, there := q.owners[at]; there {
		return
	}
	q.line, q.owners[at], q.came[session] = append(q.line, at), session, q.at
	q.add(event.Event{Kind: event.ZnodeCreated, Path: at, Peer: event.Actor(session), Session: int64(session),
		Mode: uint8(replay.GuessMode(at, true, 0)), Zxid: q.zxid})
}

func (q *queueing) gone(at string, reason event.Reason) {
	q.line = slices.DeleteFunc(q.line, func(other string) bool { return other == at })
	q.over = q.over || strings.Contains(at, "__WRIT__") && slices.ContainsFunc(q.line, func(other string) bool {
		return q.owners[other] == q.owners[at] && strings.Contains(other, "__READ__")
	})
	q.add(event.Event{Kind: event.ZnodeDeleted, Path: at, Peer: event.Actor(q.owners[at]), Reason: reason, Zxid: q.zxid})
}

// ask asks the servers, of which one may not answer. Most clients watch one of those before them or, some readers, one
// behind; the first watch nothing.
func (q *queueing) ask() {
	whole := q.rng.IntN(4) > 0
	now := map[string][]int64{}
	for i, at := range q.line {
		if q.overdue[q.owners[at]] {
			q.keeps(now, q.owners[at])
			continue
		}
		others := q.line[:i]
		if q.rng.IntN(4) == 0 {
			others = q.line
		}
		for range q.rng.IntN(3) {
			if len(others) > 0 {
				if on := others[q.rng.IntN(len(others))]; on != at && (whole || q.rng.IntN(2) == 0) {
					now[on] = append(now[on], int64(q.owners[at]))
				}
			}
		}
	}
	for at, list := range now {
		slices.Sort(list)
		now[at] = slices.Compact(list)
	}
	all := slices.Clone(q.line)
	for at := range q.watched {
		if !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	slices.Sort(all)
	for _, at := range all {
		for _, session := range q.watched[at] {
			if whole && !slices.Contains(now[at], session) {
				q.add(event.Event{Kind: event.WatchRemoved, Path: at, Peer: event.Actor(session), Reason: event.ServerSays})
			} else if !whole && !slices.Contains(now[at], session) {
				now[at] = append(now[at], session) // what isn't said again stays
			}
		}
		slices.Sort(now[at])
		for _, session := range now[at] {
			if !slices.Contains(q.watched[at], session) {
				q.add(event.Event{Kind: event.WatchSet, Path: at, Peer: event.Actor(session), Watch: event.DataWatch,
					Reason: event.ServerSays})
			}
		}
	}
	e := event.Event{Kind: event.WatchesAsked}
	if !whole {
		e.Code = 1
	}
	q.add(e)
	q.watched = now
	q.known = locks.Known{Watches: locks.Watches{AskedMS: began + q.at.Milliseconds(), Whole: whole,
		Watchers: func(path string) []int64 { return now[path] }}}
}

// keeps adds the watches that a session had.
func (q *queueing) keeps(now map[string][]int64, session int) {
	for at, list := range q.watched {
		if slices.Contains(list, int64(session)) && slices.Contains(q.line, at) {
			now[at] = append(now[at], int64(session))
		}
	}
}

// panel returns what the panel has.
func (q *queueing) panel() string {
	seq := event.Seq(q.history.Len())
	q.group.follow(q.history)
	state := q.history.StateAtSeq(seq)
	r := roster{state: state, seq: seq, at: q.at, g: q.group, family: q.group.family(state, seq)}
	now := handover.Stand(r.line())
	var b strings.Builder
	names := func(list []int) (text string) {
		for _, i := range list[:min(len(list), maxHolders)] {
			text += " " + path.Base(now.All[i].Path)
		}
		return text
	}
	fmt.Fprintf(&b, "%d hold it:%s; %d wait, %d unsure", len(now.Holding), names(now.Holding), len(now.Waiting),
		len(now.Unsure))
	if len(now.Unsure) > 0 {
		fmt.Fprintf(&b, ": %s", now.All[now.Unsure[0]].Doubt)
	}
	fmt.Fprintf(&b, "\nknown %t\n", now.Lacks == "" || len(q.line) == 0)
	for _, r := range now.Releases[:min(len(now.Releases), maxHolders)] {
		few := r.Whom[:min(len(r.Whom), maxHolders)]
		fmt.Fprintf(&b, "%s wakes %d: %v\n", path.Base(now.All[r.Of[0]].Path), len(r.Whom), few)
	}
	return b.String()
}

// list returns what the list has.
func (q *queueing) list() string {
	q.log.Done()
	row := locks.Row{}
	for _, r := range q.log.Summary(began+q.at.Milliseconds(), "/l", q.known).Rows {
		if r.Path == "/l" {
			row = r
		}
		for _, a := range r.Alerts {
			q.over = q.over || a.Key == "trouble.blind"
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d hold it:", row.Inside)
	for _, h := range row.Holding {
		fmt.Fprintf(&b, " %s", path.Base(h.Path))
	}
	fmt.Fprintf(&b, "; %d wait, %d unsure", row.Waiting, row.Unsure)
	if row.Unsure > 0 {
		fmt.Fprintf(&b, ": %s", row.Doubt)
	}
	fmt.Fprintf(&b, "\nknown %t\n", row.Wakes != nil || len(q.line) == 0)
	for _, w := range row.Wakes {
		var whom []int64
		for _, c := range w.Whom {
			whom = append(whom, c.Session)
		}
		fmt.Fprintf(&b, "%s wakes %d: %v\n", path.Base(w.Of.Path), w.Least, whom)
	}
	return b.String()
}
