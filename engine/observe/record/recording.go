package record

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
)

// Recorded returns source with its log recorded, with the header h. When a segment has its share of the folder, or
// writing works again, the log ends with event.ErrLogFull, as a full one: observe into a new log, which begins with
// the current state. The folder may be nil: then nothing is recorded.
func (f *Folder) Recorded(cluster string, h event.Header, source event.Source) event.Source {
	if f == nil {
		return source
	}
	return func(ctx context.Context, sink event.Sink) error {
		inner, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		r := f.begin(cluster, h, func() { cancel(event.ErrLogFull) })
		defer r.end()
		err := source(inner, event.Tee{sink, r})
		if ctx.Err() == nil && errors.Is(context.Cause(inner), event.ErrLogFull) {
			return event.ErrLogFull
		}
		return err
	}
}

// Keep records one log after the other until ctx ends or a source returns anything but a full log, which Keep then
// returns. Each log is from a source that begin returns, with its header.
func (f *Folder) Keep(ctx context.Context, cluster string, begin func() (event.Header, event.Source)) error {
	for {
		h, source := begin()
		err := f.Recorded(cluster, h, source)(ctx, event.Tee{})
		if ctx.Err() != nil || err != nil && !errors.Is(err, event.ErrLogFull) {
			return err
		}
	}
}

// recording is a log on its way to the disk. Its goroutine writes it.
type recording struct {
	folder  *Folder
	cluster string
	header  event.Header
	anew    func() // restarts the observation with a new recording
	bell    chan struct{}

	mu      sync.Mutex
	events  []event.Event // waiting to be written
	bytes   int64         // of these
	worth   bool          // the log is worth keeping
	late    bool          // more happened than could be written: later events are dropped
	ended   bool
	file    file // from here on only for the goroutine
	buf     bytes.Buffer
	writer  *trace.Writer
	segment *Record
	failed  time.Time // when writing was given up; zero if it was not
}

func (f *Folder) begin(cluster string, h event.Header, anew func()) *recording {
	r := &recording{folder: f, cluster: cluster, header: h, anew: anew, bell: make(chan struct{}, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.ended = f.closed; !f.closed {
		f.active++
		f.writers.Go(r.run)
	}
	return r
}

// maxIdle is how many idle events make a log worth keeping all the same, because they show that a cluster was away.
const maxIdle = 10

// idle lists the kinds of events in a log that shows nothing.
var idle = []event.Kind{event.RunStarted, event.RunEnded, event.Disconnected, event.Reconnected}

// Append queues an event. It never waits for the disk.
func (r *recording) Append(e event.Event) {
	size := int64(e.Size())
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.late {
		r.folder.lose(1)
	}
	if r.ended || r.late {
		return
	}
	if !r.folder.mayWait(size) {
		r.late = true
		r.folder.lose(1)
		r.ring()
		return
	}
	r.events, r.bytes = append(r.events, e), r.bytes+size
	r.worth = r.worth || !slices.Contains(idle, e.Kind) || len(r.events) > maxIdle
	if r.bytes > maxWaiting/32 {
		r.ring()
	}
}

func (f *Folder) mayWait(size int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting+size > maxWaiting {
		return false
	}
	f.waiting += size
	return true
}

func (r *recording) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	r.ring()
}

func (r *recording) ring() {
	select {
	case r.bell <- struct{}{}:
	default:
	}
}

// news takes the queued events. A log that shows nothing keeps waiting.
func (r *recording) news() (events []event.Event, late, ended bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.worth || r.ended {
		events = r.events
		r.folder.mu.Lock()
		r.folder.waiting -= r.bytes
		r.folder.mu.Unlock()
		r.events, r.bytes = nil, 0
	}
	if !r.worth {
		events = nil
	}
	return events, r.late, r.ended
}

var errSlow = errors.New("events arrive faster than they can be written")

// run writes until the recording has ended or the folder is closed.
func (r *recording) run() {
	tick := time.NewTicker(r.folder.cfg.flush)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-r.bell:
		}
		over := r.folder.isClosed() // checked before taking the events to write
		events, late, ended := r.news()
		if r.failed.IsZero() {
			left, err := r.put(events)
			r.folder.lose(left)
			if err == nil && late {
				err = errSlow
			}
			if err != nil {
				r.giveUp(err)
			}
		} else {
			r.folder.lose(len(events))
			r.tryAgain()
		}
		if ended || over {
			r.finish()
			return
		}
	}
}

