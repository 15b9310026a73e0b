package across

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/run/class"
	"github.com/zkviz/zkviz/engine/run/shared"
)

// Config says over which NATS.
type Config struct {
	// Shared is the NATS. Without a URL and without a folder, one that forgets everything is started inside when the first
	// class begins. If that can't be, classes are in this process's memory alone.
	Shared shared.Config
	// Within is how long an order may take until it is refused with class.ErrAway; Within if zero.
	Within time.Duration
}

// Lines connects the classes of this server with the same ones at others. It implements class.Lines, and is safe for
// concurrent use.
type Lines struct {
	cfg    Config
	log    *slog.Logger
	server string

	ctx   context.Context // ends with Close
	end   context.CancelFunc
	tasks sync.WaitGroup

	mu     sync.Mutex // also while a NATS inside starts
	bus    *shared.Bus
	failed bool // there is no NATS inside, and no other is wanted
	open   map[*line]bool
}

// New returns the lines of a server. It waits for a NATS inside, if that has a folder, and for none that is elsewhere:
// until that can be reached, classes are class.ErrAway. Close must be called at the end, after the hall's.
func New(cfg Config) (*Lines, error) {
	cfg.Within = cmp.Or(cfg.Within, Within)
	l := &Lines{cfg: cfg, log: cfg.Shared.Log, open: map[*line]bool{}}
	l.server = strings.ToLower(rand.Text()[:serverLetters])
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	l.ctx, l.end = context.WithCancel(context.Background())
	switch {
	case cfg.Shared.URL != "":
		if err := cfg.Shared.Validate(); err != nil {
			return nil, err
		}
		l.tasks.Go(l.connect)
	case cfg.Shared.Dir != "":
		var err error
		if l.bus, err = shared.Open(l.ctx, cfg.Shared); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// start starts what Close waits for. It reports false if Close has begun.
func (l *Lines) start(do func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() != nil {
		return false
	}
	l.tasks.Go(do)
	return true
}

// connect opens a NATS elsewhere, as soon as it can be reached.
func (l *Lines) connect() {
	bus, err := shared.Open(l.ctx, l.cfg.Shared)
	if err != nil {
		if l.ctx.Err() == nil {
			l.log.Error("no class can begin or be found", "error", err)
		}
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bus = bus
}

// Server returns this server's name.
func (l *Lines) Server() string { return l.server }

// Linked reports whether the other servers can be reached, as far as is known. A server without others is linked.
func (l *Lines) Linked() bool {
	if l.cfg.Shared.URL == "" {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bus != nil && l.bus.Connected()
}

// Bus returns the NATS, nil as long as it couldn't be reached.
func (l *Lines) Bus() *shared.Bus {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bus
}

// Among reports whether there may be other servers.
func (l *Lines) Among() bool { return l.cfg.Shared.URL != "" }

// Stats returns how many classes this server owns, and how many it passes on to others.
func (l *Lines) Stats() (owned, relayed int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for one := range l.open {
		if lease, _ := one.state(); lease != nil {
			owned++
		} else {
			relayed++
		}
	}
	return owned, relayed
}

// Close ends all lines, so that others can take the classes at once.
func (l *Lines) Close() {
	l.mu.Lock()
	for one := range l.open {
		one.close(false)
	}
	l.end()
	l.mu.Unlock()
	l.tasks.Wait()
	if l.bus != nil {
		l.bus.Close()
	}
}

// busFor returns the bus, which it opens for a new class if it is one inside.
func (l *Lines) busFor(isNew bool) (*shared.Bus, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.ctx.Err() != nil:
		return nil, class.ErrAway
	case l.bus != nil:
		return l.bus, nil
	case l.cfg.Shared.URL != "":
		return nil, class.ErrAway
	case !isNew || l.failed:
		return nil, class.ErrAlone
	}
	var err error
	if l.bus, err = shared.Open(l.ctx, l.cfg.Shared); err != nil {
		l.failed = true
		l.log.Warn("classes are only in memory", "error", err)
		return nil, class.ErrAlone
	}
	return l.bus, nil
}

// Open connects a class: see class.Lines.
func (l *Lines) Open(ctx context.Context, c *class.Class, begin *class.Entry) (class.Line, error) {
	bus, err := l.busFor(begin != nil)
	if err != nil {
		return nil, err
	}
	log, err := bus.Log(c.Name)
	if err != nil {
		return nil, err
	}
	last, err := log.Last(ctx)
	deleted := errors.Is(err, shared.ErrDeleted)
	switch {
	case begin != nil && (deleted || last > 0):
		return nil, class.ErrTaken
	case deleted, err == nil && begin == nil && last == 0:
		return nil, class.ErrNone
	case err != nil:
		l.log.Warn("a class can't be looked up", "class", c.Name, "error", err)
		return nil, class.ErrAway
	}
	one := newLine(l, bus, log, c)
	if err := one.start(); err != nil {
		return nil, class.ErrAway
	}
	l.mu.Lock()
	l.open[one] = true
	l.mu.Unlock()
	if begin != nil {
		err = one.begin(ctx, *begin)
	} else {
		err = one.wait(ctx, func() bool { return one.applied >= last })
	}
	if err != nil {
		one.close(false)
		return nil, err
	}
	return one, nil
}
