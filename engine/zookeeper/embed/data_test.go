package embed_test

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestDamagedData starts with a file with one wrong byte, and with a truncated one. The server refuses both and
// leaves them alone.
func TestDamagedData(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	s := listen(t, embed.Config{Data: path})
	do(t, dial(t, s), create("/a", zoo.Ephemeral))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
	refused := func(bad []byte) {
		t.Helper()
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := embed.Listen(embed.Config{Data: path})
		if err == nil {
			_ = s.Close()
			t.Fatalf("%q was taken", bad)
		}
		if !strings.Contains(err.Error(), "it is left as it is. Move it away") {
			t.Error(err)
		}
		if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, bad) {
			t.Error("it was not left as it is", err)
		}
	}
	for i := 0; i < len(whole); i += 7 {
		bad := bytes.Clone(whole)
		bad[i] ^= 0x10
		refused(bad)
		refused(whole[:i])
	}
}

// TestDataAtIntervals checks that changes reach the file while the server runs, and that nothing is written without
// changes.
func TestDataAtIntervals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	s := listen(t, embed.Config{Data: path, SnapshotEvery: 5 * time.Millisecond})
	p := dial(t, s)
	do(t, p, create("/there-is-no-other-like-it", zoo.Persistent))
	until(t, "the change is in the file", func() bool {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(text, []byte("there-is-no-other-like-it"))
	})
	first, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		time.Sleep(5 * time.Millisecond)
		do(t, p, wire.Request{Op: wire.OpExists, Path: "/"})
	}
	if last, err := os.Stat(path); err != nil || !os.SameFile(first, last) {
		t.Error("it was written again, though nothing has changed", err)
	}
}

// TestDataOfAnother checks that the server doesn't overwrite a file that another program has put in place of its own.
func TestDataOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	s := listen(t, embed.Config{Data: path})
	if err := os.Rename(path, path+".mine"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	do(t, dial(t, s), create("/a", zoo.Persistent))
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "somebody else has written it") {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "dear" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestRestartUnderAClient restarts the server with its data under a client library. The library reconnects to the
// same session.
func TestRestartUnderAClient(t *testing.T) {
	config := embed.Config{Data: filepath.Join(t.TempDir(), "data")}
	s := listen(t, config)
	config.Addr = s.Addr().String()
	c := connect(t, config.Addr, net.DialTimeout)
	if _, err := c.Create("/e", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	session := c.SessionID()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Get("/e"); err == nil {
		t.Error("a closed server answered")
	}
	listen(t, config)
	until(t, "the library is back", func() bool {
		_, stat, err := c.Get("/e")
		return err == nil && stat.EphemeralOwner == session
	})
	if c.SessionID() != session {
		t.Error("it has another session")
	}
}

// TestDataOfTwo starts a second server with the file of the first. It is refused until the first has ended.
func TestDataOfTwo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	s := listen(t, embed.Config{Data: path})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, link} {
		second, err := embed.Listen(embed.Config{Data: name})
		if err == nil {
			_ = second.Close()
			t.Fatalf("%s: two servers have one file", name)
		}
		if !strings.Contains(err.Error(), path+": another server uses it") {
			t.Error(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := listen(t, embed.Config{Data: path}).Close(); err != nil {
		t.Error(err)
	}
}

// TestDataUnwritable uses a path so long that the file's own name can be opened, but not the longer temporary name.
// The error says what is left.
func TestDataUnwritable(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("how long a path may be is Linux's")
	}
	const pathMax = 4096 // with the NUL at its end
	dir, length := t.TempDir(), pathMax-1-len("/d.lock")
	for len(dir) < length {
		more := min(length-len(dir)-len("/"), 200)
		if rest := length - len(dir) - len("/") - more; rest == 1 {
			more-- // a name of one byte has no room for its slash
		}
		dir = filepath.Join(dir, strings.Repeat("n", more))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "d")
	_, err := embed.Listen(embed.Config{Data: path})
	if err == nil || !strings.Contains(err.Error(), "there is none from before") {
		t.Error(err)
	}
	other := filepath.Join(t.TempDir(), "data")
	if err := listen(t, embed.Config{Data: other}).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	s := listen(t, embed.Config{Data: path})
	do(t, dial(t, s), create("/a", zoo.Persistent))
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "the last one is still there") {
		t.Error(err)
	}
}

// TestLeftovers checks that a new server deletes the temporary file of one that was killed while it wrote.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, ".zkviz-123.tmp")
	if err := os.WriteFile(left, []byte("half a snapshot"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := listen(t, embed.Config{Data: filepath.Join(dir, "data")})
	if _, err := os.Lstat(left); err == nil {
		t.Errorf("%s is still there", left)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
