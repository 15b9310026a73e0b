package contend

import (
	"context"
	"errors"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/host/realtime"
)

// member is one process of the pool.
type member struct {
	cfg  Config
	gate *realtime.Gate
	ctx  context.Context // ends when the member is sent away
	stop context.CancelFunc

	all    sync.WaitGroup // its goroutines
	timers realtime.Owner // of faults

	mu       sync.Mutex
	zk       *zk.Conn
	sessions []int64       // its latest sessions; the last is the present one
	lost     chan struct{} // closed once the present session is known to be over
	belief   event.Event   // the last phase that it reported in the present session

	// The current round's session, and channels that close when it is over and when the member is to release the lock
	// or give up; quit is nil if it does that by itself. Only the member's goroutine uses them.
	current int64
	over    <-chan struct{}
	quit    <-chan struct{}

	// What a person's client has in addition: see person.go.
	label  string // guarded by mu, as are these
	ahead  string // the name of the znode just ahead when it looked last, "" for none
	before int    // how many were before it then
	news   func() // called when its state has changed; nil for none
}

func newMember(cfg Config) *member {
	m := &member{cfg: cfg, gate: realtime.NewGate(true), lost: make(chan struct{})}
	m.ctx, m.stop = context.WithCancel(context.Background())
	return m
}

// leave asks the member to go and ends its pauses. The member closes its session if it can.
func (m *member) leave() {
	m.stop()
	m.gate.Free()
}

// maxSessions limits how many of its sessions a member remembers, by which a fault finds it.
const maxSessions = 8

func (m *member) has(session int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Contains(m.sessions, session)
}

// session returns the member's present session, 0 before the first.
func (m *member) session() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.sessions) == 0 {
		return 0
	}
	return m.sessions[len(m.sessions)-1]
}

// live runs the member from start to end.
func (m *member) live() {
	conn, states, err := m.dial()
	if err != nil {
		return // zk.Connect never refuses these arguments
	}
	m.all.Go(func() { m.follow(states) })
	defer func() {
		if m.gate.Pass() {
			conn.Close()
		}
	}()
	for m.ctx.Err() == nil {
		err := m.round()
		if errors.Is(err, errCrashed) {
			return
		}
		if errors.Is(err, errLost) {
			m.tell(program.Lost, program.Subject{})
		}
		rest := m.cfg.Rest + rand.N(m.cfg.Rest)
		if err != nil && m.ctx.Err() == nil {
			rest = m.cfg.Rest // the server is away or overloaded
		}
		if m.sleep(rest, nil) != nil {
			return
		}
	}
}

// finish waits for everything that the member has started. A crashed member's library still has its connection to
// close, which waits for an answer that will not come.
func (m *member) finish() {
	if m.zk != nil {
		m.zk.Close()
	}
	m.all.Wait()
	m.gate.End()
	m.gate.Release()
	m.timers.Close()
	m.timers.Wait()
}

// errCrashed is the error of everything that a crashed process tries.
var errCrashed = errors.New("the process has crashed")

// awake waits while the process is paused.
func (m *member) awake() error {
	if !m.gate.Pass() {
		return errCrashed
	}
	return nil
}

// The library keeps buffers of these sizes for each connection, in bytes: enough to list thousands of members.
const (
	longestRequest = 16 << 10
	longestReply   = 256 << 10
)

// dial connects in the background, again and again.
func (m *member) dial() (*zk.Conn, <-chan zk.Event, error) {
	// The library needs an address but never uses it: Dial leads to the server.
	conn, states, err := zk.Connect([]string{"127.0.0.1:0"}, m.cfg.SessionTimeout,
		zk.WithDialer(func(string, string, time.Duration) (net.Conn, error) { return m.gate.Dial(m.cfg.Dial) }),
		zk.WithLogger(log.New(io.Discard, "", 0)), zk.WithLogInfo(false),
		zk.WithMaxConnBufferSize(longestRequest), zk.WithMaxBufferSize(longestReply))
	m.mu.Lock()
	m.zk = conn
	m.mu.Unlock()
	return conn, states, err
}

// follow tracks the sessions until the connection is closed for good.
func (m *member) follow(states <-chan zk.Event) {
	for e := range states {
		switch e.State {
		case zk.StateHasSession:
			m.begin(m.zk.SessionID())
		case zk.StateExpired:
			m.mu.Lock()
			m.endSession()
			m.mu.Unlock()
		}
		m.changed()
	}
}

