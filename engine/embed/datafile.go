package embed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
)

// A data file is a header of dataHeader bytes and the server's snapshot:
//
//	8 bytes  dataMagic
//	4 bytes  dataVersion
//	8 bytes  length of the snapshot
//	4 bytes  CRC-32C of the snapshot
//
// It holds hashes of passwords and the secret that sessions' passwords come from, so only its owner may
// read it.
const (
	dataMagic   = "zkvizdat"
	dataVersion = 1
	dataHeader  = 8 + 4 + 8 + 4
	dataMode    = 0o600
	// maxData is the longest data file that is read, in bytes.
	maxData = 4 << 30
)

// dataAdvice is what to do about a file that cannot be used.
const dataAdvice = "Move it away to begin with an empty tree, or put a good copy in its place"

// dataFile is where a server keeps its tree and sessions across restarts. One goroutine uses it at a time.
type dataFile struct {
	path string
	last fs.FileInfo // the file as it was read or written; nil if there was none
}

// open reads the file. A nil snapshot is a new server: there is no file yet. A file that cannot be read
// back, or is none of ours, is left as it is.
func openData(path string) (*dataFile, []byte, error) {
	fail := func(why string, args ...any) (*dataFile, []byte, error) {
		return nil, nil, fmt.Errorf("data file %s: %w", path, fmt.Errorf(why, args...))
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // what is renamed must be the file, not a link to it
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return fail("there is no folder %s; make it first", filepath.Dir(path))
		}
		return &dataFile{path: path}, nil, nil
	case err != nil:
		return fail("%w", plain(err))
	case !info.Mode().IsRegular():
		return fail("it is not a file; name one, or one that is not there yet")
	case info.Size() > maxData:
		return fail("it has more than %d GiB; that is too much to be read", maxData>>30)
	}
	all, err := os.ReadFile(path)
	if err != nil {
		return fail("%w", plain(err))
	}
	snapshot, err := unpackData(all)
	if err != nil {
		return fail("%w; it is left as it is. %s", err, dataAdvice)
	}
	return &dataFile{path: path, last: info}, snapshot, nil
}

func unpackData(all []byte) ([]byte, error) {
	if len(all) < len(dataMagic) || string(all[:len(dataMagic)]) != dataMagic {
		return nil, errors.New("it is not a data file of viz-server zookeeper")
	}
	if len(all) < dataHeader {
		return nil, errors.New("it is damaged: it ends too early")
	}
	head, snapshot := all[len(dataMagic):dataHeader], all[dataHeader:]
	version, length, sum := binary.BigEndian.Uint32(head), binary.BigEndian.Uint64(head[4:]), binary.BigEndian.Uint32(head[12:])
	switch {
	case version != dataVersion:
		return nil, fmt.Errorf("it is of version %d, and only %d can be read", version, dataVersion)
	case length != uint64(len(snapshot)):
		return nil, fmt.Errorf("it is damaged: it should hold %d bytes and holds %d", length, len(snapshot))
	case sum != checksum(snapshot):
		return nil, errors.New("it is damaged: its checksum is wrong")
	}
	return snapshot, nil
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// save replaces the file by one with this snapshot: at every moment there is the old one or the new one,
// complete. It refuses when somebody else has put a file in its place.
func (d *dataFile) save(snapshot []byte) error {
	if err := d.check(); err != nil {
		return fmt.Errorf("data file %s: %w", d.path, err)
	}
	info, err := d.replace(snapshot)
	if err != nil {
		return fmt.Errorf("data file %s: it could not be written, the last one is still there: %w", d.path, plain(err))
	}
	d.last = info
	return nil
}

// check guards against a second server with the same file.
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

func (d *dataFile) replace(snapshot []byte) (info fs.FileInfo, err error) {
	f, err := os.CreateTemp(filepath.Dir(d.path), "."+filepath.Base(d.path)+".*")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // it may be closed already; err says what went wrong
			_ = os.Remove(f.Name())
		}
	}()
	head := bytes.NewBufferString(dataMagic)
	head.Write(binary.BigEndian.AppendUint32(nil, dataVersion))
	head.Write(binary.BigEndian.AppendUint64(nil, uint64(len(snapshot))))
	head.Write(binary.BigEndian.AppendUint32(nil, checksum(snapshot)))
	for _, b := range [][]byte{head.Bytes(), snapshot} {
		if _, err = f.Write(b); err != nil {
			return nil, err
		}
	}
	if err = f.Chmod(dataMode); err != nil {
		return nil, err
	}
	if err = f.Sync(); err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err = f.Close(); err != nil {
		return nil, err
	}
	if err = os.Rename(f.Name(), d.path); err != nil {
		return nil, err
	}
	syncFolder(filepath.Dir(d.path))
	return info, nil
}

// syncFolder makes the new name last. Some file systems cannot, and then there is nothing to be done.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// plain drops the file's name, which the sentence has already, from an error about it.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
