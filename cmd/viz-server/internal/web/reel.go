package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/lessons"
)

// serveReel answers with the runs of a lesson as its page gets them: its own, and those beside it.
func (s *Server) serveReel(w http.ResponseWriter, r *http.Request) {
	l, ok := s.book.Page(r.PathValue("slug"), lessons.Source)
	if !ok {
		http.NotFound(w, r)
		return
	}
	requests := []protocol.Request{{Do: protocol.Open, Lesson: l.Slug, Host: event.Simulated}}
	var beside []string
	for _, step := range l.Steps {
		if step.Beside != "" && !slices.Contains(beside, step.Beside) {
			beside = append(beside, step.Beside)
			requests = append(requests, protocol.Request{Do: protocol.Open, Query: step.Beside})
		}
	}
	var takes []protocol.Take
	for i, request := range requests {
		c := camera{
			request: protocol.AppendRequest(nil, request), run: l.Slug + "-" + strconv.Itoa(i), done: make(chan struct{}),
		}
		if err := s.film(r, &c); err != nil {
			s.site.Failed(w, r, err)
			return
		}
		takes = append(takes, protocol.Take{Request: c.request, Answers: c.answers})
	}
	body.New("application/octet-stream", protocol.AppendReel(nil, takes), body.Thorough).Serve(w, r, body.AskAgain)
}

// film serves a camera as a viewer until it has all events of its run.
func (s *Server) film(r *http.Request, c *camera) error {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	conn, err := s.runs.Connect(site.ClientOf(r), cancel)
	if err != nil {
		return err
	}
	defer conn.Leave()
	s.runs.Serve(ctx, s.stop, conn, c)
	if c.err == nil && !c.over() {
		c.err = room.ErrClosing
	}
	return c.err
}

// camera is a viewer that requests one run and keeps what it gets, events and verdict. The room's writer calls all but
// Receive.
type camera struct {
	request []byte
	run     string        // the name that the run gets, the same each time
	asked   bool          // the request is on its way
	done    chan struct{} // closed when all has come, or a refusal

	answers    []protocol.Answer
	last, want event.Seq // sequence numbers of the last event so far, and of the last of all
	judged     event.Seq // what the verdict so far covers
	decoder    packed.Decoder
	err        error
}

// Receive returns the request, then waits for the end.
func (c *camera) Receive(ctx context.Context) ([]byte, error) {
	if !c.asked {
		c.asked = true
		return c.request, nil
	}
	select {
	case <-c.done:
	case <-ctx.Done():
	}
	return nil, io.EOF
}

// Message keeps a message.
func (c *camera) Message(_ context.Context, text []byte) error {
	m, err := protocol.ParseMessage(text)
	if err != nil {
		return err
	}
	switch m := m.(type) {
	case *protocol.Run:
		m.Run, c.want = c.run, m.Branches[0].Events
		text = protocol.AppendMessage(nil, m)
		if !protocol.Judged(m.Header) {
			c.judged = c.want
		}
	case *protocol.Progress: // how long it took is nobody's business
		return nil
	case *protocol.Verdict:
		c.judged = m.Events
	case *protocol.Refusal:
		c.err = errors.New(m.Why.String())
	}
	c.answers = append(c.answers, protocol.Answer{Body: slices.Clone(text)}) // the caller reuses it
	c.end()
	return nil
}

// Frame keeps a frame.
func (c *camera) Frame(_ context.Context, frame []byte) error {
	_, events, err := protocol.ParseFrame(frame, &c.decoder)
	if err != nil {
		return err
	}
	if len(events) > 0 {
		c.last = events[len(events)-1].Seq
	}
	c.answers = append(c.answers, protocol.Answer{Frame: true, Body: slices.Clone(frame)})
	c.end()
	return nil
}

func (c *camera) end() {
	if !c.over() && (c.err != nil || c.want > 0 && c.last == c.want && c.judged == c.want) {
		close(c.done)
	}
}

// over reports whether nothing more will come.
func (c *camera) over() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// Ping does nothing: a camera doesn't leave.
func (c *camera) Ping(context.Context) error { return nil }

// Close does nothing: film reports that the run is incomplete.
func (c *camera) Close(room.Reason, string) {}

// Cut does nothing: the context of Receive ends.
func (c *camera) Cut() {}
