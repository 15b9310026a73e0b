// Package record keeps logs of what is observed in a folder, as trace files, while it is observed.
//
// Each log is a file of its own, a segment, that every reader of traces opens. A folder has a largest size: the oldest
// segments go. It is written beside the observation, which it never holds up: where the disk is full, or slower than
// what happens, a segment ends without the end of its log, and another begins once there is room. It knows no cluster
// and no tap, and sets no clock; cmd/viz-server and its web call it.
package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/atomicfile"
)

// Limits of a folder.
const (
	// MinBytes is the least that a folder may be given.
	MinBytes = 64 << 20
	// MaxSegments is how many segments it has at most, however small they are.
	MaxSegments = 10_000
	// maxSegment is when a segment ends, in bytes, so that a page can still open it.
	maxSegment = 48 << 20
	// maxWaiting is how many bytes of events may wait to be written, of all recordings together.
	maxWaiting = 32 << 20
)

// Times.
const (
	flushEvery = time.Second
	// againEvery is the pause before a folder that could not be written is tried again.
	againEvery = 30 * time.Second
	// cutAfter is how old a segment is, at least, that ends since it has its share of the folder.
	cutAfter = time.Minute
	// closeWithin is how long Close waits for what is still to be written.
	closeWithin = 5 * time.Second
)

// Config says where to record.
type Config struct {
	Dir string // it is made if it is not there
	Max int64  // bytes of all segments, MinBytes at least
	// Tell, unless it is nil, is told why something is not recorded, and nil when that is over.
	Tell func(why error)

	disk         disk          // stands in for the real one
	flush, again time.Duration // and for flushEvery and againEvery
	now          func() time.Time
}

// Validate says what cannot be meant.
func (c Config) Validate() error {
	if c.Max < MinBytes {
		return fmt.Errorf("%d bytes are too few to record into; the least is %d", c.Max, int64(MinBytes))
	}
	return nil
}

func (c Config) withDefaults() Config {
	if c.disk == nil {
		c.disk = folder{c.Dir}
	}
	c.flush, c.again = cmp.Or(c.flush, flushEvery), cmp.Or(c.again, againEvery)
	if c.now == nil {
		c.now = time.Now
	}
	return c
}

// Record is a segment as it is known from outside.
type Record struct {
	Name     string // of its file
	Cluster  string // whose it is, shortened if it is very long; empty for one without a name
	Path     string // what was observed
	From, To time.Time
	Events   int
	Bytes    int64
	Live     bool // it is being written
	Whole    bool // it has the end of its log
}

// Folder is where recordings are. Its methods may be called at any time from anywhere.
type Folder struct {
	cfg     Config
	lock    *os.File
	writers sync.WaitGroup

	removing sync.Mutex // held by the one who removes segments, and taken before mu

	mu       sync.Mutex // taken for each event that happens, so never held while the disk is at work
	segments []*Record  // the oldest first
	total    int64      // bytes
	waiting  int64      // bytes of events
	active   int        // recordings
	closed   bool
	troubles map[*recording]error
	told     bool  // of one
	totals   Stats // the rest of it is 0
}

// Open takes a folder for itself, and has what an earlier program that was killed has left end with its last whole
// event. It returns an error that says so if another program records there.
func Open(cfg Config) (*Folder, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, err
	}
	f := &Folder{cfg: cfg.withDefaults(), troubles: map[*recording]error{}}
	lock, err := os.OpenFile(filepath.Join(cfg.Dir, "record.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if errors.Is(atomicfile.Lock(lock), atomicfile.ErrLocked) { // any other error: there are no locks here
		_ = lock.Close()
		return nil, fmt.Errorf("another program records into %s; name another folder", cfg.Dir)
	}
	f.lock = lock
	_ = f.cfg.disk.Remove(probeName) // of a program that was killed
	if err = f.look(); err == nil {
		err = f.makeRoom(0)
	}
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	return f, nil
}

// look finds the segments that are there. Other files are left alone.
func (f *Folder) look() error {
	entries, err := os.ReadDir(f.cfg.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !isSegment(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		r, err := mended(filepath.Join(f.cfg.Dir, e.Name()))
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name(), err)
		}
		if r != nil {
			f.segments, f.total = append(f.segments, r), f.total+r.Bytes
		}
	}
	return nil // ReadDir sorts by name, which begins with the time
}

// List returns the segments, the newest first.
func (f *Folder) List() []Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make([]Record, 0, len(f.segments))
	for _, r := range slices.Backward(f.segments) {
		all = append(all, *r)
	}
	return all
}

