package class

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"

	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Page is a page that is connected to a class. Until it has said whose it is, it sees nothing. Its methods may be
// called concurrently, except for News by several.
type Page struct {
	class   *Class
	address string
	name    string // in the class's Presence
	known   Known
	sits    int         // the learner that its clients are of; guarded by clients.mu
	client  []byte      // the view of the reader's client that it has
	moved   atomic.Bool // there may be another
	bell    hub.Bell

	mu     sync.Mutex
	who    Party
	orders uint64 // that it has given
}

// ErrSecret refuses a secret that isn't the class's.
var ErrSecret = sentence.Error("refused.class.secret")

// Handle carries out what a page wants. Its error is a sentence.
func (p *Page) Handle(ctx context.Context, r Request) error {
	who := p.party()
	switch r.Do {
	case Hello:
		return p.hello(r.Secret)
	case Join:
		return p.join(ctx, r)
	case IsHere:
		if who.Learner == 0 {
			return ErrNotJoined
		}
		p.follow(who, r.Follows)
		return nil
	}
	return p.class.do(ctx, p.order(r.Command))
}

// order returns a command as an order of this page.
func (p *Page) order(c Command) Order {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := Order{Command: c, Who: p.who, Address: p.address}
	if p.class.server != "" {
		p.orders++
		o.By, o.N, o.Seen = p.class.server+"-"+p.name, p.orders, p.class.room.Seen()
		_, o.Turn = p.class.room.Shown()
	}
	return o
}

func (p *Page) follow(who Party, follows bool) {
	p.class.room.Follow(p.name, who.Learner, follows)
	p.class.line.Here()
}

func (p *Page) hello(secret string) (err error) {
	p.class.Read(func(s *State) {
		if !s.IsTeacher(secret) {
			err = ErrSecret
		}
	})
	if err == nil {
		p.mu.Lock()
		p.who.Teacher = true
		p.mu.Unlock()
	}
	return err
}

func (p *Page) join(ctx context.Context, r Request) error {
	if err := p.class.do(ctx, p.order(r.Command)); err != nil {
		return err
	}
	p.mu.Lock()
	was := p.who.Learner
	p.class.Read(func(s *State) { p.who.Learner, _ = s.ByKey(r.Key) })
	who := p.who
	p.mu.Unlock()
	p.follow(who, r.Follows)
	if was != who.Learner {
		p.class.clients.sit(p, who.Learner)
	}
	return nil
}

func (p *Page) party() Party {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.who
}

// Known reports whether the page has said whose it is.
func (p *Page) Known() bool { return p.party() != Party{} }

// Ring closes the channel that Rung has returned.
func (p *Page) Ring() { p.bell.Ring() }

// Rung returns a channel that is closed when there is news for this page alone. Call it before News.
func (p *Page) Rung() <-chan struct{} { return p.bell.Next() }

// Next returns a channel that is closed when there is news. Call it before News.
func (p *Page) Next() <-chan struct{} { return p.class.room.Next() }

// News returns the views that have changed since the last call. The caller must not change them.
func (p *Page) News() [][]byte {
	who := p.party()
	if who == (Party{}) {
		return nil
	}
	views := p.class.room.News(who, &p.known)
	if !p.moved.Swap(false) {
		return views
	}
	client := p.class.clients.view(who.Learner)
	if client != nil && !bytes.Equal(client, p.client) {
		views = append(views, client)
	}
	p.client = client
	return views
}

// Leave gives the page's place back.
func (p *Page) Leave() { p.class.leave(p) }
