// Package record writes logs of observations into a folder, as trace files, while the observations run.
//
// Each log is a file of its own, a segment, which every reader of traces can open. A folder has a maximum size: the
// oldest segments are deleted. Writing never delays the observation. If the disk is full or too slow, a segment
// ends without the end of its log, and another begins once there is room. The package knows no cluster and no tap,
// and sets no clock. engine/run/cluster, cmd/viz-server and its web call it.
package record

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/base/atomicfile"
)

// Limits of a folder.
const (
	// MinBytes is the smallest allowed maximum size.
	MinBytes = 64 << 20
	// MaxSegments is the maximum number of segments.
	MaxSegments = 10_000
	// maxSegment is the size in bytes at which a segment ends, so that a page can still open it.
	maxSegment = 48 << 20
	// MaxSegmentBytes is more than a segment ever has: one more piece is written before it ends.
	MaxSegmentBytes = 2 * maxSegment
	// maxWaiting is how many bytes of events may wait to be written, for all recordings together.
	maxWaiting = 32 << 20
)

// Times.
const (
	flushEvery = time.Second
	// againEvery is the pause before another attempt to write to a folder.
	againEvery = 30 * time.Second
	// cutAfter is the minimum age of a segment that ends because it has its share of the folder.
	cutAfter = time.Minute
	// closeWithin is how long Close waits for pending writes.
	closeWithin = 5 * time.Second
)

// Config says where to record.
type Config struct {
	Dir string // created if it doesn't exist
	Max int64  // bytes of all segments, at least MinBytes
	// Tell, unless it is nil, receives the reason when something is not recorded, and nil when that is over.
	Tell func(why error)

	disk         disk          // replaces the real disk
	flush, again time.Duration // replace flushEvery and againEvery
	now          func() time.Time
}

// Validate returns an error for an impossible configuration.
func (c Config) Validate() error {
	if c.Max < MinBytes {
		return fmt.Errorf("recordings need at least %[2]d bytes, not %[1]d", c.Max, int64(MinBytes))
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

// Record describes a segment.
type Record struct {
	Name     string // its file name
	Cluster  string // the cluster's name, shortened if it is very long; empty without one
	Path     string // the observed znode
	From, To time.Time
	Events   int
	Bytes    int64
	Live     bool // it is still being written
	Whole    bool // it has the end of its log
}

// Folder holds recordings. All methods are safe for concurrent use.
type Folder struct {
	cfg     Config
	id      string
	lock    *os.File
	writers sync.WaitGroup

	removing sync.Mutex // held while removing segments; taken before mu

	mu       sync.Mutex // taken for every event, so never held during disk access
	segments []*Record  // oldest first
	total    int64      // bytes
	waiting  int64      // bytes of events
	active   int        // recordings
	closed   bool
	troubles map[*recording]error
	told     bool  // Tell has received a trouble
	totals   Stats // only the totals are set
}

// Open locks a folder. It truncates segments of a killed program after their last whole event. It returns an error
// if another program records there.
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
	if errors.Is(atomicfile.Lock(lock), atomicfile.ErrLocked) { // any other error means that locks don't work here
		_ = lock.Close()
		return nil, fmt.Errorf("another program records into %s; name another folder", cfg.Dir)
	}
	f.lock = lock
	_ = f.cfg.disk.Remove(probeName) // from a program that was killed
	if f.id, err = idOf(cfg.Dir); err == nil {
		err = f.look()
	}
	if err == nil {
		err = f.makeRoom(0)
	}
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	return f, nil
}

// idName is the file with a folder's ID.
const idName = "record.id"

var id = regexp.MustCompile(`^[a-z2-7]{16}$`)

// IsID reports whether a text may be the ID of a folder.
func IsID(text string) bool { return id.MatchString(text) }

// idOf returns a folder's ID, which it makes up at first.
func idOf(dir string) (string, error) {
	name := filepath.Join(dir, idName)
	text, err := os.ReadFile(name)
	if err == nil && IsID(string(text)) {
		return string(text), nil
	}
	made := strings.ToLower(rand.Text()[:16])
	return made, atomicfile.Save(name, []byte(made), 0o600)
}

// ID returns what names the folder among those of all servers. It stays with the folder.
func (f *Folder) ID() string { return f.id }

// look finds the existing segments. It ignores other files.
func (f *Folder) look() error {
	entries, err := os.ReadDir(f.cfg.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !IsSegment(e.Name()) || !e.Type().IsRegular() {
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
	return nil // ReadDir sorts by name, and names begin with the time
}

// List returns the segments, newest first.
func (f *Folder) List() []Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make([]Record, 0, len(f.segments))
	for _, r := range slices.Backward(f.segments) {
		all = append(all, *r)
	}
	return all
}

// Trouble returns why something is not being recorded, or nil.
func (f *Folder) Trouble() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, why := range f.troubles {
		return why
	}
	return nil
}

// Max returns the folder's maximum size in bytes.
func (f *Folder) Max() int64 { return f.cfg.Max }

// Reader reads a segment. Callers must close it.
type Reader struct {
	*io.SectionReader
	Record
	file readable
}

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }

// Read opens a segment by its name in List, up to the last whole event written. It returns fs.ErrNotExist if there
// is none.
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

// find returns the current state of a segment.
func (f *Folder) find(name string) (Record, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.segments, func(r *Record) bool { return r.Name == name })
	if i < 0 {
		return Record{}, false
	}
	return *f.segments[i], true
}

// Close ends all recordings, waits a moment for pending writes, and releases the folder.
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
		return fmt.Errorf("%s: what was recorded could not all be written within %v", f.cfg.Dir, closeWithin)
	}
}

var errNoRoom = errors.New("the current recording fills all the space that recordings may take")

// makeRoom deletes the oldest segments until more bytes may be written, or returns why it can't.
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

// tooMuch returns the segment to delete next before more bytes may be written, or nil.
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

// forget removes a segment from the list after its file was deleted.
func (f *Folder) forget(gone *Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.segments = slices.DeleteFunc(f.segments, func(r *Record) bool { return r == gone })
	f.total -= gone.Bytes
	if !gone.Live {
		f.totals.Removed++
	}
}

// share returns the size at which segments end, given the number of active recordings. Together they leave half of
// the folder to older segments.
func (f *Folder) share() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return min(maxSegment, f.cfg.Max/2/int64(max(8, f.active)))
}

// tell reports why a recording is not written, once per reason.
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

// well reports that everything is recorded again.
func (f *Folder) well() {
	f.mu.Lock()
	news := f.told && len(f.troubles) == 0
	f.told = f.told && !news
	f.mu.Unlock()
	if news && f.cfg.Tell != nil {
		f.cfg.Tell(nil)
	}
}

// disk stores segments by name.
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

// Create creates a file that only its owner can read.
func (d folder) Create(name string) (file, error) {
	return os.OpenFile(filepath.Join(d.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// Open opens a file for reading.
func (d folder) Open(name string) (readable, error) { return os.Open(filepath.Join(d.dir, name)) }

// Remove deletes a file.
func (d folder) Remove(name string) error { return os.Remove(filepath.Join(d.dir, name)) }
