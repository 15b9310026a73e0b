package across

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/run/class"
)

// leading is where teachers want the class to be.
type leading struct {
	bell hub.Bell // rings when there is an order

	mu    sync.Mutex
	order *class.Order // the latest that the owner hasn't got

	showing sync.Mutex // one place after the other gets a turn
	rest    hub.Bell   // rings when the owner has shown one, and when there is another owner
}

// told is what an owner tells all servers: where the teacher is, or how a client is.
type told struct {
	Turn   uint64      `json:"turn,omitempty"` // 0 if it isn't about that
	By     string      `json:"by,omitempty"`   // the page that has led there
	Place  class.Place `json:"place"`
	Client *client     `json:"client,omitempty"`
}

// Lead has the owner show where a teacher is: see class.Line.
func (l *line) Lead(_ context.Context, o class.Order) error {
	l.leading.mu.Lock()
	l.leading.order = &o
	l.leading.mu.Unlock()
	l.leading.bell.Ring()
	return nil
}

// lead gives the owner the latest place again and again, until it has that or a later one.
func (l *line) lead() {
	for l.ctx.Err() == nil {
		news, changes := l.leading.bell.Next(), l.bell.Next()
		l.leading.mu.Lock()
		o := l.leading.order
		l.leading.mu.Unlock()
		if o == nil {
			select {
			case <-news:
			case <-l.ctx.Done():
			}
			continue
		}
		if errIsAway(l.try(l.ctx, *o)) {
			l.pause(l.ctx, changes)
			continue
		}
		l.leading.mu.Lock()
		if l.leading.order == o {
			l.leading.order = nil
		}
		l.leading.mu.Unlock()
	}
}

// show shows everybody where a teacher is, at the owner.
func (l *line) show(o class.Order) error {
	if err := l.class.Check(o); err != nil {
		return err
	}
	lease, _ := l.state()
	if lease == nil {
		return class.ErrAway
	}
	l.leading.showing.Lock()
	defer l.leading.showing.Unlock()
	at, turn := l.class.Room().Shown()
	if *o.Place == at || l.class.Room().IsOvertaken(o) {
		return nil
	}
	turn = max(turn, lease.Epoch()<<turnBits) + 1
	if lease.Tell(encode(told{Turn: turn, By: o.By, Place: *o.Place})) != nil {
		return class.ErrAway
	}
	l.class.Room().Show(turn, o.By, *o.Place)
	l.leading.rest.Ring()
	return nil
}

// hear takes what the owner tells.
func (l *line) hear(data []byte) {
	var t told
	if json.Unmarshal(data, &t) != nil {
		return
	}
	if t.Turn > 0 {
		l.class.Room().Show(t.Turn, t.By, t.Place)
	}
	if t.Client != nil {
		l.class.Told(t.Client.Learner, t.Client.View)
	}
}

// settle puts where the teacher is into the log, at the owner: at once after a rest, and then every LeadEvery. A new
// owner does it too, since the old one may not have come to it.
func (l *line) settle() {
	for l.ctx.Err() == nil {
		shown := l.leading.rest.Next()
		if lease, _ := l.state(); lease != nil {
			if errIsAway(l.class.Settle(l.ctx, l.Append)) {
				hub.Pause(l.ctx, againEvery)
				continue
			}
			hub.Pause(l.ctx, LeadEvery)
		}
		select {
		case <-shown:
		case <-l.ctx.Done():
		}
	}
}

func errIsAway(err error) bool { return errors.Is(err, class.ErrAway) }
