package record_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/observe/record"
)

var header = event.Header{Host: event.Observed, Root: "/app/lock"}

// began is the time at which the logs begin.
var began = time.Date(2026, 11, 26, 3, 0, 0, 0, time.UTC)

// source emits a log with a number of znodes, each with a path of a given length, and an end.
type source struct {
	sink event.Sink
	seq  event.Seq
}

func (s *source) tell(e event.Event) {
	s.seq++
	e.Seq, e.At = s.seq, time.Duration(s.seq-1)*time.Millisecond
	s.sink.Append(e)
}

func (s *source) begin(at time.Time) { s.tell(event.Event{Kind: event.RunStarted, N: at.UnixMilli()}) }

func (s *source) znodes(n, bytes int) {
	for range n {
		s.tell(event.Event{Kind: event.ZnodeCreated, Path: "/" + strings.Repeat("a", bytes)})
	}
}

// discard drops all events.
type discard struct{}

func (discard) Append(event.Event) {}

// observe records a log to its end.
func observe(t *testing.T, f *record.Folder, cluster string, at time.Time, n int) {
	t.Helper()
	err := f.Recorded(cluster, header, func(_ context.Context, sink event.Sink) error {
		s := source{sink: sink}
		s.begin(at)
		s.znodes(n, 10)
		s.tell(event.EndOf(context.Canceled))
		return nil
	})(t.Context(), discard{})
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, c record.Config) *record.Folder {
	t.Helper()
	f, err := record.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func closed(t *testing.T, f *record.Folder) {
	t.Helper()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// read reads a segment as any reader of the file does.
func read(t *testing.T, dir, name string) event.Log {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	log, err := trace.Read(file)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return log
}

// TestRecordsAreTraces records two logs of clusters with odd names, and finds them after a restart.
func TestRecordsAreTraces(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	c := record.Config{Dir: dir, Max: record.MinBytes}
	f := open(t, c)
	observe(t, f, "", began, 3)
	observe(t, f, "night_shift ü 2", began.Add(time.Hour), 5)
	closed(t, f)
	before := f.List()
	f = open(t, c)
	defer f.Close()
	after := f.List()
	if fmt.Sprint(before) != fmt.Sprint(after) || len(after) != 2 {
		t.Errorf("before a restart and after it:\n%v\n%v", before, after)
	}
	want := record.Record{Name: after[0].Name, Cluster: "night_shift ü 2", Path: "/app/lock",
		From: began.Add(time.Hour).Local(), To: began.Add(time.Hour + 6*time.Millisecond).Local(), Events: 7,
		Bytes: after[0].Bytes, Whole: true}
	if after[0] != want || after[1].Cluster != "" {
		t.Errorf("got  %+v\nwant %+v", after[0], want)
	}
	if log := read(t, dir, want.Name); len(log.Events) != 7 || log.Header.Root != "/app/lock" ||
		log.Events[0].N != want.From.UnixMilli() {
		t.Errorf("the trace: %+v", log)
	}
	for name, mode := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, want.Name): 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// TestNothingSeen checks that an unreachable cluster leaves no segment.
func TestNothingSeen(t *testing.T) {
	f := open(t, record.Config{Dir: t.TempDir(), Max: record.MinBytes})
	observe(t, f, "", began, 0)
	closed(t, f)
	if all := f.List(); len(all) > 0 {
		t.Errorf("%+v", all)
	}
}

// TestTornAnywhere cuts a segment at every byte, as a killed program may. The whole events remain readable, and the
// segment counts as incomplete.
func TestTornAnywhere(t *testing.T) {
	dir := t.TempDir()
	c := record.Config{Dir: dir, Max: record.MinBytes}
	f := open(t, c)
	observe(t, f, "", began, 3)
	closed(t, f)
	name := f.List()[0].Name
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(text) + 1 {
		for _, rest := range []string{"", "\x00\x00\x00"} { // a file system may have more than was written
			if err := os.WriteFile(filepath.Join(dir, name), []byte(string(text[:cut])+rest), 0o600); err != nil {
				t.Fatal(err)
			}
			f := open(t, c)
			all := f.List()
			closed(t, f)
			events := max(0, strings.Count(string(text[:cut]), "\n")-1)
			if events == 0 {
				if _, err := os.Stat(filepath.Join(dir, name)); len(all) != 0 || !errors.Is(err, os.ErrNotExist) {
					t.Fatalf("cut at %d: %+v, %v", cut, all, err)
				}
				continue
			}
			if len(all) != 1 || all[0].Events != events || all[0].Whole != (cut == len(text)) || all[0].Live {
				t.Fatalf("cut at %d, after %d events: %+v", cut, events, all)
			}
			if log := read(t, dir, name); len(log.Events) != events || int(all[0].Bytes) > cut {
				t.Fatalf("cut at %d: %d events of %d, %+v", cut, len(log.Events), events, all)
			}
		}
	}
}

// TestOldestGo records more than fits. Other files stay.
func TestOldestGo(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := open(t, record.Config{Dir: dir, Max: record.MinBytes})
	const segments, size = 12, 8 << 20
	for i := range segments {
		err := f.Recorded("", header, func(_ context.Context, sink event.Sink) error {
			s := source{sink: sink}
			s.begin(began.Add(time.Duration(i) * time.Hour))
			s.znodes(size/(4<<10), 4<<10)
			return nil
		})(t.Context(), discard{})
		if err != nil && !errors.Is(err, event.ErrLogFull) { // it exceeds its share
			t.Fatal(err)
		}
		for len(f.List()) == 0 || f.List()[0].Live || !f.List()[0].From.Equal(began.Add(time.Duration(i)*time.Hour)) {
			time.Sleep(time.Millisecond)
		}
	}
	closed(t, f)
	all, sum := f.List(), int64(0)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			sum += info.Size()
		}
	}
	if len(all) >= segments || len(all) < 6 || sum > record.MinBytes+4 ||
		!all[0].From.Equal(began.Add((segments-1)*time.Hour)) {
		t.Errorf("%d segments of %d bytes, the newest %+v", len(all), sum, all[0])
	}
	if st := f.Stats(); st.Removed != uint64(segments-len(all)) || st.Lost != 0 || st.Live != 0 || st.Bytes > st.Max {
		t.Errorf("counted %+v", st)
	}
	if len(entries) != len(all)+3 { // with the lock and the folder's ID
		t.Errorf("%d files", len(entries))
	}
	if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err != nil {
		t.Error(err)
	}
}

