package realtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
)

// nodes are the nodes of a run, each with its shadow state.
type nodes struct {
	w       *World
	ctx     context.Context
	list    []real.Node
	shadows []remote.Shadow
	conns   int // so far
	begun   int // the nodes at which the run has begun
}

func newNodes(ctx context.Context, w *World) *nodes {
	n := &nodes{w: w, ctx: ctx, list: w.cfg.Nodes}
	for i, node := range n.list {
		n.shadows = append(n.shadows, node.Shadow(event.Node(i+1), w.Emit))
	}
	return n
}

// Reach begins the run at each node, so that errors show before it starts. The lock is not held.
func (w *World) Reach() error {
	for _, node := range w.nodes.list {
		if err := node.Begin(w.nodes.ctx, w.cfg.Root); err != nil {
			return err
		}
		w.nodes.begun++
	}
	return nil
}

// connect opens a connection from each process to each node, for its program to use later. The lock is not held.
func (w *World) connect() error {
	for _, t := range w.threads {
		for _, node := range w.nodes.list {
			wire, err := node.Dial(w.nodes.ctx, t.dial)
			if err != nil {
				return err
			}
			t.preopened = append(t.preopened, wire)
		}
	}
	return nil
}

// keepMarks renews the marks of the run until it is over. The lock is not held.
func (n *nodes) keepMarks() {
	every := time.NewTicker(real.MarkLasts / 4)
	defer every.Stop()
	for {
		select {
		case <-n.w.over:
			return
		case <-every.C:
		}
		for _, node := range n.list {
			_ = node.Begin(n.ctx, n.w.cfg.Root) // a node that can't be reached now may be back before the mark expires
		}
	}
}

// tick reports what has expired by now.
func (n *nodes) tick() {
	for _, x := range n.shadows {
		x.Tick(n.w.Now())
	}
}

// ends reports whether something at the nodes will expire that no client keeps alive for which lives is true.
func (n *nodes) ends(lives func(event.Actor) bool) bool {
	return slices.ContainsFunc(n.shadows, func(w remote.Shadow) bool { return w.Ends(lives) })
}

// removeTimeout is the limit for removing what is left, even if the run was stopped.
const removeTimeout = 10 * time.Second

// Remove removes what the run left at the nodes, after everything else has ended. The lock is not held.
func (w *World) Remove() error {
	for _, t := range w.threads {
		t.closePreopened()
		t.gate.Release()
	}
	ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
	defer cancel()
	var all error
	for i, node := range w.nodes.list[:w.nodes.begun] {
		if err := node.Remove(ctx, w.cfg.Root, w.nodes.shadows[i].Left()); err != nil {
			all = errors.Join(all, fmt.Errorf("remove what the run has left: %w", err))
		}
	}
	return all
}
