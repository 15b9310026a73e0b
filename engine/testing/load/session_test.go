package load

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// session is a session with a heartbeat. It sets its watches again whenever they fire.
type session struct {
	p       *peer.Peer
	paths   map[int32]string // watched paths, by the xid of the requests that read them
	xids    map[string]int32
	sending sync.Mutex // taken by the heartbeat or the receiver

	done chan struct{}
	err  error // why it ended; read after done

	pongs, fired atomic.Int64

	seeing   sync.Mutex
	versions map[string]int32 // the last versions seen
}

// open opens a session that watches some znodes and creates an ephemeral one.
func open(addr string, timeout time.Duration, mine string, watched []string) (*session, error) {
	s := &session{paths: make(map[int32]string), xids: make(map[string]int32), versions: make(map[string]int32),
		done: make(chan struct{})}
	var err error
	if s.p, err = peer.Dial(addr, wire.ConnectRequest{TimeoutMS: int32(timeout.Milliseconds())}); err != nil {
		return nil, err
	}
	s.p.Timeout = -1 // only the end of the connection matters
	if err := ephemeral(s.p, mine); err != nil {
		return nil, err
	}
	for i, path := range watched {
		xid := int32(i + 1)
		s.paths[xid], s.xids[path] = path, xid
	}
	go s.receive()
	go s.beat(timeout / 3)
	for _, path := range watched {
		if err := s.watch(path); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func ephemeral(p *peer.Peer, path string) error {
	return made(p.Do(wire.Request{Op: wire.OpCreate, Path: path, ACL: zoo.OpenACL(), Flags: int32(zoo.Ephemeral)}))
}

func made(r wire.Response, _ []wire.Notification, err error) error {
	if err == nil && r.Code != zoo.OK {
		err = fmt.Errorf("%v: %w", r.Op, r.Code)
	}
	return err
}

func (s *session) send(r wire.Request) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	return s.p.Send(r)
}

func (s *session) watch(path string) error {
	return s.send(wire.Request{Xid: s.xids[path], Op: wire.OpGetData, Path: path, Watch: true})
}

// beat pings until the session ends.
func (s *session) beat(every time.Duration) {
	beats := time.NewTicker(every)
	defer beats.Stop()
	for {
		select {
		case <-s.done:
			return
		case <-beats.C:
			_ = s.send(wire.Request{Xid: wire.XidPing, Op: wire.OpPing}) // the receiver notices a failure
		}
	}
}

// receive reads until the connection ends.
func (s *session) receive() {
	defer close(s.done)
	var m peer.Message
	for s.err == nil {
		if s.err = s.p.RecvInto(&m); s.err == nil {
			s.err = s.take(&m)
		}
	}
}

func (s *session) take(m *peer.Message) error {
	switch {
	case m.IsNotification:
		s.fired.Add(1)
		return s.watch(m.Notification.Path)
	case m.Response.Code != zoo.OK:
		return fmt.Errorf("%v: %w", m.Response.Op, m.Response.Code)
	case m.Response.Op == wire.OpPing:
		s.pongs.Add(1)
	default:
		s.seeing.Lock()
		s.versions[s.paths[m.Response.Xid]] = m.Response.Stat.Version
		s.seeing.Unlock()
	}
	return nil
}

// saw returns the last version of a znode that the session has seen, or -1.
func (s *session) saw(path string) int32 {
	s.seeing.Lock()
	defer s.seeing.Unlock()
	if v, ok := s.versions[path]; ok {
		return v
	}
	return -1
}

// close drops the connection and waits for the receiver.
func (s *session) close() {
	s.p.Abort()
	<-s.done
}