// isThere reports whether a file could not be created because it exists.
func isThere(err error) bool { return errors.Is(err, fs.ErrExist) }

func (f *Folder) isClosed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

// piece is about how many bytes of events are written at once.
const piece = 256 << 10

// put writes events and returns how many it could not write.
func (r *recording) put(events []event.Event) (left int, err error) {
	for len(events) > 0 {
		if r.segment == nil {
			if err := r.create(events[0]); err != nil {
				return len(events), err
			}
		}
		n := 0
		for size := 0; n < len(events) && size < piece; n++ {
			r.writer.Append(events[n])
			size += events[n].Size()
		}
		if err := r.write(events[n-1], n); err != nil {
			return len(events), err
		}
		events = events[n:]
	}
	return 0, nil
}

// write writes the buffer, which holds that many events up to the last one.
func (r *recording) write(last event.Event, events int) error {
	_ = r.writer.Flush() // into a buffer
	text := r.buf.Bytes()
	defer r.buf.Reset()
	f := r.folder
	if err := f.makeRoom(int64(len(text))); err != nil {
		return err
	}
	if _, err := r.file.Write(text); err != nil {
		_ = r.file.Truncate(r.segment.Bytes) // removes a partial write; otherwise the next Open does
		return err
	}
	f.mu.Lock()
	f.total += int64(len(text))
	f.totals.Events, f.totals.Written = f.totals.Events+uint64(events), f.totals.Written+uint64(len(text))
	s := r.segment
	s.Bytes += int64(len(text))
	s.Events, s.Whole = int(last.Seq), last.Kind == event.RunEnded
	s.To = s.From.Add(last.At)
	size, age := s.Bytes, f.cfg.now().Sub(s.From)
	f.mu.Unlock()
	f.well()
	if size > maxSegment || size > f.share() && age >= cutAfter {
		r.anew()
	}
	return nil
}

// create begins the segment.
func (r *recording) create(first event.Event) error {
	f := r.folder
	s := &Record{Cluster: r.cluster, Path: r.header.Root, From: began(first), Live: true}
	for number := 1; ; number++ {
		s.Name = nameOf(s.From, number, r.cluster, r.header.Root)
		file, err := f.cfg.disk.Create(s.Name)
		if err == nil {
			r.file = file
			break
		}
		if number == MaxSegments || !isThere(err) {
			return err
		}
	}
	r.segment, r.writer = s, trace.NewWriter(&r.buf, r.header)
	f.mu.Lock()
	defer f.mu.Unlock()
	at, _ := slices.BinarySearchFunc(f.segments, s, func(a, b *Record) int { return a.From.Compare(b.From) })
	f.segments = slices.Insert(f.segments, at, s)
	return nil
}

// giveUp ends the segment where it is.
func (r *recording) giveUp(why error) {
	r.failed = r.folder.cfg.now()
	r.closeFile()
	r.folder.tell(r, why)
}

// tryAgain restarts the observation once writing to the folder works.
func (r *recording) tryAgain() {
	f := r.folder
	if f.cfg.now().Sub(r.failed) < f.cfg.again {
		return
	}
	r.failed = f.cfg.now()
	if err := f.probe(); err != nil {
		f.tell(r, err)
		return
	}
	f.mu.Lock()
	delete(f.troubles, r)
	f.mu.Unlock()
	r.anew()
}

// probeName is a file written to test whether writing works.
const probeName = "record.probe"

// probe tests whether there is room for the beginning of a segment.
func (f *Folder) probe() error {
	if err := f.makeRoom(piece); err != nil {
		return err
	}
	file, err := f.cfg.disk.Create(probeName)
	if err != nil {
		if isThere(err) { // another recording is testing
			return nil
		}
		return err
	}
	_, err = file.Write(make([]byte, piece))
	err = errors.Join(err, file.Sync(), file.Close())
	return errors.Join(err, f.cfg.disk.Remove(probeName))
}

// finish ends the recording.
func (r *recording) finish() {
	r.closeFile()
	r.folder.mu.Lock()
	defer r.folder.mu.Unlock()
	r.folder.active--
	delete(r.folder.troubles, r)
}

// closeFile ends the segment, if there is one.
func (r *recording) closeFile() {
	if r.file == nil {
		return
	}
	_ = r.file.Sync() // the system may still write the rest
	_ = r.file.Close()
	r.file = nil
	f := r.folder
	if r.segment.Bytes == 0 { // nothing was written
		_ = f.cfg.disk.Remove(r.segment.Name)
		f.forget(r.segment)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	r.segment.Live = false
}
