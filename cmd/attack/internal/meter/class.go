package meter

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
)

// Class are learners behind one address. Each opens the same big recipe, takes its whole log, does a fault now and
// then, and comes back after it was cut. A run that the server has dropped meanwhile is opened anew, as our pages do.
type Class struct {
	From     client.From
	Base     string        // the server's pages
	Learners int           // how many
	Clients  int           // of the recipe that each opens
	Pause    time.Duration // between two things that one does
	Patience time.Duration // for each of them; longer counts as not served

	mu      sync.Mutex
	steps   map[int]int // by learner, what it got since the last Take
	bad     map[int]error
	started map[int]bool // who has had its run once
	again   int          // runs that were opened anew, since the last Take
}

// ClassWindow is what the learners got from one Take to the next.
type ClassWindow struct {
	Served   int      // learners that got all that they asked for, and something
	Waiting  int      // learners that were not refused, and have got nothing yet
	Unserved []string // the others, with the reason
	Steps    int      // things that were done for them
	Again    int      // runs that the server had dropped, and that were opened anew
}

const recipe = "children-lock"

// faultEvery is how many things a learner does for one fault.
const faultEvery = 4

// Attend lets the learners learn until ctx ends.
func (c *Class) Attend(ctx context.Context) {
	c.mu.Lock()
	c.steps, c.bad, c.started = map[int]int{}, map[int]error{}, map[int]bool{}
	c.mu.Unlock()
	var all sync.WaitGroup
	for i := range c.Learners {
		all.Go(func() {
			rest(ctx, c.Pause*time.Duration(i)/time.Duration(c.Learners)) // not all at once
			for ctx.Err() == nil {
				if err := c.learn(ctx, i); err != nil && ctx.Err() == nil {
					c.failed(i, err)
					rest(ctx, c.Pause)
				}
			}
		})
	}
	all.Wait()
}

// Take says what the learners got since the last call.
func (c *Class) Take() ClassWindow {
	c.mu.Lock()
	defer c.mu.Unlock()
	var w ClassWindow
	for i := range c.Learners {
		w.Steps += c.steps[i]
		switch {
		case c.bad[i] != nil:
			w.Unserved = append(w.Unserved, fmt.Sprintf("learner %d: %v", i+1, c.bad[i]))
		case c.steps[i] == 0:
			w.Waiting++
		default:
			w.Served++
		}
	}
	w.Again = c.again
	c.steps, c.bad, c.again = map[int]int{}, map[int]error{}, 0
	return w
}

// Started is how many learners have had their run once.
func (c *Class) Started() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.started)
}

func (c *Class) served(i int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.steps[i]++
	c.started[i] = true
}

func (c *Class) failed(i int, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bad[i] == nil {
		c.bad[i] = why
	}
}

// learn is one learner with one run, until something goes wrong.
func (c *Class) learn(ctx context.Context, i int) error {
	var p *client.Page
	err := c.within(ctx, func(ctx context.Context) (err error) {
		if p, err = c.From.Page(ctx, c.Base, client.State{}); err != nil {
			return err
		}
		return c.open(ctx, p)
	})
	defer func() {
		if p != nil {
			_ = p.Cut()
		}
	}()
	if err != nil {
		return fmt.Errorf("open %s: %w", recipe, err)
	}
	for n := 1; ctx.Err() == nil; n++ {
		c.served(i)
		rest(ctx, c.Pause)
		if n%faultEvery == 0 {
			err = c.within(ctx, func(ctx context.Context) error { return c.fault(ctx, p, n) })
		} else {
			err = c.within(ctx, func(ctx context.Context) (err error) {
				p, err = c.resume(ctx, p)
				return err
			})
		}
		if errors.Is(err, client.ErrDropped) {
			c.mu.Lock()
			c.again++
			c.mu.Unlock()
			err = c.within(ctx, func(ctx context.Context) error { return c.open(ctx, p) })
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// open asks for the run and takes its log.
func (c *Class) open(ctx context.Context, p *client.Page) error {
	if err := p.Open(ctx, recipe, c.Clients); err != nil {
		return err
	}
	return p.Wait(ctx, func(s *client.State) bool { return s.Whole(0) })
}

func (c *Class) within(ctx context.Context, do func(context.Context) error) error {
	inner, cancel := context.WithTimeout(ctx, c.Patience)
	defer cancel()
	err := do(inner)
	if err != nil && errors.Is(inner.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it took longer than %v: %w", c.Patience, err)
	}
	return err
}

// fault has the last client pause near the end of the run, at another moment each time, and takes the new branch.
func (c *Class) fault(ctx context.Context, p *client.Page, n int) error {
	branches, end := 0, time.Duration(0)
	if err := p.Wait(ctx, func(s *client.State) bool { branches, end = s.Branches(), s.End; return true }); err != nil {
		return err
	}
	at := (end - end/20 - time.Duration(n)*time.Millisecond).Truncate(time.Millisecond)
	text := fmt.Sprintf("pause client-%d at %v for 1s", c.Clients, at)
	if err := p.Send(ctx, map[string]any{"do": "fault", "branch": 0, "fault": text}); err != nil {
		return fmt.Errorf("do a fault: %w", err)
	}
	if err := p.Wait(ctx, func(s *client.State) bool { return s.Branches() > branches && s.Whole(branches) }); err != nil {
		return fmt.Errorf("do a fault: %w", err)
	}
	return nil
}

// resume is cut and takes its run up again, with all that it had.
func (c *Class) resume(ctx context.Context, p *client.Page) (*client.Page, error) {
	before := p.Cut()
	had := before.Branches()
	p, err := c.From.Page(ctx, c.Base, before)
	if err != nil {
		return nil, fmt.Errorf("come back: %w", err)
	}
	if err := p.Resume(ctx); err != nil {
		return p, fmt.Errorf("come back: %w", err)
	}
	err = p.Wait(ctx, func(s *client.State) bool { return s.Branches() >= had && s.Whole(0) })
	if err != nil {
		return p, fmt.Errorf("come back: %w", err)
	}
	return p, nil
}
