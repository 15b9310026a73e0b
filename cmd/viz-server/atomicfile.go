package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// atomicFile is written beside its final name and moved there when it is complete, so that nobody ever
// reads half a file. Something that is not a regular file, like /dev/null, is written directly.
type atomicFile struct {
	path string
	file *os.File
	temp bool
}

func createAtomic(path string) (*atomicFile, error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return nil, fmt.Errorf("write %s: it is a folder", path)
	}
	if err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &atomicFile{path: path, file: f}, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, reason(err))
	}
	return &atomicFile{path: path, file: f, temp: true}, nil
}

// reason drops the temporary name from an error about it.
func reason(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}

func (a *atomicFile) Write(p []byte) (int, error) { return a.file.Write(p) }

// keep gives the complete file its name.
func (a *atomicFile) keep() error {
	if !a.temp {
		return a.file.Close()
	}
	err := a.file.Chmod(0o644)
	if cerr := a.file.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(a.file.Name(), a.path)
	}
	if err != nil {
		os.Remove(a.file.Name())
		return fmt.Errorf("write %s: %w", a.path, reason(err))
	}
	a.temp = false
	return nil
}

// discard removes what has been written, unless it was kept.
func (a *atomicFile) discard() {
	if a.temp {
		a.file.Close()
		os.Remove(a.file.Name())
	}
}

// writeAtomic writes a whole file, or to out if path is empty.
func writeAtomic(out io.Writer, path string, data []byte) error {
	if path == "" {
		_, err := out.Write(data)
		return err
	}
	f, err := createAtomic(path)
	if err != nil {
		return err
	}
	defer f.discard()
	if _, err := f.Write(data); err != nil {
		return fmt.Errorf("write %s: %w", path, reason(err))
	}
	return f.keep()
}
