package embed

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// word answers one of ZooKeeper's four-letter words, in the form of ZooKeeper 3.8.0, so that tools for that can
// read it. It omits what means nothing here, such as values of Java. See the ZooKeeper Administrator's Guide, "The
// Four Letter Words".
//
// A word takes the lock itself, for one portion of its answer at a time.
type word func(ws *words, client *conn, w *bytes.Buffer)

// words answers four-letter words about a server. It keeps the answers to the expensive ones for a moment. Only one of
// those is built at a time, however many clients ask.
type words struct {
	s       *Server
	mu      sync.Mutex // held while an expensive answer is built; taken before the server's lock
	answers map[string]answer
}

// maxWord is the longest answer in bytes. The rest is cut, and a last line says so.
const maxWord = 8 << 20

// cutWord ends what is cut off.
const cutWord = "and more, which is left out\n"

// wordOf returns the word that these four bytes name, or nil. As a frame length, each would be too long.
func wordOf(b []byte) word {
	switch string(b) {
	case "ruok":
		return func(_ *words, _ *conn, w *bytes.Buffer) { w.WriteString("imok") }
	case "isro":
		return func(_ *words, _ *conn, w *bytes.Buffer) { w.WriteString("rw") }
	case "srvr":
		return func(ws *words, _ *conn, w *bytes.Buffer) { ws.srvr(w, nil) }
	case "stat":
		return oneByOne((*words).stat)
	case "cons":
		return oneByOne((*words).cons)
	case "wchs":
		return (*words).wchs
	case "wchc":
		return cached("wchc", (*words).wchc)
	case "wchp":
		return cached("wchp", (*words).wchp)
	case "dump":
		return cached("dump", (*words).dump)
	case "mntr":
		return (*words).mntr
	case "conf":
		return (*words).conf
	case "envi":
		return (*words).envi
	}
	return nil
}

// answerWord answers a word and closes the connection.
func (c *conn) answerWord(name []byte, answer word) error {
	var w bytes.Buffer
	c.s.enter()
	c.s.stats.received(c, 0)
	serving := c.s.serving()
	c.s.mu.Unlock()
	if serving || withoutLeader[string(name)] {
		answer(&c.s.words, c, &w)
	} else {
		w.WriteString(notServing)
	}
	c.s.mu.Lock()
	c.s.stats.tally.sent++
	c.s.mu.Unlock()
	if w.Len() <= shortReply {
		c.out.done(append(c.out.begin(), w.Bytes()...))
	} else {
		room, err := c.s.budgets.huge.claim(c, int64(w.Len()), &w.Bytes()[0], new(atomic.Bool))
		if err != nil {
			return err
		}
		c.out.append(part{frames: w.Bytes(), room: room})
	}
	c.state.CompareAndSwap(connOpen, connParting)
	return nil
}

// notServing is the answer of an ensemble's server without a leader. evenSo lists the words that it still answers.
const notServing = "This ZooKeeper instance is not currently serving requests\n"

var withoutLeader = map[string]bool{"ruok": true, "conf": true, "envi": true}

// version returns the version in ZooKeeper's form, which clients parse.
var version = sync.OnceValue(func() string {
	built := "an unknown day"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.time" {
				if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
					built = t.UTC().Format("2006-01-02 15:04 UTC")
				}
			}
		}
	}
	return "3.8.0-zkviz, built on " + built
})

// stat answers with srvr and the clients.
func (ws *words) stat(client *conn, w *bytes.Buffer) {
	var clients bytes.Buffer
	for _, c := range ws.connections() {
		ws.s.mu.Lock()
		line := c.brief(client)
		ws.s.mu.Unlock()
		fmt.Fprintf(&clients, " %s\n", line)
	}
	ws.srvr(w, &clients)
}

// srvr describes the server.
func (ws *words) srvr(w, clients *bytes.Buffer) {
	fmt.Fprintf(w, "Zookeeper version: %s\n", version())
	if clients != nil {
		fmt.Fprintf(w, "Clients:\n%s\n", clients)
	}
	ws.s.mu.Lock()
	defer ws.s.mu.Unlock()
	t := &ws.s.stats.tally
	fmt.Fprintf(w, "Latency min/avg/max: %d/%s/%d\n", t.latency.least.Milliseconds(), decimal(t.average()),
		t.latency.most.Milliseconds())
	fmt.Fprintf(w, "Received: %d\nSent: %d\n", t.received, t.sent)
	fmt.Fprintf(w, "Connections: %d\nOutstanding: 0\nZxid: 0x%x\nMode: %s\nNode count: %d\n",
		ws.s.conns.open(), ws.s.core.Zxid(), ws.s.mode(), ws.s.core.Tree().NodeCount())
	if ws.s.mode() == "leader" {
		fmt.Fprintf(w, "Proposal sizes last/min/max: -1/-1/-1\n")
	}
}

// connections returns the connections that are not closing, in the order of their arrival. Callers don't hold the lock.
func (ws *words) connections() []*conn {
	ws.s.mu.Lock()
	all := make([]*conn, 0, len(ws.s.conns.all))
	for c := range ws.s.conns.all {
		if c.state.Load() == connOpen {
			all = append(all, c)
		}
	}
	ws.s.mu.Unlock()
	slices.SortFunc(all, func(a, b *conn) int { return cmp.Compare(a.number, b.number) })
	return all
}

