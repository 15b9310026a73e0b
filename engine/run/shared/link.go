package shared

import (
	"context"
	"time"
)

// Connected reports whether there is a connection to NATS. The NATS inside is always connected. A connection doesn't
// prove that its NATS can store anything: a cluster may lack a leader.
func (b *Bus) Connected() bool {
	up, _ := b.Link()
	return up
}

// Link is Connected, and a channel that is closed when that may have changed.
func (b *Bus) Link() (up bool, changed <-chan struct{}) {
	up, link := b.linkNow()
	return up, link.Done()
}

// linkNow is Link, with a context that ends when it changes.
func (b *Bus) linkNow() (up bool, changed context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.conn.IsConnected(), b.link
}

// linkChanged is called a moment after it did.
func (b *Bus) linkChanged(up bool, err error) {
	b.mu.Lock()
	b.change()
	b.link, b.change = context.WithCancel(context.Background())
	b.mu.Unlock()
	switch {
	case b.ctx.Err() != nil, b.inside != nil:
	case up:
		b.log.Info("connected to NATS")
	default:
		b.log.Warn("lost the connection to NATS", "error", err)
	}
}

// pause waits, and returns why it had to stop.
func (b *Bus) pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-b.ctx.Done():
		return ErrClosed
	}
}

// both returns a context that ends with either ctx or the bus.
func (b *Bus) both(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(b.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}
