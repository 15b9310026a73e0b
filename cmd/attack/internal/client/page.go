package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/protocol"
)

// maxFrame is the longest frame that a page takes, in bytes; the server's own limit is 256 KiB.
const maxFrame = 1 << 20

// Socket opens a page's websocket and leaves reading to its caller.
func (f From) Socket(ctx context.Context, base string) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	c, resp, err := websocket.Dial(ctx, base+"/ws", &websocket.DialOptions{
		HTTPClient: f.HTTP(0), HTTPHeader: http.Header{"Origin": {base}},
	})
	if err != nil {
		if resp != nil {
			err = &Refusal{Status: resp.StatusCode, Hint: resp.Header.Get("Retry-After") != ""}
		}
		return nil, err
	}
	c.SetReadLimit(maxFrame)
	return c, nil
}

// Refusal is the answer to a page whose websocket was not opened.
type Refusal struct {
	Status int
	Hint   bool // it says when to try again
}

// Error says what the answer was.
func (r *Refusal) Error() string {
	return fmt.Sprintf("open a websocket: the server answered %d %s", r.Status, http.StatusText(r.Status))
}

// Busy reports whether a status says that there is no room now.
func Busy(status int) bool {
	return status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests
}

// Page is a page that follows a run over the websocket, as a browser does: it takes everything, and keeps which
// events of which branch it has.
type Page struct {
	conn    *websocket.Conn
	reading sync.WaitGroup

	mu      sync.Mutex
	changed chan struct{} // closed at the next change
	state   State
}

// State is what a page knows. A page that was cut takes it along to the next connection.
type State struct {
	Run      string
	Events   map[int]event.Seq // by branch, the last event that it has
	Promised map[int]event.Seq // by branch, the last that there is, as far as the server has said
	Ended    map[int]bool      // by branch
	End      time.Duration     // the time of the latest event of the first branch
	Refused  error             // what the server answered to a message, if it refused it; ErrDropped for a lost run
	Gone     error             // why the connection has ended
}

// ErrDropped says that the server no longer keeps the run that the page follows, or would like to take up again. A
// page of ours then opens the run anew.
var ErrDropped = errors.New("the run was dropped")

// Page opens a page. With a state that another left behind, Resume goes on from there.
func (f From) Page(ctx context.Context, base string, before State) (*Page, error) {
	c, err := f.Socket(ctx, base)
	if err != nil {
		return nil, err
	}
	p := &Page{conn: c, changed: make(chan struct{}), state: before}
	p.state.Refused, p.state.Gone = nil, nil
	if p.state.Events == nil {
		p.state.forget()
	}
	p.reading.Go(func() { p.read(context.Background()) }) // ends with the connection
	return p, nil
}

func (s *State) forget() {
	s.Events, s.Promised, s.Ended = map[int]event.Seq{}, map[int]event.Seq{}, map[int]bool{}
}

// Cut drops the connection without a word, and returns what the page knows.
func (p *Page) Cut() State {
	_ = p.conn.CloseNow() // that is the point
	p.reading.Wait()
	return p.state
}

// Send sends a message, which is made into JSON.
func (p *Page) Send(ctx context.Context, say any) error {
	text, err := json.Marshal(say)
	if err != nil {
		return fmt.Errorf("write a message: %w", err)
	}
	return p.conn.Write(ctx, websocket.MessageText, text)
}

// Open asks for a run of a recipe, in the place of what the page has followed so far.
func (p *Page) Open(ctx context.Context, recipe string, clients int) error {
	p.mu.Lock()
	p.state.Run, p.state.End = "", 0
	p.state.forget()
	p.mu.Unlock()
	return p.Send(ctx, map[string]any{"do": "open", "query": fmt.Sprintf("recipe=%s&clients=%d", recipe, clients)})
}

// Resume asks for the run that the page has been following, from where it was.
func (p *Page) Resume(ctx context.Context) error {
	p.mu.Lock()
	from := make(map[string]event.Seq, len(p.state.Events))
	for branch, last := range p.state.Events {
		from[strconv.Itoa(branch)] = last + 1
	}
	run := p.state.Run
	p.state.Promised = map[int]event.Seq{}
	p.mu.Unlock()
	return p.Send(ctx, map[string]any{"do": "resume", "run": run, "from": from})
}

// Wait waits until what the page knows is as wanted. A refusal, or the end of the connection, is an error.
func (p *Page) Wait(ctx context.Context, wanted func(*State) bool) error {
	for {
		p.mu.Lock()
		err, changed := p.state.Refused, p.changed
		switch {
		case err != nil:
			p.state.Refused = nil
			p.mu.Unlock()
			return err
		case wanted(&p.state):
			p.mu.Unlock()
			return nil
		case p.state.Gone != nil:
			err = p.state.Gone
			p.mu.Unlock()
			return fmt.Errorf("the page was cut off: %w", err)
		}
		p.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for the server: %w", ctx.Err())
		}
	}
}

// Whole reports whether the page has branch to its end.
func (s *State) Whole(branch int) bool {
	last, there := s.Promised[branch]
	return there && s.Ended[branch] && s.Events[branch] >= last
}

// Branches is how many the page was told of.
func (s *State) Branches() int { return len(s.Promised) }

func (p *Page) read(ctx context.Context) {
	for {
		kind, b, err := p.conn.Read(ctx)
		p.mu.Lock()
		if err == nil && kind == websocket.MessageText {
			err = p.state.take(b)
		} else if err == nil {
			err = p.state.takeEvents(b)
		}
		if err != nil {
			p.state.Gone = err
		}
		close(p.changed)
		p.changed = make(chan struct{})
		p.mu.Unlock()
		if err != nil {
			_ = p.conn.CloseNow() // Gone says why
			return
		}
	}
}

func (s *State) take(text []byte) error {
	m, err := protocol.ParseMessage(text)
	if err != nil {
		return fmt.Errorf("the server said %.80q: %w", text, err)
	}
	switch m := m.(type) {
	case *protocol.Refusal:
		if s.Refused = errors.New(m.Why.String()); m.Do == protocol.Resume {
			s.Refused = fmt.Errorf("%w: %w", ErrDropped, s.Refused)
		}
	case *protocol.Run:
		if m.Run != s.Run {
			s.forget()
		}
		s.Run = m.Run
		for _, b := range m.Branches {
			s.promise(b)
		}
	case *protocol.Branch:
		s.promise(m.Row)
	}
	return nil
}

func (s *State) promise(b protocol.Row) {
	s.Promised[b.ID], s.Ended[b.ID] = b.Events, b.Ended
	if b.Events < b.From { // it has none of its own
		s.Promised[b.ID] = 0
	}
}

func (s *State) takeEvents(frame []byte) error {
	branch, events, err := protocol.ParseFrame(frame, new(packed.Decoder))
	if err == nil && len(events) > 0 {
		last := events[len(events)-1]
		s.Events[branch] = last.Seq
		if branch == 0 {
			s.End = last.At
		}
	}
	return err
}
