package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// page follows a run over the websocket, like a browser.
type page struct {
	conn    *websocket.Conn
	run     string
	rows    map[int]protocol.Row // the branches, as the server describes them
	last    map[int]event.Seq    // the last event received, by branch
	end     time.Duration        // time of the first branch's last event
	refused error                // why the server refused the last message
	dropped bool                 // the server no longer has the run to resume
}

func openPage(ctx context.Context, who from, base string) (*page, error) {
	conn, err := who.socket(ctx, base)
	if err != nil {
		return nil, err
	}
	return &page{conn: conn, rows: map[int]protocol.Row{}, last: map[int]event.Seq{}}, nil
}

// cut drops the connection abruptly. p may be nil.
func (p *page) cut() {
	if p != nil {
		_ = p.conn.CloseNow() // deliberately abrupt
	}
}

// ask sends a message and reads until the answer is complete or a refusal arrives.
func (p *page) ask(ctx context.Context, message string, complete func() bool) error {
	p.refused, p.dropped = nil, false
	if err := p.conn.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
		return err
	}
	for !complete() {
		if err := p.read(ctx); err != nil {
			return err
		}
		if p.refused != nil {
			return p.refused
		}
	}
	return nil
}

// whole reports whether all events of a branch have arrived.
func (p *page) whole(branch int) bool {
	row, ok := p.rows[branch]
	return ok && row.Ended && (p.last[branch] >= row.Events || row.Events < row.From)
}

// fault pauses the last client near the run's end, at a different moment each time, and receives the new branch.
func (p *page) fault(ctx context.Context, clients, n int) error {
	at := (p.end - p.end/20 - time.Duration(n)*time.Millisecond).Truncate(time.Millisecond)
	message := fmt.Sprintf(`{"do":"fault","branch":0,"fault":"pause client-%d at %v for 1s"}`, clients, at)
	branch := len(p.rows)
	return p.ask(ctx, message, func() bool { return p.whole(branch) })
}

// resume cuts the connection and resumes the run on a new one, from the last received events.
func (p *page) resume(ctx context.Context, who from, base string) (*page, error) {
	p.cut()
	next, err := openPage(ctx, who, base)
	if err != nil {
		return nil, err
	}
	branches, message := len(p.rows), map[string]any{"do": "resume", "run": p.run}
	next.run, next.last, next.end = p.run, p.last, p.end
	seen := map[int]event.Seq{}
	for branch, last := range p.last {
		seen[branch] = last + 1
	}
	message["from"] = seen
	text, err := json.Marshal(message)
	if err != nil {
		return next, err
	}
	err = next.ask(ctx, string(text), func() bool { return len(next.rows) >= branches && next.whole(0) })
	next.dropped = next.refused != nil
	return next, err
}

// read receives a frame.
func (p *page) read(ctx context.Context) error {
	kind, frame, err := p.conn.Read(ctx)
	if err != nil {
		return err
	}
	if kind == websocket.MessageText {
		return p.take(frame)
	}
	branch, events, err := protocol.ParseFrame(frame, new(packed.Decoder))
	if err == nil && len(events) > 0 {
		last := events[len(events)-1]
		if p.last[branch] = last.Seq; branch == 0 {
			p.end = last.At
		}
	}
	return err
}

// take handles a text message about the run.
func (p *page) take(text []byte) error {
	m, err := protocol.ParseMessage(text)
	switch m := m.(type) {
	case *protocol.Refusal:
		p.refused = fmt.Errorf("refused: %v", m.Why)
	case *protocol.Run:
		if m.Run != p.run {
			clear(p.last)
		}
		p.run = m.Run
		clear(p.rows)
		for _, row := range m.Branches {
			p.rows[row.ID] = row
		}
	case *protocol.Branch:
		p.rows[m.ID] = m.Row
	}
	return err
}
