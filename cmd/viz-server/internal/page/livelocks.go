package page

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// LiveLocksProps lists the locks, elections, queues and so on below a path, those with most trouble first.
type LiveLocksProps struct {
	LiveProps
	Kind  string   // the kind to show, empty for all
	Kinds []string // the kinds to choose from
	Text  string   // filter: the path must contain it
	Herds bool     // ask the servers for watches
	Rows  []LockRow
	Page  int // number of the shown page, from 1
	Pages int

	Reading bool // the first read isn't complete; Read counts the znodes so far
	Read    int
	ToRead  int  // minimum number of znodes left to read
	Cut     bool // the server that is read has no quorum

	All      int // all locks
	Found    int // those that the filter leaves
	Trouble  int // those of Found that are in trouble
	Left     int // znodes and locks that aren't followed because there are too many
	Partial  bool
	Unread   int    // znodes that zkviz may not read
	Secret   string // the path of the first of them
	Search   int    // znodes to search for unreadable ones, 0 when done; Searched counts those searched so far
	Searched int
	Untold   []sentence.Sentence // what the servers didn't answer, and why
	None     sentence.Sentence   // why the list is empty
	Gone     sentence.Sentence   // why the ZooKeeper is out of reach now
	Before   sentence.Sentence   // the age of the table in that case
	Since    sentence.Sentence   // how long the locks have been followed
	Ensemble *EnsembleProps      // how the servers are; nil if nobody can tell
}

// LockRow is one row of the list.
type LockRow struct {
	Path    string
	Old     bool              // the row hasn't been updated lately
	Kind    sentence.Sentence // the kind that it seems to be
	Holders []LockHolder
	Others  sentence.Sentence // further holders, or that nobody holds it
	Wakes   []LockWake
	Wakers  sentence.Sentence   // how many more holders have waiters that their release would wake
	Line    []sentence.Sentence // the waiters, and remarks about them
	Queue   *LockQueue          // nil if nobody can queue
	Turn    *LockTurn
	Pace    sentence.Sentence // how often the holder changes
	Hour    bool              // there is a page of its last hour
	Alerts  []sentence.Sentence
	Tap     []sentence.Sentence // what a tap tells
}

// LockClient is a session, empty for a znode of none, with its client's address if known.
type LockClient struct {
	Session, Address string
	Unconnected      bool // none of the asked servers has a connection of it
}

func (f Frame) session(c LockClient) string { return cmp.Or(c.Session, f.Say("hands.ownerless")) }

// LockHolder is a holder of the lock.
type LockHolder struct {
	LockClient
	Data string
	At   string            // start of the ownership, in the format of <time>
	Held sentence.Sentence // how long it has lasted
	Far  sentence.Sentence // that this is far longer than usual
	Tap  sentence.Sentence // what a tap tells
}

// LockQueue is what is known about a queue, shown on request.
type LockQueue struct {
	Open    bool // at first
	Waiters []LockWaiter
	More    sentence.Sentence   // how many more wait
	Figures []sentence.Sentence // for how long it hasn't been empty, who came and went, how long they waited
	Quits   []LockQuit          // the last clients that left it without getting in, latest first
}

// LockWaiter is a client in the queue.
type LockWaiter struct {
	LockClient
	Data   string
	At     string            // since when it waits, in the format of <time>; empty if unknown
	Waits  sentence.Sentence // for how long
	Behind sentence.Sentence // the one for which it waits, if that is known
	Tap    sentence.Sentence // what a tap tells
}

// LockQuit is a client that left the queue.
type LockQuit struct {
	At        string // in the format of <time>
	Said, Ago sentence.Sentence
}

// LockWake lists the clients that a holder's release would wake.
type LockWake struct {
	Says sentence.Sentence // the holder, and the number of clients
	Whom []LockClient      // the first of them
	More sentence.Sentence // how many more there are
}

// LockTurn is the latest handover.
type LockTurn struct {
	MS        int64  // since 1970, in ms
	Znode     string // of the new holder, otherwise of the previous one
	At        string
	Said, Ago sentence.Sentence
}

// moment returns the address of the row's latest handover.
func (p LiveLocksProps) moment(r LockRow) string { return r.Turn.address(r.Path, p.Cluster) }

