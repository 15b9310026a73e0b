package embed

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/zkviz/zkviz/engine/base/atomicfile"
)

const (
	// dataMode lets only the owner read a data file. It holds password hashes and the secret from which sessions'
	// passwords derive.
	dataMode = 0o600
	// maxData is the size in bytes of the largest data file that is read.
	maxData = 4 << 30
)

// dataAdvice says what to do about an unusable file.
const dataAdvice = "Move it away to begin with an empty tree, or put a good copy in its place"

// dataFile stores a server's tree and sessions across restarts: a snapshot of engine/zookeeper/server with its
// version and checksum. One goroutine uses it at a time.
type dataFile struct {
	path string
	last fs.FileInfo // the file as it was read or written; nil if there was none
	lock *os.File    // a file next to it; only its holder uses the data file, where locks work
}

// openData locks the file for this server and reads it. A nil snapshot means that there is no file yet.
func openData(path string) (d *dataFile, snapshot []byte, err error) {
	fail := func(why string, args ...any) (*dataFile, []byte, error) {
		return nil, nil, fmt.Errorf("data file %s: %w", path, fmt.Errorf(why, args...))
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // rename must replace the file, not a link to it
	}
	if err := usable(path); err != nil {
		return fail("%w", err)
	}
	d = &dataFile{path: path}
	if d.lock, err = lock(path + lockSuffix); err != nil {
		return fail("%w", err)
	}
	atomicfile.Sweep(filepath.Dir(path))
	d.last, err = os.Stat(path) // only now: a server that released the lock has just written it
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil, nil
	}
	if err == nil {
		snapshot, err = os.ReadFile(path)
	}
	if err != nil {
		d.close()
		return fail("%w", plain(err))
	}
	return d, snapshot, nil
}

// usable returns what is wrong with a data file's name, or nil.
func usable(path string) error {
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no folder %s; make it first", filepath.Dir(path))
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return plain(err)
	case !info.Mode().IsRegular():
		return errors.New("it is not a file; name one, or one that is not there yet")
	case info.Size() > maxData:
		return fmt.Errorf("it has more than %d GiB; that is too much to be read", maxData>>30)
	}
	return nil
}

// lockSuffix forms the name of the lock file. The data file itself can't be locked, because it is replaced again
// and again.
const lockSuffix = ".lock"

// lock locks a file that only one process can hold. The empty file stays when the process ends, since deleting it
// could take it from a server that has just opened it. Where locks don't work, dataFile.check remains.
func lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, dataMode)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be made, which keeps other servers from using the data: %w", path, plain(err))
	}
	if atomicfile.Lock(f) == atomicfile.ErrLocked {
		_ = f.Close()
		return nil, fmt.Errorf("another server uses it, and holds %s; stop that one, or give this one a file of its own",
			path)
	}
	return f, nil
}

// close releases the file for other servers.
func (d *dataFile) close() { _ = d.lock.Close() }

// save replaces the file with this snapshot. At every moment either the old or the new file exists in full. It
// refuses if another program has put a file in its place.
func (d *dataFile) save(snapshot []byte) error {
	if err := d.check(); err != nil {
		return fmt.Errorf("data file %s: %w", d.path, err)
	}
	info, err := d.replace(snapshot)
	if err != nil {
		last := "the last one is still there"
		if _, err := os.Stat(d.path); err != nil {
			last = "and there is none from before"
		}
		return fmt.Errorf("data file %s: it could not be written, %s: %w", d.path, last, plain(err))
	}
	d.last = info
	return nil
}

// check detects writers that ignore the lock.
func (d *dataFile) check() error {
	now, err := os.Stat(d.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return plain(err)
	case d.last == nil || !os.SameFile(d.last, now) || !d.last.ModTime().Equal(now.ModTime()):
		return errors.New("somebody else has written it; it is left as it is. Stop the other program, or move the file away")
	}
	return nil
}

func (d *dataFile) replace(snapshot []byte) (fs.FileInfo, error) {
	f, err := atomicfile.Create(d.path, dataMode)
	if err != nil {
		return nil, err
	}
	defer f.Discard()
	if _, err := f.Write(snapshot); err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return info, f.Commit()
}

// plain drops the file's name from an error, because the message already has it.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