// Trouble is why something is not recorded now, nil if everything is.
func (f *Folder) Trouble() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, why := range f.troubles {
		return why
	}
	return nil
}

// Max is how many bytes the folder may have.
func (f *Folder) Max() int64 { return f.cfg.Max }

// Reader reads a segment. The caller closes it.
type Reader struct {
	*io.SectionReader
	Record
	file readable
}

// Close ends the reading.
func (r *Reader) Close() error { return r.file.Close() }

// Read opens a segment by its name in List, as far as it has been written: whole events. It returns an error that is
// fs.ErrNotExist if there is none.
func (f *Folder) Read(name string) (*Reader, error) {
	r, ok := f.find(name)
	if !ok {
		return nil, os.ErrNotExist
	}
	file, err := f.cfg.disk.Open(name)
	if err != nil {
		return nil, err
	}
	return &Reader{io.NewSectionReader(file, 0, r.Bytes), r, file}, nil
}

// find returns a segment as it is now.
func (f *Folder) find(name string) (Record, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.segments, func(r *Record) bool { return r.Name == name })
	if i < 0 {
		return Record{}, false
	}
	return *f.segments[i], true
}

// Close ends all recordings, waits a moment until they are written, and gives the folder free.
func (f *Folder) Close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	done := make(chan struct{})
	go func() { f.writers.Wait(); close(done) }()
	select {
	case <-done:
		return f.lock.Close()
	case <-time.After(closeWithin):
		return fmt.Errorf("%s: not all that was recorded could be written in %v", f.cfg.Dir, closeWithin)
	}
}

var errNoRoom = errors.New("what is being recorded takes up all the room that recordings have")

// makeRoom has the oldest segments go until so many bytes more may be written, or returns why that can't be.
func (f *Folder) makeRoom(more int64) error {
	f.removing.Lock()
	defer f.removing.Unlock()
	for {
		oldest, err := f.tooMuch(more)
		if oldest == nil || err != nil {
			return err
		}
		if err := f.cfg.disk.Remove(oldest.Name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		f.forget(oldest)
	}
}

// tooMuch returns the segment that is to go next so that so many bytes more may be written; nil if none need go.
func (f *Folder) tooMuch(more int64) (*Record, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.total+more <= f.cfg.Max && len(f.segments) <= MaxSegments {
		return nil, nil
	}
	i := slices.IndexFunc(f.segments, func(r *Record) bool { return !r.Live })
	if i < 0 {
		return nil, errNoRoom
	}
	return f.segments[i], nil
}

// forget takes a segment off the list whose file is gone.
func (f *Folder) forget(gone *Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.segments = slices.DeleteFunc(f.segments, func(r *Record) bool { return r == gone })
	f.total -= gone.Bytes
	if !gone.Live {
		f.totals.Removed++
	}
}

// share is how large a segment gets while so many are written at a time: they leave half of the folder to what has
// been.
func (f *Folder) share() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return min(maxSegment, f.cfg.Max/2/int64(max(8, f.active)))
}

// tell says why a recording is not written, once for each reason.
func (f *Folder) tell(r *recording, why error) {
	why = fmt.Errorf("%s: %w", r.header.Root, why)
	f.mu.Lock()
	old := f.troubles[r]
	if old == nil {
		f.totals.Cut++
	}
	f.troubles[r], f.told = why, true
	f.mu.Unlock()
	if f.cfg.Tell != nil && (old == nil || old.Error() != why.Error()) {
		f.cfg.Tell(why)
	}
}

// well says that everything is recorded, if anything was not.
func (f *Folder) well() {
	f.mu.Lock()
	news := f.told && len(f.troubles) == 0
	f.told = f.told && !news
	f.mu.Unlock()
	if news && f.cfg.Tell != nil {
		f.cfg.Tell(nil)
	}
}

// disk is where segments are, by their names.
type disk interface {
	Create(name string) (file, error)
	Open(name string) (readable, error)
	Remove(name string) error
}

type file interface {
	io.Writer
	Truncate(size int64) error
	Sync() error
	Close() error
}

type readable interface {
	io.ReaderAt
	Close() error
}

type folder struct{ dir string }

// Create makes a file that only its owner reads.
func (d folder) Create(name string) (file, error) {
	return os.OpenFile(filepath.Join(d.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// Open opens it for reading.
func (d folder) Open(name string) (readable, error) { return os.Open(filepath.Join(d.dir, name)) }

// Remove removes it.
func (d folder) Remove(name string) error { return os.Remove(filepath.Join(d.dir, name)) }
