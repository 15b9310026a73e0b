package page

import (
	"path"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// LiveLocksProps are the locks, leads, queues and so on of a ZooKeeper below a path, the one with most trouble first.
type LiveLocksProps struct {
	LiveProps
	Kind  string   // of those that are shown; empty for all
	Kinds []string // to choose from
	Text  string   // that a shown one has in its path
	Herds bool     // the servers are asked who watches what
	Rows  []LockRow
	Page  int // which page of the rows is shown, from 1
	Pages int

	Reading bool // all has not been read yet, but so many znodes
	Read    int
	ToRead  int  // at least so many more are to be
	Cut     bool // off from the others is the server that is read

	All      int // how many there are
	Found    int // how many of them the filter leaves
	Trouble  int // how many of these are in trouble
	Left     int // how many znodes and locks aren't followed, since there are too many
	Partial  bool
	Unread   int    // how many znodes may not be read
	Secret   string // the first of them
	Search   int    // how many znodes are searched for what may not be read, 0 if that's over, and how many have been
	Searched int
	Untold   []sentence.Sentence // what servers have not told
	None     sentence.Sentence   // why there is nothing, if there isn't
	Gone     sentence.Sentence   // why nothing can be seen now, if nothing can,
	Before   sentence.Sentence   // and how long ago the table was so
	Since    sentence.Sentence   // for how long they have been followed
}

// LockRow is one of them.
type LockRow struct {
	Path    string
	Old     bool              // nothing has been seen of it lately
	Kind    sentence.Sentence // what it's taken for
	Holders []LockHolder
	Others  sentence.Sentence // who holds it besides these, or that nobody does
	Wakes   []LockWake
	Wakers  sentence.Sentence   // how many more of those who hold it would wake somebody
	Line    []sentence.Sentence // who stands in line, and what's to be said of that
	Turn    *LockTurn
	Pace    sentence.Sentence // how often it changes hands
	Alerts  []sentence.Sentence
}

// LockClient is a session, and from where it is, if that's known.
type LockClient struct{ Session, Address string }

// LockHolder is one who holds it.
type LockHolder struct {
	LockClient
	Data string
	At   string            // since when, as <time> has it
	Held sentence.Sentence // how long that is
}

// LockWake is whom the end of one who holds it would wake.
type LockWake struct {
	Says sentence.Sentence // whose end, and how many
	Whom []LockClient      // a few of them
	More sentence.Sentence // how many more they are
}

// LockTurn is the last time that it changed hands.
type LockTurn struct {
	MS        int64  // since 1970
	Znode     string // of who got it, else of who had it
	At        string
	Said, Ago sentence.Sentence
}

// moment is the address of the moment at which it changed hands last.
func (p LiveLocksProps) moment(r LockRow) string { return r.Turn.address(r.Path, p.Cluster) }

// address is that of the moment, at a path in a cluster.
func (t *LockTurn) address(path, cluster string) string {
	return "/live/moment?path=" + query(path) + "&cluster=" + query(cluster) +
		"&moment=" + strconv.FormatInt(t.MS, 10) + "&znode=" + query(t.Znode)
}

// stage is the address of the stage of what goes on at a path.
func (p LiveProps) stage() string {
	address := "/stage?path=" + query(p.Path) + "&cluster=" + query(p.Cluster)
	if p.Moment != 0 {
		address += "&moment=" + strconv.FormatInt(p.Moment, 10) + "&select=" + query(p.Znode)
	}
	return address
}

// address is that of the page with another page of its rows.
func (p LiveLocksProps) address(page int) string {
	herds := ""
	if p.Herds {
		herds = "&herds=on"
	}
	return "/live/locks?path=" + query(p.Path) + "&cluster=" + query(p.Cluster) + "&kind=" + query(p.Kind) +
		"&text=" + query(p.Text) + "&page=" + itoa(page) + herds
}

// lockColumns are the columns of the table, as they are called below live.locks.column.
var lockColumns = [...]string{"what", "holder", "waiting", "turn"}

// gone says why nothing can be seen now.
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

// lacks says what the numbers leave out; empty if that's nothing.
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

// found says how many there are, and in the same sentence what that leaves out.
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

// state says what the table has.
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

// lockSays says a sentence with the names of znodes, which can be anything.
func (f Frame) lockSays(s sentence.Sentence) string {
	return sentence.Voice{Say: f.Say, Path: func(p string) string { return shownPath(path.Base(p)) }}.Says(s)
}

// shownPath is a path with what doesn't print escaped.
func shownPath(p string) string { return escape.Line(p) }
