package record

import (
	"io/fs"
	"sync"
	"time"
)

// FullDisk is a disk with a limited number of free bytes.
type FullDisk struct {
	folder
	mu   sync.Mutex
	left int
}

// Config returns a configuration for a folder on a disk with that much room. A failed write is retried at once.
func (d *FullDisk) Config(dir string, left int) Config {
	d.dir, d.left = dir, left
	return Config{Dir: dir, Max: MinBytes, disk: d, flush: time.Millisecond, again: time.Nanosecond}
}

// Free makes room.
func (d *FullDisk) Free(bytes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = bytes
}

// Create implements disk.
func (d *FullDisk) Create(name string) (file, error) {
	f, err := d.folder.Create(name)
	return fullFile{f, d}, err
}

type fullFile struct {
	file
	disk *FullDisk
}

// Write writes as much as fits.
func (f fullFile) Write(p []byte) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n := min(len(p), f.disk.left)
	f.disk.left -= n
	_, _ = f.file.Write(p[:n])
	if n < len(p) {
		return n, &fs.PathError{Op: "write", Path: "segment", Err: errFull}
	}
	return n, nil
}

var errFull = errorText("no space left on device")

type errorText string

func (e errorText) Error() string { return string(e) }

// StuckDisk is a disk that creates no file until Go is closed.
type StuckDisk struct {
	folder
	Go chan struct{}
}

// Config returns a configuration for a folder on the disk.
func (d StuckDisk) Config(dir string) Config {
	d.dir = dir
	return Config{Dir: dir, Max: MinBytes, disk: d, flush: time.Millisecond, again: time.Nanosecond}
}

// Create implements disk.
func (d StuckDisk) Create(name string) (file, error) {
	<-d.Go
	return d.folder.Create(name)
}

// HeldDisk is a disk that reports each opening or removal of a segment on Held, and blocks it until released.
type HeldDisk struct {
	folder
	Held chan string // names the blocked operation
	Go   chan struct{}
}

// NewHeldDisk returns a HeldDisk in a folder.
func NewHeldDisk(dir string) HeldDisk {
	return HeldDisk{folder: folder{dir}, Held: make(chan string), Go: make(chan struct{})}
}

// Config returns a configuration for the disk's folder.
func (d HeldDisk) Config() Config {
	return Config{Dir: d.dir, Max: MinBytes, disk: d, flush: time.Millisecond}
}

func (d HeldDisk) hold(what, name string) {
	if IsSegment(name) {
		d.Held <- what
		<-d.Go
	}
}

// Open implements disk.
func (d HeldDisk) Open(name string) (readable, error) {
	d.hold("open", name)
	return d.folder.Open(name)
}

// Remove implements disk.
func (d HeldDisk) Remove(name string) error {
	d.hold("remove", name)
	return d.folder.Remove(name)
}

// Later moves the clock of a folder forward by d.
func Later(c Config, d time.Duration) Config {
	c.now = func() time.Time { return time.Now().Add(d) }
	return c
}

// MaxWaiting is how many bytes of events may wait.
const MaxWaiting = maxWaiting
