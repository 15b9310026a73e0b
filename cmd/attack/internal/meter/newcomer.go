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

// request is what a newcomer wants; i is the newcomer's number.
type request struct {
	name string
	get  func(ctx context.Context, n *Newcomers, i int) error
}

// requests are what newcomers want in turn.
var requests = []request{
	{"open a lesson", func(ctx context.Context, n *Newcomers, i int) error {
		return n.page(ctx, i, map[string]any{"do": "open", "lesson": "03-the-herd"},
			func(s *client.State) bool { return s.Whole(0) })
	}},
	{"look at the Zoo", func(ctx context.Context, n *Newcomers, i int) error {
		return n.page(ctx, i, map[string]any{"do": "zoo", "path": n.subtree(i)}, begun)
	}},
	{"ask for figures", func(ctx context.Context, n *Newcomers, i int) error {
		browser := n.address(i).HTTP(n.Patience)
		defer browser.CloseIdleConnections()
		return load(ctx, browser, n.Base+"/api/figures?recipe=predecessor-lock&clients=10")
	}},
}

// live is what every other newcomer wants when all look at the real ZooKeeper too.
var live = request{"look at Live", func(ctx context.Context, n *Newcomers, i int) error {
	return n.page(ctx, i, map[string]any{"do": "observe", "path": n.subtree(i)}, begun)
}}

// addresses is how many addresses newcomers have.
const addresses = 250

func (n *Newcomers) address(i int) client.From { return client.Address(n.Net, 1+i%addresses) }

// subtree is a path that nobody has looked at lately.
func (n *Newcomers) subtree(i int) string {
	return fmt.Sprintf("%s/newcomer-%d", PolitePath, i%addresses)
}

// begun reports whether events have come.
func begun(s *client.State) bool { return s.Events[0] > 0 }

// Come lets newcomers come until ctx ends.
func (n *Newcomers) Come(ctx context.Context, s *Samples) {
	for i := 0; ctx.Err() == nil; i++ {
		w := requests[i%len(requests)]
		if n.Live && i%2 == 0 {
			w = live
		}
		inner, cancel := context.WithTimeout(ctx, n.Patience)
		start := time.Now()
		err := w.get(inner, n, i)
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

// page opens a newcomer's page, asks for something, and waits until it was served.
func (n *Newcomers) page(ctx context.Context, i int, say any, served func(*client.State) bool) error {
	p, err := n.address(i).Page(ctx, n.Base, client.State{})
	if err != nil {
		return err
	}
	defer p.Cut()
	if err := p.Send(ctx, say); err != nil {
		return err
	}
	return p.Wait(ctx, served)
}
