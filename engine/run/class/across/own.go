package across

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/class"
	"github.com/zkviz/zkviz/engine/run/shared"
)

// own waits until this server owns the class, again and again.
func (l *line) own() {
	for l.ctx.Err() == nil {
		lease, err := l.bus.Own(l.ctx, l.class.Name)
		if err != nil {
			if errors.Is(err, shared.ErrClosed) {
				return
			}
			hub.Pause(l.ctx, againEvery)
			continue
		}
		l.hold(lease)
	}
}

// hold owns the class until the lease is over, or the line is.
func (l *line) hold(lease *shared.Lease) {
	last, err := l.log.Take(l.ctx, lease.Epoch())
	if err == nil {
		err = l.wait(l.ctx, func() bool { return l.applied >= last })
	}
	if err == nil {
		refused := l.setLease(lease, nil)
		err = lease.Answer(l.answer)
		if err == nil {
			select {
			case <-lease.Lost():
			case <-refused:
			case <-l.ctx.Done():
			}
		}
	}
	l.giveUp(lease)
	if errors.Is(err, shared.ErrDeleted) {
		l.class.Vanish()
		<-l.ctx.Done()
	}
}

// setLease replaces a lease by another. It returns a channel that is closed when the new one is replaced.
func (l *line) setLease(lease, before *shared.Lease) (refused <-chan struct{}) {
	l.owning.Lock() // the class hears of one after the other
	defer l.owning.Unlock()
	l.mu.Lock()
	if l.lease != before {
		l.mu.Unlock()
		return nil
	}
	if l.refused != nil {
		close(l.refused)
		l.refused = nil
	}
	if l.lease = lease; lease != nil {
		l.refused = make(chan struct{})
	}
	refused = l.refused
	l.mu.Unlock()
	l.class.Own(lease != nil)
	l.bell.Ring()
	l.leading.rest.Ring()
	l.here.bell.Ring()
	return refused
}

// giveUp lets another server have the class, with all that this one knows.
func (l *line) giveUp(lease *shared.Lease) {
	ctx, cancel := context.WithTimeout(context.Background(), settleFor)
	defer cancel()
	l.mu.Lock()
	forGood, decides := l.forGood, l.lease == lease && l.closed
	l.mu.Unlock()
	switch {
	case decides && forGood:
		_ = l.log.Delete(ctx, lease.Epoch()) // if that fails, NATS drops it some time later
	case decides:
		_ = l.class.Settle(ctx, l.Append) // others have been shown it
	}
	l.setLease(nil, lease)
	lease.Release(ctx)
}

// What an owner answers.
type decision struct {
	N   uint64 `json:"n"`             // the log's last entry that the owner had then
	Why string `json:"why,omitempty"` // why not, as below; empty if it is done
	// Say is why a client wasn't moved.
	Say *sentence.Sentence `json:"say,omitempty"`
}

const (
	whyRefused = "refused" // the class's state says so, with N entries
	whyAddress = "address"
	whyFull    = "full"
	whyAway    = "away" // nobody knows
	whyMove    = "move" // Say says so
)

// answer decides about an order from another server.
func (l *line) answer(ctx context.Context, data []byte) []byte {
	ctx, cancel := context.WithTimeout(ctx, decideFor)
	defer cancel()
	var o class.Order
	err := json.Unmarshal(data, &o)
	if err == nil {
		err = l.decide(ctx, o)
	}
	_, n := l.state()
	d := decision{N: n}
	switch {
	case err == nil:
	case errors.Is(err, class.ErrAway):
		d.Why = whyAway
	case errors.Is(err, class.ErrFullAddress):
		d.Why = whyAddress
	case errors.Is(err, class.ErrStored):
		d.Why = whyFull
	case class.IsMove(o.Do):
		say := sentence.From(err)
		d.Why, d.Say = whyMove, &say
	default:
		d.Why = whyRefused
	}
	return encode(d)
}

// decide carries out an order at the owner.
func (l *line) decide(ctx context.Context, o class.Order) error {
	switch {
	case o.Do == class.Lead:
		return l.show(o)
	case class.IsMove(o.Do):
		return l.class.Move(o)
	}
	return l.class.Decide(ctx, o, l.Append)
}

// refusals bounds how often an order is given again that the owner refuses, and this server wouldn't.
const refusals = 3

// Do has an order carried out: see class.Line.
func (l *line) Do(ctx context.Context, o class.Order) error {
	ctx, cancel := context.WithTimeout(ctx, l.lines.cfg.Within)
	defer cancel()
	for refused := 0; refused < refusals; {
		news := l.bell.Next()
		o.Seen = l.class.Room().Seen()
		err := l.try(ctx, o)
		switch {
		case errors.Is(err, errRefused):
			if err := l.class.Check(o); err != nil {
				return err
			}
			refused++
		case !errors.Is(err, class.ErrAway):
			return err
		}
		if !l.pause(ctx, news) {
			return class.ErrAway
		}
	}
	return class.ErrAway
}

// errRefused says that the class's state forbids an order. Which words that takes, the state here says.
var errRefused = errors.New("refused by the owner")

// try has an order carried out once. It returns class.ErrAway if nobody knows whether it was.
func (l *line) try(ctx context.Context, o class.Order) error {
	if lease, _ := l.state(); lease != nil && lease.Held() {
		return l.decide(ctx, o)
	}
	asking, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	text, err := l.bus.Ask(asking, l.class.Name, encode(o))
	var d decision
	if err != nil || json.Unmarshal(text, &d) != nil {
		return class.ErrAway
	}
	if err := l.wait(ctx, func() bool { return l.applied >= d.N }); err != nil {
		return err
	}
	switch d.Why {
	case "":
		return nil
	case whyAddress:
		return class.ErrFullAddress
	case whyFull:
		return class.ErrStored
	case whyMove:
		if d.Say != nil {
			return sentence.Error(d.Say.Key, d.Say.Args...)
		}
	case whyRefused:
		return errRefused
	}
	return class.ErrAway
}

// pause waits a moment, or for news. It reports false if ctx has ended, or the line.
func (l *line) pause(ctx context.Context, news <-chan struct{}) bool {
	moment, cancel := context.WithTimeout(ctx, againEvery)
	defer cancel()
	select {
	case <-news:
	case <-moment.Done():
	case <-l.ctx.Done():
	}
	return ctx.Err() == nil && l.ctx.Err() == nil
}
