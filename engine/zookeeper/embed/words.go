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
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// word answers one of ZooKeeper's four-letter words, in the form of ZooKeeper 3.8.0, so that tools for that can
// read it. It omits what means nothing here, such as values of Java. See the ZooKeeper Administrator's Guide, "The
// Four Letter Words".
//
// A word takes the lock itself, for one portion of its answer at a time.
type word func(s *Server, asker *conn, w *bytes.Buffer)

// maxWord is the longest answer in bytes. The rest is cut, and a last line says so.
const maxWord = 8 << 20

// cutWord is that last line.
const cutWord = "and more, which is left out\n"

// wordOf returns the word that these four bytes name, or nil. As a frame length, each would be too long.
func wordOf(b []byte) word {
	switch string(b) {
	case "ruok":
		return func(_ *Server, _ *conn, w *bytes.Buffer) { w.WriteString("imok") }
	case "isro":
		return func(_ *Server, _ *conn, w *bytes.Buffer) { w.WriteString("rw") }
	case "srvr":
		return func(s *Server, _ *conn, w *bytes.Buffer) { s.srvr(w, nil) }
	case "stat":
		return oneByOne((*Server).stat)
	case "cons":
		return oneByOne((*Server).cons)
	case "wchs":
		return (*Server).wchs
	case "wchc":
		return again("wchc", (*Server).wchc)
	case "wchp":
		return again("wchp", (*Server).wchp)
	case "dump":
		return again("dump", (*Server).dump)
	case "mntr":
		return (*Server).mntr
	case "conf":
		return (*Server).conf
	case "envi":
		return (*Server).envi
	}
	return nil
}