// address returns the address of the handover, at a path in a cluster.
func (t *LockTurn) address(path, cluster string) string {
	return "/live/moment?path=" + query(path) + "&cluster=" + query(cluster) +
		"&moment=" + strconv.FormatInt(t.MS, 10) + "&znode=" + query(t.Znode)
}

// stage returns the address of the stage for the path.
func (p LiveProps) stage() string {
	address := "/stage?path=" + query(p.Path) + "&cluster=" + query(p.Cluster)
	if p.Moment != 0 {
		address += "&moment=" + strconv.FormatInt(p.Moment, 10) + "&select=" + query(p.Znode)
	}
	return address
}

// address returns the address of another page of the rows.
func (p LiveLocksProps) address(page int) string {
	herds := ""
	if p.Herds {
		herds = "&herds=on"
	}
	return "/live/locks?path=" + query(p.Path) + "&cluster=" + query(p.Cluster) + "&kind=" + query(p.Kind) +
		"&text=" + query(p.Text) + "&page=" + itoa(page) + herds
}

// queue returns the address of the list of one lock, with more of those that wait.
func (p LiveLocksProps) queue(r LockRow) string {
	return "/live/locks?path=" + query(r.Path) + "&cluster=" + query(p.Cluster)
}

// recordings returns the address of the recordings that have a row's lock.
func (p LiveLocksProps) recordings(r LockRow) string {
	return "/live/records?path=" + query(r.Path) + "&cluster=" + query(p.Cluster)
}

// lockColumns are the table's columns, by their names below live.locks.column.
var lockColumns = [...]string{"what", "holder", "waiting", "turn"}

// gone explains why nothing can be seen now.
func (p LiveLocksProps) gone() string {
	text := p.lockSays(p.Gone)
	if p.All == 0 {
		return text
	}
	text = p.Say("live.locks.away", text, p.lockSays(p.Before))
	if lacks := p.lacks(); lacks != "" {
		text += " " + p.Say("live.locks.lacks", lacks)
	}
	return text
}

// lacks says what the numbers leave out; empty if they are complete.
func (p LiveLocksProps) lacks() string {
	var all []string
	if p.Reading {
		all = append(all, p.Say("live.locks.reading", itoa(p.Read), itoa(p.ToRead)))
	}
	if p.Left > 0 {
		all = append(all, p.Say("live.locks.left", itoa(p.Left)))
	}
	if p.Partial {
		all = append(all, p.Say("live.locks.partial"))
	}
	if p.Unread > 0 {
		all = append(all, p.Say("live.locks.unread", itoa(p.Unread), shownPath(p.Secret)))
	}
	if p.Search > 0 {
		all = append(all, p.Say("live.locks.hidden", itoa(p.Searched), itoa(p.Search)))
	}
	return strings.Join(all, "; ")
}

// found says how many locks there are and what the numbers leave out.
func (p LiveLocksProps) found() string {
	switch lacks := p.lacks(); {
	case p.All == 0 && lacks == "":
		return ""
	case p.All == 0:
		return p.Say("live.locks.lacks", lacks)
	case lacks != "":
		return p.Say("live.locks.found.lacks", itoa(p.Found), itoa(p.All), itoa(p.Trouble), lacks)
	}
	return p.Say("live.locks.found", itoa(p.Found), itoa(p.All), itoa(p.Trouble))
}

// state describes the contents of the table.
func (p LiveLocksProps) state() string {
	key := "live.locks.read"
	if p.Joined {
		key = "live.locks.joined"
	}
	text := p.found()
	if p.Since.Key != "" {
		text += " " + p.Say(key, p.lockSays(p.Since))
	}
	for _, untold := range p.Untold {
		text += " " + p.Say("live.locks.untold", escape.Line(p.lockSays(untold)))
	}
	return text
}

// lockSays words a sentence with names of znodes, and escapes them because they can be anything.
func (f Frame) lockSays(s sentence.Sentence) string {
	return sentence.Voice{Say: f.Say, Path: func(p string) string { return shownPath(path.Base(p)) }}.Says(s)
}

// shownPath escapes the characters of a path that don't print.
func shownPath(p string) string { return escape.Line(p) }