// TestShare checks that an observation starts again when its segment has its share of the folder and a minimum age.
func TestShare(t *testing.T) {
	f := open(t, record.Later(record.Config{Dir: t.TempDir(), Max: record.MinBytes}, 2*time.Minute))
	logs := 0
	for {
		logs++
		err := f.Recorded("", header, func(ctx context.Context, sink event.Sink) error {
			s := source{sink: sink}
			s.begin(time.Now())
			s.znodes(1500, 4<<10) // 6 MB of 64
			<-ctx.Done()
			s.tell(event.EndOf(context.Cause(ctx)))
			return context.Cause(ctx)
		})(t.Context(), discard{})
		if !errors.Is(err, event.ErrLogFull) {
			t.Fatal(err)
		}
		if logs == 3 {
			break
		}
	}
	closed(t, f)
	for _, r := range f.List() {
		if !r.Whole || r.Events != 1502 {
			t.Errorf("%+v", r)
		}
	}
	if len(f.List()) != logs {
		t.Errorf("%d segments", len(f.List()))
	}
}

// TestDiskFull fills the disk in the middle of a log. The recorded part stays readable, and Tell is called. When
// there is room again, the observation starts again in a new segment. The sink receives every event.
func TestDiskFull(t *testing.T) {
	var disk record.FullDisk
	dir := t.TempDir()
	c := disk.Config(dir, 20_000)
	told := make(chan error, 100)
	c.Tell = func(err error) { told <- err }
	f := open(t, c)
	seen := new(counter)
	err := f.Recorded("", header, func(ctx context.Context, sink event.Sink) error {
		s := source{sink: sink}
		s.begin(began)
		s.znodes(20, 100)
		for len(f.List()) == 0 || f.List()[0].Events < 21 {
			time.Sleep(time.Millisecond)
		}
		disk.Free(100) // less than an event takes
		s.znodes(1000, 100)
		if err := <-told; err == nil || !strings.Contains(err.Error(), "no space left") || f.Trouble() == nil {
			t.Errorf("told %v", err)
		}
		s.znodes(10, 100) // while nothing is written
		disk.Free(10 << 20)
		<-ctx.Done()
		return context.Cause(ctx)
	})(t.Context(), seen)
	if !errors.Is(err, event.ErrLogFull) || *seen != 1031 {
		t.Errorf("%v, and the room has seen %d", err, *seen)
	}
	observe(t, f, "", began.Add(time.Hour), 3)
	closed(t, f)
	all := f.List()
	if len(all) != 2 || !all[0].Whole || all[1].Whole || all[1].Events != 21 || f.Trouble() != nil {
		t.Fatalf("%+v, %v", all, f.Trouble())
	}
	if log := read(t, dir, all[1].Name); len(log.Events) != 21 {
		t.Errorf("%d events are left", len(log.Events))
	}
	want := record.Stats{Segments: 2, Bytes: all[0].Bytes + all[1].Bytes, Max: record.MinBytes, Events: 21 + 5,
		Written: uint64(all[0].Bytes + all[1].Bytes), Lost: 1010, Cut: 1}
	if got := f.Stats(); got != want {
		t.Errorf("counted %+v, not %+v", got, want)
	}
	for err := range told {
		if err == nil {
			break // recording continues
		}
	}
}

type counter int

func (c *counter) Append(event.Event) { *c++ }

