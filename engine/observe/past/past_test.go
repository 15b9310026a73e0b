package past_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// made returns creates of /1, /2 and so on, for a range of zxids.
func made(from, to int64) (all []wire.Txn) {
	for zxid := from; zxid <= to; zxid++ {
		all = append(all, wire.Txn{Session: 7, Cxid: 1, Zxid: zxid, TimeMS: 1000 * zxid, Op: wire.OpCreate,
			Path: fmt.Sprint("/", uint32(zxid))})
	}
	return all
}

// folder returns a folder with these files.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestPassed checks the progress reports, up to the whole.
func TestPassed(t *testing.T) {
	log := txnlogtest.Log(made(1, 10_000)...)
	f, err := past.Find(folder(t, map[string][]byte{"log.1": log}))
	if err != nil || f.Size() != int64(len(log)) {
		t.Fatal(err, f.Size())
	}
	last, calls := int64(0), 0
	f.Passed = func(bytes int64) {
		if bytes <= last || bytes > f.Size() {
			t.Errorf("after %d it has passed %d bytes", last, bytes)
		}
		last, calls = bytes, calls+1
	}
	nothing := func(*replay.State, *wire.Txn, []replay.Fact) error { return nil }
	for what, do := range map[string]func() error{
		"reading":   func() error { return f.Read(t.Context(), "/", func(past.Trouble) {}, nothing) },
		"comparing": func() error { _, err := f.Compare(t.Context()); return err },
		"the end":   func() error { _, err := f.LastTime(t.Context()); return err },
	} {
		last, calls = 0, 0
		if err := do(); err != nil || calls != 2 || last < f.Size()/2 {
			t.Errorf("%s: %v, told %d times, at last of %d bytes of %d", what, err, calls, last, f.Size())
		}
	}
}

// read reads files. It returns the zxids and the reported troubles.
func read(t *testing.T, paths ...string) (zxids []int64, troubles []string) {
	t.Helper()
	f, err := past.Find(paths...)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Read(t.Context(), "/", func(x past.Trouble) {
		troubles = append(troubles, strings.TrimSpace(filepath.Base(x.Path)+" "+x.Err.Error()))
	}, func(_ *replay.State, txn *wire.Txn, facts []replay.Fact) error {
		zxids = append(zxids, txn.Zxid)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return zxids, troubles
}

// TestFolder checks that files are read in the order of their transactions, whatever their names, and duplicates
// once. Missing and torn parts are reported, and the rest is read.
func TestFolder(t *testing.T) {
	const epoch = 1 << 32
	torn := txnlogtest.Log(made(9, 12)...)
	dir := folder(t, map[string][]byte{
		"version-2/log.1":             txnlogtest.Log(made(1, 5)...),
		"version-2/log.4":             txnlogtest.Log(made(4, 7)...), // a copy
		"version-2/log.9":             torn[:len(torn)-1024-20],
		"version-2/log.100000001":     txnlogtest.Log(made(epoch+1, epoch+2)...),
		"version-2/log.100000003":     txnlogtest.Log(),
		"version-2/acceptedEpoch":     []byte("1"),
		"version-2/.snapshot.tmp.abc": nil,
	})
	zxids, troubles := read(t, dir)
	if got, want := fmt.Sprint(zxids), "[1 2 3 4 5 6 7 9 10 11 4294967297 4294967298]"; got != want {
		t.Errorf("it reads %s, not %s", got, want)
	}
	want := []string{
		". the transactions between 0x7 and 0x9 are missing: what was there before them may have gone since",
		"log.9 the log is torn at byte 246: the file ends in a transaction",
		". something between the transactions 0xb and 0x100000001 can't be read: " +
			"what was there before it may have gone since",
	}
	if fmt.Sprint(troubles) != fmt.Sprint(want) {
		t.Errorf("it says %q, not %q", troubles, want)
	}
	one := filepath.Join(dir, "version-2", "log.1")
	if zxids, troubles := read(t, one); len(zxids) != 5 || troubles != nil {
		t.Errorf("%s: %v, %q", one, zxids, troubles)
	}
}

// TestNothing checks the errors for paths without logs.
func TestNothing(t *testing.T) {
	dir := folder(t, map[string][]byte{"notes.txt": []byte("hello"), "empty/version-2/log.1": txnlogtest.Log()})
	for path, want := range map[string]error{
		dir: past.ErrNoLog, filepath.Join(dir, "empty"): past.ErrNoLog,
		filepath.Join(dir, "notes.txt"): txnlog.ErrNotLog, filepath.Join(dir, "nowhere"): os.ErrNotExist,
	} {
		if _, err := past.Find(path); !errors.Is(err, want) {
			t.Errorf("%s: %v, not %v", path, err, want)
		}
	}
}

// TestInterrupted checks that cancellation ends reading.
func TestInterrupted(t *testing.T) {
	f, err := past.Find(folder(t, map[string][]byte{"log.1": txnlogtest.Log(made(1, 10_000)...)}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err = f.Read(ctx, "/", func(past.Trouble) {}, func(*replay.State, *wire.Txn, []replay.Fact) error {
		n++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || n == 10_000 {
		t.Errorf("after %d transactions: %v", n, err)
	}
}

// TestLastTime finds the time of the last transaction, even if the last log is empty or torn.
func TestLastTime(t *testing.T) {
	torn := txnlogtest.Log(made(3, 4)...)
	for name, files := range map[string]map[string][]byte{
		"whole": {"log.1": txnlogtest.Log(made(1, 2)...), "log.3": txnlogtest.Log(made(3, 4)...)},
		"empty": {"log.1": txnlogtest.Log(made(1, 4)...), "log.5": txnlogtest.Log()},
		"torn":  {"log.1": txnlogtest.Log(made(1, 2)...), "log.3": append(torn[:len(torn)-1024], 1, 2, 3)},
	} {
		f, err := past.Find(folder(t, files))
		if err != nil {
			t.Fatal(err)
		}
		if ms, err := f.LastTime(t.Context()); ms != 4000 || err != nil {
			t.Errorf("%s: %d, %v", name, ms, err)
		}
	}
}
