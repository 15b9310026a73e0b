package txnlog

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// LogZxid returns the zxid in a log's name, which is that of its first transaction. The log may be gzipped.
func LogZxid(name string) (int64, bool) {
	digits, ok := strings.CutPrefix(name, "log.")
	zxid, err := strconv.ParseInt(strings.TrimSuffix(digits, gzipExt), 16, 64)
	return zxid, ok && err == nil
}

// File is a log that is open for reading.
type File struct {
	*Reader
	file *os.File
}

// OpenFile opens the log with this name at an offset, or at 0 for its beginning. If it is gzipped, the offset
// counts unpacked bytes. If a file has a log's name but not its header, OpenFile reads the intact transactions.
func OpenFile(name string, offset int64) (*File, error) {
	file, err := open(name)
	if err != nil {
		return nil, err
	}
	in := io.ReadSeeker(file)
	if strings.HasSuffix(name, gzipExt) {
		in = &gzipFile{file: file}
	}
	r, err := readerAt(in, offset)
	var broken *gzipError
	if _, named := LogZxid(base(name)); named && (errors.Is(err, ErrNotLog) || errors.As(err, &broken)) {
		if _, err = in.Seek(0, io.SeekStart); err == nil {
			r = Salvage(in)
		}
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return &File{r, file}, nil
}

// ErrNoFile reports a name that isn't a regular file, such as a pipe. Opening it could block forever.
var ErrNoFile = errors.New("it's not a file but something like a pipe or a device")

func open(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, ErrNoFile
	}
	return os.Open(name)
}

func base(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }

func readerAt(in io.ReadSeeker, offset int64) (*Reader, error) {
	if offset == 0 {
		return NewReader(in)
	}
	if _, err := in.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	return Resume(in, offset), nil
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// gzipFile reads the contents of a gzipped file. Seeking back starts again from the beginning.
type gzipFile struct {
	file *os.File
	in   *gzip.Reader
	at   int64
	err  error
}

// gzipError reports that a gzipped file is damaged or incomplete.
type gzipError struct{ why error }

func (e *gzipError) Error() string { return fmt.Sprintf("the rest can't be unpacked: %v", e.why) }

func (p *gzipFile) Read(b []byte) (n int, err error) {
	if p.in == nil && p.err == nil {
		p.in, p.err = gzip.NewReader(bufio.NewReader(p.file))
	}
	if p.err == nil {
		n, p.err = p.in.Read(b)
		p.at += int64(n)
	}
	var corrupt flate.CorruptInputError
	if errors.Is(p.err, gzip.ErrHeader) || errors.Is(p.err, gzip.ErrChecksum) || errors.As(p.err, &corrupt) ||
		errors.Is(p.err, io.ErrUnexpectedEOF) || errors.Is(p.err, io.EOF) && p.in == nil {
		p.err = &gzipError{p.err}
	}
	return n, p.err
}

// Seek moves to an offset from the beginning.
func (p *gzipFile) Seek(offset int64, whence int) (int64, error) {
	if whence != io.SeekStart {
		return 0, errors.ErrUnsupported
	}
	if offset < p.at || p.err != nil {
		if _, err := p.file.Seek(0, io.SeekStart); err != nil {
			return 0, err
		}
		*p = gzipFile{file: p.file}
	}
	_, err := io.CopyN(io.Discard, p, offset-p.at)
	return p.at, nilAtEnd(err)
}