// TestSlowDisk uses a disk that accepts nothing. The observation continues, memory stays bounded, and recording
// starts again when the disk accepts data.
func TestSlowDisk(t *testing.T) {
	disk := record.StuckDisk{Go: make(chan struct{})}
	c := disk.Config(t.TempDir())
	told := make(chan error, 100)
	c.Tell = func(err error) { told <- err }
	f := open(t, c)
	seen := new(counter)
	const each, n = 8 << 10, 2*record.MaxWaiting/(8<<10) + 100
	err := f.Recorded("", header, func(ctx context.Context, sink event.Sink) error {
		s := source{sink: sink}
		s.begin(began)
		s.znodes(n, each)
		close(disk.Go)
		if err := <-told; err == nil || !strings.Contains(err.Error(), "events arrive faster") {
			t.Errorf("told %v", err)
		}
		<-ctx.Done()
		return context.Cause(ctx)
	})(t.Context(), seen)
	closed(t, f)
	all := f.List()
	if !errors.Is(err, event.ErrLogFull) || *seen != n+1 || len(all) != 1 || all[0].Whole || all[0].Events > n-50 ||
		all[0].Events < 100 {
		t.Errorf("%v, %d seen, %+v", err, *seen, all)
	}
	if st := f.Stats(); st.Events+st.Lost != n+1 || st.Lost < n/3 || st.Cut != 1 {
		t.Errorf("counted %+v", st)
	}
}

// filled records a log and enlarges its file to the folder's maximum size, minus some bytes.
func filled(t *testing.T, dir string, left int64) {
	t.Helper()
	f := open(t, record.Config{Dir: dir, Max: record.MinBytes})
	observe(t, f, "", began, 1)
	closed(t, f)
	path := filepath.Join(dir, f.List()[0].Name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := text[bytes.LastIndexByte(text[:len(text)-1], '\n'):] // the last line, and the end of the one before
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt(end, record.MinBytes-left-int64(len(end)))
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestHeldDisk uses a disk that blocks a reader of a segment, and a removal to make room. The observation continues.
func TestHeldDisk(t *testing.T) {
	dir := t.TempDir()
	filled(t, dir, 1<<10)
	disk := record.NewHeldDisk(dir)
	f := open(t, disk.Config())
	oldest := f.List()[0].Name
	err := f.Recorded("", header, func(_ context.Context, sink event.Sink) error {
		s := source{sink: sink}
		s.begin(began.Add(time.Hour))
		opened := make(chan error)
		go func() {
			r, err := f.Read(oldest)
			if err == nil {
				err = r.Close()
			}
			opened <- err
		}()
		for _, held := range []string{"open", "remove"} {
			if what := <-disk.Held; what != held {
				t.Errorf("somebody is held up who is to %s", what)
			}
			s.znodes(10, 1<<10) // more than fits
			if all := f.List(); all[len(all)-1].Name != oldest {
				t.Errorf("it is gone before its file is: %+v", all)
			}
			disk.Go <- struct{}{}
			if held == "open" {
				if err := <-opened; err != nil {
					t.Error(err)
				}
			}
		}
		return nil
	})(t.Context(), discard{})
	if err != nil {
		t.Fatal(err)
	}
	closed(t, f)
	if all := f.List(); len(all) != 1 || all[0].Name == oldest || all[0].Events != 21 || f.Stats().Removed != 1 {
		t.Errorf("there are %+v", all)
	}
}

// TestOneRecorder checks that only one program can record into a folder.
func TestOneRecorder(t *testing.T) {
	c := record.Config{Dir: t.TempDir(), Max: record.MinBytes}
	f := open(t, c)
	if _, err := record.Open(c); err == nil || !strings.Contains(err.Error(), "another program records into "+c.Dir) {
		t.Errorf("a second one: %v", err)
	}
	closed(t, f)
	closed(t, open(t, c))
}

// TestRead checks that only names from the list can be read.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret.jsonl"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := open(t, record.Config{Dir: filepath.Join(dir, "records"), Max: record.MinBytes})
	observe(t, f, "", began, 3)
	closed(t, f)
	r, err := f.Read(f.List()[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if log, err := trace.Read(r); err != nil || len(log.Events) != 5 || r.Path != "/app/lock" {
		t.Errorf("%v, %+v", err, r.Record)
	}
	for _, name := range []string{"", ".", "../secret.jsonl", filepath.Join(dir, "secret.jsonl"), "record.lock"} {
		if r, err := f.Read(name); !errors.Is(err, os.ErrNotExist) {
			text, _ := io.ReadAll(r)
			t.Errorf("%q: %s, %v", name, text, err)
		}
	}
}

// TestValidate refuses a maximum size that is too small.
func TestValidate(t *testing.T) {
	if _, err := record.Open(record.Config{Dir: t.TempDir(), Max: record.MinBytes - 1}); err == nil {
		t.Error("too small a folder is taken")
	}
}