// answerWord answers a word and closes the connection.
func (c *conn) answerWord(name []byte, answer word) error {
	var w bytes.Buffer
	c.s.enter()
	c.s.received(c, 0)
	serving := c.s.serving()
	c.s.mu.Unlock()
	if serving || evenSo[string(name)] {
		answer(c.s, c, &w)
	} else {
		w.WriteString(notServing)
	}
	c.s.mu.Lock()
	c.s.tally.sent++
	c.s.mu.Unlock()
	if w.Len() <= shortReply {
		c.out.done(append(c.out.begin(), w.Bytes()...))
	} else {
		room, err := c.s.huge.claim(c, int64(w.Len()), &w.Bytes()[0], new(atomic.Bool))
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

var evenSo = map[string]bool{"ruok": true, "conf": true, "envi": true}

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
func (s *Server) stat(asker *conn, w *bytes.Buffer) {
	var clients bytes.Buffer
	for _, c := range s.connections() {
		s.mu.Lock()
		line := c.brief(asker)
		s.mu.Unlock()
		fmt.Fprintf(&clients, " %s\n", line)
	}
	s.srvr(w, &clients)
}

// srvr describes the server.
func (s *Server) srvr(w, clients *bytes.Buffer) {
	fmt.Fprintf(w, "Zookeeper version: %s\n", version())
	if clients != nil {
		fmt.Fprintf(w, "Clients:\n%s\n", clients)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.stats.tally
	fmt.Fprintf(w, "Latency min/avg/max: %d/%s/%d\n", t.least.Milliseconds(), decimal(t.average()), t.most.Milliseconds())
	fmt.Fprintf(w, "Received: %d\nSent: %d\n", t.received, t.sent)
	fmt.Fprintf(w, "Connections: %d\nOutstanding: 0\nZxid: 0x%x\nMode: %s\nNode count: %d\n",
		s.alive(), s.core.Zxid(), s.mode(), s.core.Tree().NodeCount())
	if s.mode() == "leader" {
		fmt.Fprintf(w, "Proposal sizes last/min/max: -1/-1/-1\n")
	}
}

// mode returns the server's role in its ensemble, in ZooKeeper's words.
func (s *Server) mode() string {
	if s.member == nil {
		return "standalone"
	}
	n := s.member.self().Node()
	switch {
	case n == nil:
		return "unknown"
	case n.State() == zab.Leading:
		return "leader"
	case n.State() == zab.Observing:
		return "observer"
	}
	return "follower"
}

// alive returns the number of connections that are not closing. Callers hold the lock.
func (s *Server) alive() int {
	n := 0
	for c := range s.conns {
		if c.state.Load() == connOpen {
			n++
		}
	}
	return n
}

// connections returns those connections in the order of their arrival. Callers don't hold the lock.
func (s *Server) connections() []*conn {
	s.mu.Lock()
	all := make([]*conn, 0, len(s.conns))
	for c := range s.conns {
		if c.state.Load() == connOpen {
			all = append(all, c)
		}
	}
	s.mu.Unlock()
	slices.SortFunc(all, func(a, b *conn) int { return cmp.Compare(a.number, b.number) })
	return all
}

// brief describes a connection for stat. The number in brackets is 1 while requests are read from it.
func (c *conn) brief(asker *conn) string {
	reading := 1
	if c == asker {
		reading = 0
	}
	return fmt.Sprintf("/%s[%d](queued=0,recved=%d,sent=%d)", c.remote, reading, c.tally.received, c.tally.sent)
}

func (s *Server) cons(asker *conn, w *bytes.Buffer) {
	for _, c := range s.connections() {
		s.mu.Lock()
		line := c.brief(asker)
		if session := c.core.Session(); session != 0 {
			line = line[:len(line)-1] + c.details(session) + ")"
		}
		s.mu.Unlock()
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
		t.last.Milliseconds(), t.least.Milliseconds(), int64(t.average()), t.most.Milliseconds())
}

func (s *Server) wchs(_ *conn, w *bytes.Buffer) {
	s.mu.Lock()
	n := s.core.WatchSummary()
	s.mu.Unlock()
	fmt.Fprintf(w, "%d connections watching %d paths\nTotal watches:%d\n", n.Conns, n.Paths, n.Data)
}

// entry is a session with a path that it watches or owns.
type entry struct {
	path    string
	session int64
}

// dataWatches returns what wchc and wchp show, as much as fits. ZooKeeper leaves out child watches.
func (s *Server) dataWatches() (all []entry, more bool) {
	left := maxWord
	inPortions(s, s.core.EachWatch(znode.DataTable), func(x server.WatchInfo) bool {
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

func (s *Server) wchc(_ *conn, w *bytes.Buffer) {
	all, more := s.dataWatches()
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

func (s *Server) wchp(_ *conn, w *bytes.Buffer) {
	all, more := s.dataWatches()
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

func (s *Server) conf(_ *conn, w *bytes.Buffer) {
	size := int64(0)
	if info, err := os.Stat(s.cfg.Data); err == nil && s.cfg.Data != "" {
		size = info.Size()
	}
	most := max(s.cfg.MaxConnsPerAddr, 0) // ZooKeeper's 0 means no limit
	tick := s.cfg.Tick.Milliseconds()
	id := 0
	if s.member != nil {
		id = int(s.member.id)
	}
	longest := cmp.Or(s.cfg.MaxTimeout.Milliseconds(), 20*tick)
	fmt.Fprintf(w, "clientPort=%d\nsecureClientPort=-1\ndataDir=%s\ndataDirSize=%d\ntickTime=%d\nmaxClientCnxns=%d\n"+
		"minSessionTimeout=%d\nmaxSessionTimeout=%d\nclientPortListenBacklog=-1\nserverId=%d\n",
		s.addr.(*net.TCPAddr).Port, s.cfg.Data, size, tick, most, 2*tick, longest, id)
}

func (s *Server) envi(_ *conn, w *bytes.Buffer) {
	host, err := os.Hostname()
	if err != nil {
		host = "<NA>"
	}
	fmt.Fprintf(w, "Environment:\nzookeeper.version=%s\nhost.name=%s\nos.name=%s\nos.arch=%s\n",
		version(), host, runtime.GOOS, runtime.GOARCH)
}