// changed says that the member's state has changed.
func (m *member) changed() {
	if m.news != nil {
		m.news()
	}
}

// sees records what the member has seen of the queue: the znode just ahead, and how many are before it.
func (m *member) sees(ahead string, before int) {
	m.mu.Lock()
	m.ahead, m.before = ahead, before
	m.mu.Unlock()
	m.changed()
}

// begin records a session, if it is a new one.
func (m *member) begin(session int64) {
	m.mu.Lock()
	if n := len(m.sessions); n > 0 && m.sessions[n-1] == session {
		m.mu.Unlock()
		return
	}
	if len(m.sessions) > 0 {
		m.endSession()
	}
	m.sessions = append(m.sessions, session)
	if len(m.sessions) > maxSessions {
		m.sessions = m.sessions[1:]
	}
	m.lost, m.belief = make(chan struct{}), event.Event{}
	begins := m.introduction()
	m.mu.Unlock()
	for _, e := range begins {
		m.cfg.Emit(session, e)
	}
}

// introduction returns what a member says at first. Callers hold m.mu.
func (m *member) introduction() []event.Event {
	all := []event.Event{{Kind: event.ClientStarted, Text: Role}}
	if m.label != "" {
		all = append(all, event.Event{Kind: event.RecipeNote, Text: m.label})
	}
	return all
}

// endSession closes lost, once.
func (m *member) endSession() {
	select {
	case <-m.lost:
	default:
		close(m.lost)
	}
}

// connected waits for a live session and uses it for the next round.
func (m *member) connected() error {
	for {
		m.mu.Lock()
		m.over = m.lost
		if n := len(m.sessions); n > 0 {
			m.current = m.sessions[n-1]
		}
		m.mu.Unlock()
		if m.current != 0 && !m.isOver() {
			return nil
		}
		if err := m.sleep(connectEvery, m.quit); err != nil {
			return err
		}
		if m.quits() {
			return errQuit
		}
	}
}

// isOver reports whether the round's session is known to be over.
func (m *member) isOver() bool {
	select {
	case <-m.over:
		return true
	default:
		return false
	}
}

// tell reports the member's belief in this round.
func (m *member) tell(p program.Phase, about program.Subject) {
	e := event.Event{Kind: event.RecipePhase, Text: string(p), Path: about.Path, N: about.Fence}
	m.mu.Lock()
	if n := len(m.sessions); n > 0 && m.sessions[n-1] == m.current {
		m.belief = e
	}
	m.mu.Unlock()
	m.cfg.Emit(m.current, e)
	m.changed()
}

func (m *member) now() []event.Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.introduction()
	if m.belief.Kind != 0 {
		all = append(all, m.belief)
	}
	return all
}

// sleep waits for d. It ends early when the member is sent away or when other is closed.
func (m *member) sleep(d time.Duration, other <-chan struct{}) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-other:
	case <-m.ctx.Done():
	}
	if err := m.awake(); err != nil {
		return err
	}
	return m.ctx.Err()
}

// Holds is the set of parts that a pool can disturb.
const Holds = fault.Process | fault.Link

// suffer carries out a fault.
func (m *member) suffer(f fault.Fault) error {
	if !Holds.Can(f.Kind) {
		return sentence.Error("refused.contender", sentence.Quote(f.String()),
			sentence.Text(fault.Words(Holds.Kinds(), ", ")))
	}
	session := m.session()
	cause := m.cfg.Emit(session, event.Event{Kind: event.FaultInjected, Text: f.String()})
	switch f.Kind {
	case fault.Crash:
		m.cfg.Emit(session, event.Event{Kind: event.ClientCrashed, Cause: cause})
		m.gate.End()
		m.gate.Release()
		m.stop()
	case fault.Pause:
		paused := m.cfg.Emit(session, event.Event{Kind: event.ClientPaused, N: int64(f.For), Cause: cause})
		m.gate.Freeze()
		m.timers.After(f.For, func() {
			m.gate.Thaw()
			m.cfg.Emit(session, event.Event{Kind: event.ClientResumed, Cause: paused})
		})
	case fault.Cut:
		m.gate.Cut()
		m.timers.After(f.For, m.gate.Heal)
	}
	return nil
}
