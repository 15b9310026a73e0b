package meter

import (
	"context"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
)

// Newcomers come one after the other, each from an address of its own, and each wants one thing at once: a
// lesson, the Zoo, figures, and with Live the real ZooKeeper.
type Newcomers struct {
	Base     string
	Live     bool // they look at the real ZooKeeper too
	Pause    time.Duration
	Patience time.Duration // for what each wants; longer is a refusal
	Net      int           // their addresses are 127.0.Net.1 and so on
}

// wish is what a newcomer wants.
type wish struct {
	name string
	live bool
	get  func(ctx context.Context, n *Newcomers, from client.From) error
}

var wishes = []wish{
	{"open a lesson", false, func(ctx context.Context, n *Newcomers, from client.From) error {
		return n.page(ctx, from, map[string]any{"do": "open", "lesson": "03-the-herd"}, func(s *client.State) bool { return s.Whole(0) })
	}},
	{"look at the Zoo", false, func(ctx context.Context, n *Newcomers, from client.From) error {
		return n.page(ctx, from, map[string]any{"do": "zoo", "path": PolitePath}, begun)
	}},
	{"ask for figures", false, func(ctx context.Context, n *Newcomers, from client.From) error {
		browser := from.HTTP(n.Patience)
		defer browser.CloseIdleConnections()
		return load(ctx, browser, n.Base+"/api/figures?recipe=predecessor-lock&clients=10")
	}},
	{"look at Live", true, func(ctx context.Context, n *Newcomers, from client.From) error {
		return n.page(ctx, from, map[string]any{"do": "observe", "path": "/zookeeper"}, begun)
	}},
}

// begun reports whether events have come.
func begun(s *client.State) bool { return s.Events[0] > 0 }

// Come lets newcomers come until ctx ends.
func (n *Newcomers) Come(ctx context.Context, s *Samples) {
	for i := 0; ctx.Err() == nil; i++ {
		w := wishes[i%len(wishes)]
		if w.live && !n.Live {
			continue
		}
		inner, cancel := context.WithTimeout(ctx, n.Patience)
		start := time.Now()
		err := w.get(inner, n, client.Address(n.Net, 1+i%250))
		took := time.Since(start)
		cancel()
		if err == nil {
			s.answered(took)
		} else if ctx.Err() == nil {
			s.failed(took, fmt.Errorf("%s: %w", w.name, err))
		}
		rest(ctx, n.Pause)
	}
}

func (n *Newcomers) page(ctx context.Context, from client.From, say any, served func(*client.State) bool) error {
	p, err := from.Page(ctx, n.Base, client.State{})
	if err != nil {
		return err
	}
	defer p.Cut()
	if err := p.Send(ctx, say); err != nil {
		return err
	}
	return p.Wait(ctx, served)
}
