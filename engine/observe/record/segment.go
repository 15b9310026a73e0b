package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
)

// A segment's name consists of its start time, a number that distinguishes equal times, the cluster and the path.
// The path is for people; the file itself says what was observed.
const (
	timeForm = "20060102T150405.000Z"
	suffix   = ".jsonl"
	maxName  = 60 // characters of a path, and bytes of a cluster's name, in a file name
)

var segmentName = regexp.MustCompile(`^\d{8}T\d{6}\.\d{3}Z-(\d+)_([^/]*)_([^/_]*)\.jsonl$`)

// IsSegment reports whether a file name is a segment's.
func IsSegment(name string) bool { return segmentName.MatchString(name) }

// nameOf returns the name of a segment.
func nameOf(began time.Time, number int, cluster, path string) string {
	return began.UTC().Format(timeForm) + "-" + strconv.Itoa(number) + "_" + escaped(cluster) + "_" + plain(path) + suffix
}

// clusterOf returns the cluster in a segment's name.
func clusterOf(name string) string {
	m := segmentName.FindStringSubmatch(name)
	if m == nil {
		return ""
	}
	cluster, err := url.PathUnescape(m[2])
	if err != nil {
		return m[2]
	}
	return cluster
}

// escaped returns as much of a cluster's name as fits.
func escaped(cluster string) string {
	runes := []rune(cluster)
	for n := len(runes); ; n-- {
		if text := url.PathEscape(string(runes[:n])); len(text) <= maxName || n == 0 {
			return text
		}
	}
}

// plain returns the end of a path, reduced to letters and digits.
func plain(path string) string {
	text := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '-'
	}, path)
	return strings.Trim(text[max(0, len(text)-maxName):], "-")
}

// longestTail is how much of a segment's end is read to find its last event. It is longer than any event.
const longestTail = trace.MaxLine

// mended returns a segment after removing an incomplete end, or nil if it is no trace. It deletes a segment without
// events, which a program left that was killed at its start.
func mended(path string) (*Record, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	size, last, err := tail(file, info.Size())
	if err != nil {
		return nil, err
	}
	if size < info.Size() {
		if err := file.Truncate(size); err != nil {
			return nil, err
		}
	}
	r := &Record{Name: filepath.Base(path), Cluster: clusterOf(filepath.Base(path)), Bytes: size}
	reader, err := trace.NewReader(io.NewSectionReader(file, 0, size))
	if err != nil {
		if size == 0 {
			err = os.Remove(path)
			return nil, err
		}
		return nil, nil
	}
	first, err := reader.Next()
	if errors.Is(err, io.EOF) {
		return nil, os.Remove(path)
	}
	var at struct {
		Seq  int    `json:"seq"`
		AtNS int64  `json:"at_ns"`
		Kind string `json:"kind"`
	}
	if err != nil || json.Unmarshal(last, &at) != nil {
		return nil, nil
	}
	r.Path, r.Events, r.Whole = reader.Header.Root, at.Seq, at.Kind == event.RunEnded.String()
	r.From = began(first)
	r.To = r.From.Add(time.Duration(at.AtNS) - first.At)
	return r, nil
}

// began returns the wall-clock time at which a log began.
func began(first event.Event) time.Time { return time.UnixMilli(first.N) }

// tail returns the end of a file's last whole line, and that line.
func tail(file io.ReaderAt, size int64) (end int64, last []byte, err error) {
	for length := min(size, 1<<16); ; length = min(size, 16*length) {
		text := make([]byte, length)
		if _, err := file.ReadAt(text, size-length); err != nil && !errors.Is(err, io.EOF) {
			return 0, nil, err
		}
		n := bytes.LastIndexByte(text, '\n')
		from := bytes.LastIndexByte(text[:max(n, 0)], '\n')
		if n >= 0 && (from >= 0 || length == size) {
			return size - length + int64(n) + 1, text[from+1 : n], nil
		}
		if length == size || length > 2*longestTail {
			return 0, nil, nil
		}
	}
}