// brief describes a connection for stat. The number in brackets is 1 while requests are read from it.
func (c *conn) brief(client *conn) string {
	reading := 1
	if c == client {
		reading = 0
	}
	return fmt.Sprintf("/%s[%d](queued=0,recved=%d,sent=%d)", c.remote, reading, c.tally.received, c.tally.sent)
}

func (ws *words) cons(client *conn, w *bytes.Buffer) {
	for _, c := range ws.connections() {
		ws.s.mu.Lock()
		line := c.brief(client)
		if session := c.core.Session(); session != 0 {
			line = line[:len(line)-1] + c.details(session) + ")"
		}
		ws.s.mu.Unlock()
		fmt.Fprintf(w, " %s\n", line)
	}
	w.WriteString("\n")
}

func (c *conn) details(session int64) string {
	lastXid := ""
	if c.lastXid >= 0 {
		lastXid = fmt.Sprintf(",lcxid=0x%x", c.lastXid)
	}
	t := &c.tally
	return fmt.Sprintf(",sid=0x%x,lop=%s,est=%d,to=%d%s,lzxid=0x%x,lresp=%d,llat=%d,minlat=%d,avglat=%d,maxlat=%d",
		session, c.lastOp, c.opened.UnixMilli(), c.core.Timeout().Milliseconds(), lastXid, uint64(c.lastZx),
		c.lastAt.Milliseconds(),
		t.latency.last.Milliseconds(), t.latency.least.Milliseconds(), int64(t.average()), t.latency.most.Milliseconds())
}

func (ws *words) wchs(_ *conn, w *bytes.Buffer) {
	ws.s.mu.Lock()
	n := ws.s.core.WatchSummary()
	ws.s.mu.Unlock()
	fmt.Fprintf(w, "%d connections watching %d paths\nTotal watches:%d\n", n.Conns, n.Paths, n.Data)
}

// entry is a session with a path that it watches or owns.
type entry struct {
	path    string
	session int64
}

// dataWatches returns what wchc and wchp show, as much as fits. ZooKeeper leaves out child watches.
func (ws *words) dataWatches() (all []entry, more bool) {
	left := maxWord
	inPortions(ws.s, ws.s.core.EachWatch(znode.DataTable), func(x server.WatchInfo) bool {
		left -= len(x.Path) + len("\t0x0123456789abcdef\n\n")
		all = append(all, entry{x.Path, x.Session})
		return left > 0
	})
	return all, left <= 0
}

// inPortions visits items under the lock, and releases it now and then.
func inPortions[T any](s *Server, all iter.Seq[T], visit func(T) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for x := range all {
		if !visit(x) {
			return
		}
		if n++; n%portion == 0 {
			s.mu.Unlock()
			runtime.Gosched()
			s.mu.Lock()
		}
	}
}

func (ws *words) wchc(_ *conn, w *bytes.Buffer) {
	all, more := ws.dataWatches()
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.session, b.session), strings.Compare(a.path, b.path))
	})
	for i, x := range all {
		if i == 0 || all[i-1].session != x.session {
			fmt.Fprintf(w, "0x%x\n", x.session)
		}
		fmt.Fprintf(w, "\t%s\n", x.path)
	}
	endWord(w, more)
}

func (ws *words) wchp(_ *conn, w *bytes.Buffer) {
	all, more := ws.dataWatches()
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.session, b.session))
	})
	for i, x := range all {
		if i == 0 || all[i-1].path != x.path {
			fmt.Fprintf(w, "%s\n", x.path)
		}
		fmt.Fprintf(w, "\t0x%x\n", x.session)
	}
	endWord(w, more)
}

func endWord(w *bytes.Buffer, more bool) {
	if more {
		w.WriteString(cutWord)
	}
	w.WriteString("\n")
}

func (ws *words) conf(_ *conn, w *bytes.Buffer) {
	size := int64(0)
	if info, err := os.Stat(ws.s.cfg.Data); err == nil && ws.s.cfg.Data != "" {
		size = info.Size()
	}
	most := max(ws.s.cfg.MaxConnsPerAddr, 0) // ZooKeeper's 0 means no limit
	tick := ws.s.cfg.Tick.Milliseconds()
	id := 0
	if ws.s.member != nil {
		id = int(ws.s.member.id)
	}
	longest := cmp.Or(ws.s.cfg.MaxTimeout.Milliseconds(), 20*tick)
	fmt.Fprintf(w, "clientPort=%d\nsecureClientPort=-1\ndataDir=%s\ndataDirSize=%d\ntickTime=%d\nmaxClientCnxns=%d\n"+
		"minSessionTimeout=%d\nmaxSessionTimeout=%d\nclientPortListenBacklog=-1\nserverId=%d\n",
		ws.s.addr.(*net.TCPAddr).Port, ws.s.cfg.Data, size, tick, most, 2*tick, longest, id)
}

func (ws *words) envi(_ *conn, w *bytes.Buffer) {
	host, err := os.Hostname()
	if err != nil {
		host = "<NA>"
	}
	fmt.Fprintf(w, "Environment:\nzookeeper.version=%s\nhost.name=%s\nos.name=%s\nos.arch=%s\n",
		version(), host, runtime.GOOS, runtime.GOARCH)
}
