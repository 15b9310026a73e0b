package shared

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Lease says that this process owns a name, for as long as it renews it.
type Lease struct {
	bus   *Bus
	name  string
	id    string
	epoch uint64

	// ctx ends when the lease does.
	ctx   context.Context
	end   context.CancelFunc
	tasks sync.WaitGroup

	revision uint64 // of the key's value, for renew alone

	mu    sync.Mutex
	sent  instant // when the last value that was stored was sent
	timer *time.Timer
}

// holding is what an append must show.
type holding struct {
	name  string
	epoch uint64
}

// lease starts to renew what a candidate has got.
func (b *Bus) lease(c candidate, epoch, revision uint64, sent instant) *Lease {
	l := &Lease{bus: b, name: c.name, id: c.id, epoch: epoch, revision: revision, sent: sent}
	l.ctx, l.end = context.WithCancel(b.ctx)
	l.mu.Lock() // the timer may be due at once
	l.timer = time.AfterFunc(believed(b.leaseFor)-now().since(sent), func() { l.Held() })
	l.mu.Unlock()
	b.mu.Lock()
	b.leases[holding{c.name, epoch}] = l
	b.mu.Unlock()
	if !l.start(l.renew) {
		l.lose()
	}
	return l
}

// owns reports whether this process owns a name with an epoch.
func (b *Bus) owns(name string, epoch uint64) bool {
	b.mu.Lock()
	l := b.leases[holding{name, epoch}]
	b.mu.Unlock()
	return l != nil && l.Held()
}

// Name returns the name that the lease is for.
func (l *Lease) Name() string { return l.name }

// Epoch returns the lease's number. Every later owner of any name has a higher one.
func (l *Lease) Epoch() uint64 { return l.epoch }

// Lost returns a channel that is closed when the lease is over, or when that can't be ruled out. In a process that was
// stopped it closes a moment late; Held doesn't err.
func (l *Lease) Lost() <-chan struct{} { return l.ctx.Done() }

// Held looks at the clock, and reports whether the lease still stands. Once it doesn't, it never will again.
func (l *Lease) Held() bool {
	l.mu.Lock()
	held := l.ctx.Err() == nil && now().holds(l.sent, l.bus.leaseFor)
	l.mu.Unlock()
	if !held {
		l.lose()
	}
	return held
}

func (l *Lease) lose() {
	l.end()
	l.mu.Lock()
	l.timer.Stop()
	l.mu.Unlock()
	l.bus.mu.Lock()
	delete(l.bus.leases, holding{l.name, l.epoch})
	l.bus.mu.Unlock()
}

// Release gives the name up, so that another can take it at once, and waits for the function that Answer was given. It
// can be called more than once. If ctx ends, the lease ends by itself within LeaseFor.
func (l *Lease) Release(ctx context.Context) {
	held := l.Held()
	l.lose()
	l.tasks.Wait()
	if held {
		ctx, cancel := context.WithTimeout(ctx, answerOfNATS)
		defer cancel()
		_ = l.bus.owners.Delete(ctx, l.name, jetstream.LastRevision(l.revision)) // if it fails, the key expires
	}
}

// start runs do in a goroutine that Release and Bus.Close wait for.
func (l *Lease) start(do func()) bool {
	l.tasks.Add(1)
	ok := l.bus.start(func() {
		defer l.tasks.Done()
		do()
	})
	if !ok {
		l.tasks.Done()
	}
	return ok
}

// renew replaces the key's value again and again, until the lease ends.
func (l *Lease) renew() {
	for l.bus.pause(l.ctx, renewal(l.bus.leaseFor)) == nil {
		for l.Held() && !l.replace() {
			_ = l.bus.pause(l.ctx, retryEvery)
		}
	}
}

// replace tries to replace the key's value, and reports whether that was done or is no use.
func (l *Lease) replace() bool {
	ctx, cancel := context.WithTimeout(l.ctx, min(renewal(l.bus.leaseFor), answerOfNATS))
	defer cancel()
	sent := now()
	revision, err := l.bus.owners.Update(ctx, l.name, []byte(l.id), l.revision)
	switch outcomeOf(err) {
	case stored:
		l.revision = revision
		l.mu.Lock()
		l.sent = sent
		l.timer.Reset(believed(l.bus.leaseFor) - now().since(sent))
		l.mu.Unlock()
		return true
	case moved:
		// Perhaps by an earlier try whose answer was lost.
		e, err := l.bus.owners.Get(ctx, l.name)
		if err == nil && string(e.Value()) == l.id {
			l.revision = e.Revision()
			return false
		}
		if outcomeOf(err) == unknown && !isGone(err) {
			return false
		}
		l.lose()
		return true
	}
	return false
}
