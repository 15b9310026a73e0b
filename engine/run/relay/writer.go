package relay

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
)

// writer packs what a Source reports, and has the blocks stored one after the other.
type writer struct {
	store func(block []byte) error
	stop  context.CancelCauseFunc // ends the Source
	max   int                     // events of the log

	mu     sync.Mutex
	moved  *sync.Cond // blocks were taken, or the end has come
	block  packed.Encoder
	blocks [][]byte
	count  int // events of the log so far
	bytes  int // and their size
	over   bool
	failed error // of store
}

func newWriter(store func([]byte) error, stop context.CancelCauseFunc, most int) *writer {
	w := &writer{store: store, stop: stop, max: most}
	w.moved = sync.NewCond(&w.mu)
	return w
}

// Append takes the Source's next event. While too much waits to be stored, the Source waits. A log that goes on at
// another server has no end of this one's.
func (w *writer) Append(e event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.blocks) >= maxBlocks && !w.over {
		w.moved.Wait()
	}
	if w.over || e.Kind == event.RunEnded {
		return
	}
	if w.count >= w.max || w.bytes >= maxBytes {
		w.over = true
		w.stop(event.ErrLogFull)
		return
	}
	if len(e.Text) > event.MaxText { // readers take no longer one
		e.Text = event.Preview([]byte(e.Text))
	}
	if w.block.Len() == 0 {
		w.block.Begin(e.Seq)
	}
	w.block.Append(e)
	w.count++
	if w.block.Full() {
		w.cut()
	}
}

// cut ends the block. Callers hold w.mu.
func (w *writer) cut() {
	if w.block.Len() > 0 {
		w.blocks = append(w.blocks, append([]byte{kindEvents}, bytes.Clone(w.block.Block())...))
		w.bytes += w.block.Size()
		w.block = packed.Encoder{}
	}
}

// run stores blocks until ctx ends, and then what is left. The Source waits for nothing any more when it returns.
func (w *writer) run(ctx context.Context) {
	defer w.close()
	flush := time.NewTicker(flushEvery)
	defer flush.Stop()
	for {
		select {
		case <-flush.C:
		case <-ctx.Done():
			w.flush()
			return
		}
		if !w.flush() {
			return
		}
	}
}

// flush stores all that there is. It reports false if that failed, which ends the Source.
func (w *writer) flush() bool {
	w.mu.Lock()
	w.cut()
	blocks := w.blocks
	w.blocks = nil
	w.moved.Broadcast()
	w.mu.Unlock()
	for _, block := range blocks {
		if err := w.store(block); err != nil {
			w.mu.Lock()
			w.failed = err
			w.mu.Unlock()
			w.stop(err)
			return false
		}
	}
	return true
}

func (w *writer) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.moved.Broadcast()
}

// err returns why blocks couldn't be stored.
func (w *writer) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}
