package embed

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/server"
	"github.com/zkviz/zkviz/engine/znode"
)

// word answers one of ZooKeeper's four-letter words, in the form in which ZooKeeper 3.8.0 does, so that the
// tools which read that can read this. What means nothing here is left out: there is no Java and no ensemble.
// See the ZooKeeper Administrator's Guide, "The Four Letter Words".
type word func(s *Server, asker *conn, w *bytes.Buffer)

// wordOf is the word that these four bytes are, nil if none. As a length of a frame each would be too long.
func wordOf(b []byte) word {
	switch string(b) {
	case "ruok":
		return func(_ *Server, _ *conn, w *bytes.Buffer) { w.WriteString("imok") }
	case "isro":
		return func(_ *Server, _ *conn, w *bytes.Buffer) { w.WriteString("rw") }
	case "srvr":
		return func(s *Server, _ *conn, w *bytes.Buffer) { s.srvr(w, nil) }
	case "stat":
		return func(s *Server, c *conn, w *bytes.Buffer) { s.srvr(w, c) }
	case "cons":
		return (*Server).cons
	case "wchs":
		return (*Server).wchs
	case "wchc":
		return (*Server).wchc
	case "wchp":
		return (*Server).wchp
	case "dump":
		return (*Server).dump
	case "mntr":
		return (*Server).mntr
	case "conf":
		return (*Server).conf
	case "envi":
		return (*Server).envi
	}
	return nil
}

// answerWord answers and has the connection closed.
func (c *conn) answerWord(answer word) error {
	var w bytes.Buffer
	c.s.mu.Lock()
	c.s.received(c, 0)
	answer(c.s, c, &w)
	c.s.tally.sent++
	c.s.mu.Unlock()
	c.out.done(append(c.out.begin(), w.Bytes()...))
	c.state.CompareAndSwap(connOpen, connParting)
	return nil
}

// version is in ZooKeeper's form, which clients take apart.
func version() string {
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
}

// srvr tells of the server, and stat, which names its asker, of the clients as well.
func (s *Server) srvr(w *bytes.Buffer, asker *conn) {
	fmt.Fprintf(w, "Zookeeper version: %s\n", version())
	if asker != nil {
		w.WriteString("Clients:\n")
		for _, c := range s.connections() {
			fmt.Fprintf(w, " %s\n", c.brief(asker))
		}
		w.WriteString("\n")
	}
	t := &s.stats.tally
	fmt.Fprintf(w, "Latency min/avg/max: %d/%s/%d\n", t.least.Milliseconds(), decimal(t.average()), t.most.Milliseconds())
	fmt.Fprintf(w, "Received: %d\nSent: %d\n", t.received, t.sent)
	fmt.Fprintf(w, "Connections: %d\nOutstanding: 0\nZxid: 0x%x\nMode: standalone\nNode count: %d\n",
		len(s.connections()), s.core.Zxid(), s.core.Tree().NodeCount())
}

// connections is all that are not about to be closed, in the order in which they came.
func (s *Server) connections() []*conn {
	all := make([]*conn, 0, len(s.conns))
	for c := range s.conns {
		if c.state.Load() == connOpen {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *conn) int { return int(a.number - b.number) })
	return all
}

// brief is a connection as stat shows it. The number in brackets is 1 while requests are read from it.
func (c *conn) brief(asker *conn) string {
	reading := 1
	if c == asker {
		reading = 0
	}
	return fmt.Sprintf("/%s[%d](queued=0,recved=%d,sent=%d)", c.remote, reading, c.tally.received, c.tally.sent)
}

func (s *Server) cons(asker *conn, w *bytes.Buffer) {
	for _, c := range s.connections() {
		line := c.brief(asker)
		if session := c.core.Session(); session != 0 {
			line = line[:len(line)-1] + c.details(session) + ")"
		}
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
		session, c.lastOp, c.opened.UnixMilli(), c.core.Timeout().Milliseconds(), lastXid, uint64(c.lastZx), c.lastAt.Milliseconds(),
		t.last.Milliseconds(), t.least.Milliseconds(), int64(t.average()), t.most.Milliseconds())
}

func (s *Server) wchs(_ *conn, w *bytes.Buffer) {
	n := s.core.WatchSummary()
	fmt.Fprintf(w, "%d connections watching %d paths\nTotal watches:%d\n", n.Conns, n.Paths, n.Data)
}

// dataWatches is what wchc and wchp tell of: ZooKeeper leaves out watches of children.
func (s *Server) dataWatches() []server.WatchInfo {
	return slices.DeleteFunc(s.core.Watches(), func(w server.WatchInfo) bool { return w.In != znode.DataTable })
}

func (s *Server) wchc(_ *conn, w *bytes.Buffer) {
	all := s.dataWatches()
	slices.SortStableFunc(all, func(a, b server.WatchInfo) int { return compare(a.Session, b.Session) })
	for i, info := range all {
		if i == 0 || all[i-1].Session != info.Session {
			fmt.Fprintf(w, "0x%x\n", info.Session)
		}
		fmt.Fprintf(w, "\t%s\n", info.Path)
	}
	w.WriteString("\n")
}

func (s *Server) wchp(_ *conn, w *bytes.Buffer) {
	all := s.dataWatches()
	for i, info := range all {
		if i == 0 || all[i-1].Path != info.Path {
			fmt.Fprintf(w, "%s\n", info.Path)
		}
		fmt.Fprintf(w, "\t0x%x\n", info.Session)
	}
	w.WriteString("\n")
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (s *Server) conf(_ *conn, w *bytes.Buffer) {
	size := int64(0)
	if info, err := os.Stat(s.cfg.Data); err == nil && s.cfg.Data != "" {
		size = info.Size()
	}
	most := max(s.cfg.MaxConnsPerAddr, 0) // ZooKeeper's 0 is any number
	tick := s.cfg.Tick.Milliseconds()
	fmt.Fprintf(w, "clientPort=%d\nsecureClientPort=-1\ndataDir=%s\ndataDirSize=%d\ntickTime=%d\nmaxClientCnxns=%d\n"+
		"minSessionTimeout=%d\nmaxSessionTimeout=%d\nclientPortListenBacklog=-1\nserverId=0\n",
		s.ln.Addr().(*net.TCPAddr).Port, s.cfg.Data, size, tick, most, 2*tick, 20*tick)
}

func (s *Server) envi(_ *conn, w *bytes.Buffer) {
	host, err := os.Hostname()
	if err != nil {
		host = "<NA>"
	}
	fmt.Fprintf(w, "Environment:\nzookeeper.version=%s\nhost.name=%s\nos.name=%s\nos.arch=%s\n",
		version(), host, runtime.GOOS, runtime.GOARCH)
}
