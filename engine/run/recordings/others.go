package recordings

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/run/shared"
)

// sayName is the name under which servers say that they are there.
const sayName = "recordings"

// saying is what a server says of itself.
type saying struct {
	Folder string `json:"folder,omitempty"` // its own, if it records
	Asks   bool   `json:"asks,omitempty"`   // all others should say so, too
	Gone   bool   `json:"gone,omitempty"`   // the folder is
}

// nameOf returns the name that a folder's server owns.
func nameOf(folder string) string { return "recordings-" + folder }

// Run tells other servers of this one's recordings, answers them, and hears of theirs, until ctx ends.
func (s *Shelf) Run(ctx context.Context) {
	if !s.Shares() {
		return
	}
	bus := s.cfg.Bus()
	for ; bus == nil; bus = s.cfg.Bus() {
		if !hub.Pause(ctx, againEvery) {
			return
		}
	}
	asked := make(chan struct{}, 1)
	for {
		stop, err := bus.Listen(sayName, func(data []byte) { s.hear(data, asked) })
		if err == nil {
			defer stop()
			break
		}
		if !hub.Pause(ctx, againEvery) {
			return
		}
	}
	var all sync.WaitGroup
	defer all.Wait()
	if s.cfg.Folder != nil {
		all.Go(func() { s.answer(ctx, bus) })
	}
	s.say(ctx, bus, asked)
}

// say says every SayEvery that this server is there, and when another asks. What can't be sent is said again.
func (s *Shelf) say(ctx context.Context, bus *shared.Bus, asked <-chan struct{}) {
	tick := time.NewTicker(SayEvery)
	defer tick.Stop()
	for first := true; ; {
		m := saying{Asks: first}
		if s.cfg.Folder != nil {
			m.Folder = s.cfg.Folder.ID()
		}
		if m != (saying{}) && bus.Say(sayName, encode(m)) == nil {
			first = false
		}
		select {
		case <-tick.C:
		case <-asked:
		case <-ctx.Done():
			if m.Folder != "" {
				_ = bus.Say(sayName, encode(saying{Folder: m.Folder, Gone: true})) // or others notice after a while
			}
			return
		}
	}
}

// hear takes what a server says.
func (s *Shelf) hear(data []byte, asked chan<- struct{}) {
	var m saying
	if json.Unmarshal(data, &m) != nil {
		return
	}
	if m.Asks {
		select {
		case asked <- struct{}{}:
		default:
		}
	}
	if !record.IsID(m.Folder) || s.cfg.Folder != nil && m.Folder == s.cfg.Folder.ID() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.heard[m.Folder]; m.Gone {
		delete(s.heard, m.Folder)
	} else if known || len(s.heard) < MaxFolders {
		s.heard[m.Folder] = time.Now()
	}
}

// others returns the folders that were heard of lately.
func (s *Shelf) others() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.heard, func(_ string, at time.Time) bool { return time.Since(at) > forgetAfter })
	return slices.Sorted(maps.Keys(s.heard))
}

// findElsewhere asks all other servers at once.
func (s *Shelf) findElsewhere(ctx context.Context, q Query) (f Found) {
	ctx, cancel := context.WithTimeout(ctx, findWithin)
	defer cancel()
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, folder := range s.others() {
		all.Go(func() {
			rows, number, err := s.ask(ctx, folder, q)
			mu.Lock()
			defer mu.Unlock()
			f.Rows, f.All = append(f.Rows, rows...), f.All+number
			if err != nil {
				f.Silent++
			}
		})
	}
	all.Wait()
	return f
}

// answer owns the folder's name, again and again, and answers those who ask.
func (s *Shelf) answer(ctx context.Context, bus *shared.Bus) {
	for ctx.Err() == nil {
		lease, err := bus.Own(ctx, nameOf(s.cfg.Folder.ID()))
		if err != nil {
			if errors.Is(err, shared.ErrClosed) {
				return
			}
			hub.Pause(ctx, againEvery)
			continue
		}
		if err = lease.Answer(func(_ context.Context, data []byte) []byte { return s.reply(data) }); err == nil {
			select {
			case <-lease.Lost():
			case <-ctx.Done():
			}
		}
		release(lease)
	}
}

func release(l *shared.Lease) {
	ctx, cancel := context.WithTimeout(context.Background(), findWithin)
	defer cancel()
	l.Release(ctx)
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it has no value that JSON lacks
	}
	return text
}
