package across

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/run/class"
	"github.com/zkviz/zkviz/engine/run/shared"
)

// line is a class at this server.
type line struct {
	lines *Lines
	bus   *shared.Bus
	log   *shared.Log
	class *class.Class

	ctx context.Context // ends with the line
	end context.CancelFunc

	owning  sync.Mutex // held while the lease is replaced
	bell    hub.Bell   // rings when something below changes
	mu      sync.Mutex
	applied uint64        // the number of the last entry that the room has
	lease   *shared.Lease // nil unless this server owns the class
	refused chan struct{} // closed when the log refuses what it sends with that
	closed  bool
	forGood bool

	leading leading
	here    here
	clients clients
}

func newLine(l *Lines, bus *shared.Bus, log *shared.Log, c *class.Class) *line {
	one := &line{lines: l, bus: bus, log: log, class: c}
	one.ctx, one.end = context.WithCancel(l.ctx)
	one.here.heard = map[string]time.Time{}
	one.clients.of = map[int]bool{}
	return one
}

// start starts what the line does by itself.
func (l *line) start() error {
	unhear, err := l.bus.Hear(l.class.Name, l.hear)
	if err != nil {
		return err
	}
	unlisten, err := l.bus.Listen(l.class.Name, l.hearWho)
	if err != nil {
		unhear()
		return err
	}
	ok := l.lines.start(func() {
		defer l.forget()
		var all sync.WaitGroup
		for _, do := range []func(){l.read, l.own, l.watchLink, l.lead, l.settle, l.sayWho, l.tellClients} {
			all.Go(do)
		}
		all.Wait()
		unhear()
		unlisten()
	})
	if !ok {
		unhear()
		unlisten()
		return shared.ErrClosed
	}
	return nil
}

func (l *line) forget() {
	l.lines.mu.Lock()
	defer l.lines.mu.Unlock()
	delete(l.lines.open, l)
}

// Close ends the line: see class.Line.
func (l *line) Close(forGood bool) { l.close(forGood) }

func (l *line) close(forGood bool) {
	l.mu.Lock()
	l.closed, l.forGood = true, l.forGood || forGood
	l.mu.Unlock()
	l.end()
}

// state returns the lease, if this server owns the class, and how many entries the room has.
func (l *line) state() (lease *shared.Lease, applied uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lease, l.applied
}

// read brings the log into the room.
func (l *line) read() {
	err := l.log.Read(l.ctx, 1, func(n uint64, data []byte) error {
		e, err := class.ReadEntry(data)
		if err != nil { // of a later version: it counts, and changes nothing
			l.lines.log.Warn("an entry can't be read", "class", l.class.Name, "number", n)
		}
		l.apply(n, e)
		return nil
	})
	if l.ctx.Err() == nil {
		if !errors.Is(err, shared.ErrDeleted) && !errors.Is(err, shared.ErrClosed) {
			l.lines.log.Warn("a class can't be read any more", "class", l.class.Name, "error", err)
		}
		l.class.Vanish()
	}
}

// apply adds an entry to the room, unless it has it. Entries come from the log, and from Append when it has just stored
// one.
func (l *line) apply(n uint64, e class.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || n != l.applied+1 {
		return
	}
	l.applied = n
	l.class.Apply(e)
	l.bell.Ring()
}

// wait waits until something is true that the bell tells of. It is asked under l.mu.
func (l *line) wait(ctx context.Context, is func() bool) error {
	for {
		news := l.bell.Next()
		l.mu.Lock()
		ok := is()
		l.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return class.ErrAway
		case <-l.ctx.Done():
			return class.ErrAway
		}
	}
}

// begin makes the class's first entry.
func (l *line) begin(ctx context.Context, e class.Entry) error {
	if err := l.wait(ctx, func() bool { return l.lease != nil }); err != nil {
		return err
	}
	if _, applied := l.state(); applied > 0 {
		return class.ErrTaken
	}
	err := l.Append(ctx, e)
	if errors.Is(err, class.ErrBehind) {
		return class.ErrTaken
	}
	return err
}

// Append adds an entry: see class.Line.
func (l *line) Append(ctx context.Context, e class.Entry) error {
	lease, after := l.state()
	if lease == nil {
		return class.ErrAway
	}
	n, err := l.log.Append(ctx, lease.Epoch(), after, class.AppendEntry(nil, e))
	var behind shared.BehindError
	switch {
	case err == nil:
		l.apply(n, e)
		return nil
	case errors.As(err, &behind): // one whose answer was lost
		if err := l.wait(ctx, func() bool { return l.applied >= behind.Last }); err != nil {
			return err
		}
		return class.ErrBehind
	case errors.Is(err, shared.ErrNotOwner):
		l.setLease(nil, lease)
	case errors.Is(err, shared.ErrFull), errors.Is(err, shared.ErrTooLarge):
		l.lines.log.Warn("a class takes no more", "class", l.class.Name, "error", err)
		return class.ErrStored
	}
	return class.ErrAway // whether it is in the log, its reader will see
}

// watchLink tells the room whether the other servers can be reached.
func (l *line) watchLink() {
	for {
		up, changed := l.bus.Link()
		l.class.Room().SetApart(!up)
		l.bell.Ring()
		select {
		case <-changed:
		case <-l.ctx.Done():
			return
		}
	}
}
