// Package atomicfile replaces whole files: a reader finds the old contents or the new, never half of them. A killed
// save leaves nothing for good.
//
// It knows no formats. Two saves of one file may run at a time; the last Commit wins. The commands of cmd/viz-server
// use it for all that they save.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A temporary file's name is prefix, a decimal number and suffix. Its save holds a lock on it, so that others can tell
// it from the leftover of a killed save.
const (
	prefix = ".zkviz-"
	suffix = ".tmp"
)

// maxNames is the number of temporary names to try: far more than chance and other saves ever take.
const maxNames = 100

// File is a file being saved. Nothing appears under its final name before Commit.
type File struct {
	path string
	file *os.File
	temp bool // file has a temporary name next to path until Commit
}

// Create starts to save the file at path, following a link. A new file gets the permissions of mode, less the umask. A
// replaced file keeps those of its permissions that mode has too. It writes directly to anything but a regular file,
// such as /dev/null.
//
// Create also sweeps the folder.
func Create(path string, mode fs.FileMode) (*File, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("write %s: it is a folder", path)
	case err == nil && !info.Mode().IsRegular():
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", path, reason(err))
		}
		return &File{path: path, file: file}, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("write %s: %w", path, reason(err))
	}
	f := &File{path: path, temp: true}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		f.path = real // the rename must replace the file, not a link to it
	}
	if info != nil {
		mode &= info.Mode().Perm()
	}
	Sweep(filepath.Dir(f.path))
	if f.file, err = create(filepath.Dir(f.path), mode); err == nil && info != nil {
		err = f.file.Chmod(mode) // not reduced by the umask
	}
	if err != nil {
		f.Discard()
		return nil, fmt.Errorf("write %s: %w", path, reason(err))
	}
	return f, nil
}

// create creates and locks a temporary file.
func create(dir string, mode fs.FileMode) (*os.File, error) {
	for range maxNames {
		name := filepath.Join(dir, prefix+strconv.FormatUint(rand.Uint64(), 10)+suffix)
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if Lock(file) != ErrLocked && named(file) {
			return file, nil
		}
		// Another save took it for a leftover before the lock.
		_ = file.Close()
		_ = os.Remove(name)
	}
	return nil, fmt.Errorf("no free name for a temporary file after %d tries", maxNames)
}

// Sweep removes what killed saves left in dir. It skips files that it can't examine or remove. On systems without
// flock it can't recognize leftovers, so they stay.
func Sweep(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		if isTemporary(name) {
			removeLeftover(filepath.Join(dir, name))
		}
	}
}

// removeLeftover removes a temporary file unless a running save holds its lock.
func removeLeftover(name string) {
	file, err := openLeftover(name)
	if err != nil {
		return
	}
	defer file.Close() // only after the removal, so that nobody else takes it for a leftover
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() && Lock(file) == nil && named(file) {
		_ = os.Remove(name)
	}
}

// isTemporary reports whether name could come from create.
func isTemporary(name string) bool {
	number, ok := strings.CutPrefix(name, prefix)
	number, ends := strings.CutSuffix(number, suffix)
	n, err := strconv.ParseUint(number, 10, 64)
	return ok && ends && err == nil && strconv.FormatUint(n, 10) == number
}

// named reports whether the file's name still refers to it.
func named(file *os.File) bool {
	open, err := file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(file.Name())
	return err == nil && os.SameFile(open, there)
}

// ErrLocked is returned by Lock if another process holds the file.
var ErrLocked = errors.New("another program has locked the file")

// Write appends p to the contents.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	if err != nil {
		err = fmt.Errorf("write %s: %w", f.path, reason(err))
	}
	return n, err
}

// Stat describes the file as written so far. It works after Commit too.
func (f *File) Stat() (fs.FileInfo, error) { return f.file.Stat() }

// Save replaces the file at path by one that holds data. It calls Create, Write and Commit.
func Save(path string, data []byte, mode fs.FileMode) error {
	f, err := Create(path, mode)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}

// Commit gives the finished file its name after its contents have reached the disk. On an error, the previous file is
// unchanged.
func (f *File) Commit() error {
	if err := f.commit(); err != nil {
		f.Discard()
		return fmt.Errorf("write %s: %w", f.path, reason(err))
	}
	return nil
}

func (f *File) commit() error {
	if !f.temp {
		return f.file.Close()
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	if err := rename(f.file, f.path); err != nil {
		return err
	}
	f.temp = false
	syncFolder(filepath.Dir(f.path))
	return nil
}

// Discard removes the new file unless it was committed. It closes anything but a regular file.
func (f *File) Discard() {
	if f.file == nil {
		return
	}
	if f.temp {
		_ = os.Remove(f.file.Name()) // while locked, on systems that can remove an open file
	}
	_ = f.file.Close() // for the second time, after Commit
	if f.temp {
		_ = os.Remove(f.file.Name())
	}
	f.temp = false
}

// syncFolder makes the new name durable. It ignores errors, since some file systems can't do that.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// reason removes the temporary name from an error.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
