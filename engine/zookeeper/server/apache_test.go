//go:build !js

package server_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestGoldenOnApacheZooKeeper compares the scripts with a real server, word for word. It skips scripts that wait,
// because nobody can set a real server's clock, and scripts that look into the log.
func TestGoldenOnApacheZooKeeper(t *testing.T) {
	if testing.Short() {
		t.Skip("a real ZooKeeper takes seconds to start")
	}
	real := zktest.Start(t, "tickTime=2000", "extendedTypesEnabled=true")
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nwait ") || strings.Contains(string(text), "\nfacts\n") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) { run(t, file, &apache{t, real.Addr}) })
	}
}

type apache struct {
	t    *testing.T
	addr string
}

func (a *apache) dial(hello wire.ConnectRequest) (speaker, error) {
	p, err := peer.Dial(a.addr, hello)
	if err != nil {
		return nil, err
	}
	a.t.Cleanup(p.Abort)
	return &socket{t: a.t, p: p, arrived: []message{{welcome: &p.Welcome}}, parting: p.Welcome.Session == 0}, nil
}

func (a *apache) wait(time.Duration) { a.t.Fatal("a real server's clock cannot be turned") }

// settle sends a ping. The server's earlier messages precede the answer.
func (a *apache) settle(c speaker) {
	s := c.(*socket)
	if !s.parting {
		s.send(wire.Request{Xid: settling, Op: wire.OpPing})
	}
	for (s.parting || len(s.waiting) > 0) && !s.over {
		s.receive()
	}
}

const settling = 1 << 30

type socket struct {
	t       *testing.T
	p       *peer.Peer
	waiting []wire.Request
	arrived []message
	parting bool // the server is about to close the connection
	over    bool
}

func (s *socket) send(q wire.Request) {
	s.waiting = append(s.waiting, q)
	_ = s.p.Send(q) // if the server has closed, the next receive reports it
}

func (s *socket) sendRaw(op wire.Op, body []byte) {
	frame := binary.BigEndian.AppendUint32(nil, 1)
	frame = binary.BigEndian.AppendUint32(frame, uint32(op))
	s.waiting = append(s.waiting, wire.Request{Xid: 1, Op: op})
	_ = s.p.SendFrame(append(frame, body...), op)
}

func (s *socket) receive() {
	m, err := s.p.Recv()
	switch {
	case err != nil:
		s.over = true
	case m.IsNotification:
		s.arrived = append(s.arrived, message{note: &m.Notification})
	default:
		to := s.waiting[0]
		s.waiting = s.waiting[1:]
		switch r := m.Response; {
		case to.Op == wire.OpCloseSession, r.Code == zoo.ErrUnimplemented && r.Zxid == -1, r.Code == zoo.ErrAuthFailed:
			s.parting = true
		}
		if to.Xid != settling {
			s.arrived = append(s.arrived, message{to: to, reply: &m.Response})
		}
	}
}

func (s *socket) abort() { s.p.Abort() }

func (s *socket) heard() ([]message, bool) {
	list := s.arrived
	s.arrived = nil
	return list, !s.over
}
