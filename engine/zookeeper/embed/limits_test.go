package embed_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestConfigRefuses checks impossible values next to the nearest possible ones.
func TestConfigRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		config  embed.Config
		refused string // empty if it is accepted
	}{
		"nothing":           {embed.Config{}, ""},
		"shortest tick":     {embed.Config{Tick: 10 * time.Millisecond}, ""},
		"too short a tick":  {embed.Config{Tick: 9 * time.Millisecond}, "a tick is 10ms to 1h0m0s, not 9ms"},
		"negative tick":     {embed.Config{Tick: -time.Second}, "a tick is 10ms to 1h0m0s, not -1s"},
		"longest tick":      {embed.Config{Tick: time.Hour}, ""},
		"too long a tick":   {embed.Config{Tick: time.Hour + time.Millisecond}, "a tick is 10ms to 1h0m0s"},
		"part of a ms":      {embed.Config{Tick: 10*time.Millisecond + 1}, "a tick has whole milliseconds"},
		"no limit":          {embed.Config{MaxConns: -1, MaxZnodes: -1, MaxData: -1, MaxWatches: -1}, ""},
		"negative sessions": {embed.Config{MaxSessions: -1}, "the limit of sessions must not be negative, and is -1"},
		"negative snapshots": {
			embed.Config{SnapshotEvery: -1}, "the time between snapshots must not be negative, and is -1ns",
		},
	} {
		err := c.config.Validate()
		if c.refused == "" && err != nil || c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLoopback(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:2181": true, "127.9.9.9:0": true, "[::1]:1": true, "localhost:1": true,
		":2181": false, "0.0.0.0:1": false, "[::]:1": false, "10.0.0.1:1": false, "example.org:1": false,
		"127.0.0.1": false, "": false,
	} {
		if got := embed.Loopback(addr); got != want {
			t.Errorf("%q: %v", addr, got)
		}
	}
}

// TestLimitsOfRequests requests as much as allowed, and a little more.
func TestLimitsOfRequests(t *testing.T) {
	s := listen(t, embed.Config{MaxZnodes: 2000, MaxWatches: 40})
	p := dial(t, s)
	want := func(what string, code zoo.Code, q wire.Request) {
		t.Helper()
		if got := do(t, p, q); got.Code != code {
			t.Errorf("%s: %v, not %v", what, got.Code, code)
		}
	}
	const depth, entries, parts, owned, pathBytes = 256, 64, 5000, 2000 / 4, 40 * 128
	deep := wire.Request{Op: wire.OpMulti}
	for level := range depth {
		deep.Ops = append(deep.Ops, create(strings.Repeat("/d", level+1), zoo.Persistent))
	}
	want("as deep as may be", zoo.OK, deep)
	want("deeper", zoo.ErrQuotaExceeded, create(strings.Repeat("/d", depth+1), zoo.Persistent))

	guarded := create("/acl", zoo.Persistent)
	guarded.ACL = nil
	for i := range entries {
		guarded.ACL = append(guarded.ACL, zoo.ACL{Perms: zoo.PermAll, Scheme: "ip", ID: fmt.Sprintf("10.0.0.%d", i)})
	}
	want("an ACL as long as may be", zoo.OK, guarded)
	guarded.Path, guarded.ACL = "/acl2", append(guarded.ACL, zoo.ACL{Perms: zoo.PermAll, Scheme: "ip", ID: "10.0.1.1"})
	want("a longer ACL", zoo.ErrInvalidACL, guarded)

	for _, op := range []wire.Op{wire.OpMulti, wire.OpMultiRead} {
		many := wire.Request{Op: op}
		one := wire.Request{Op: wire.OpCheck, Path: "/", Version: -1}
		if op == wire.OpMultiRead {
			one = wire.Request{Op: wire.OpGetChildren, Path: "/acl"}
		}
		for range parts {
			many.Ops = append(many.Ops, one)
		}
		want("as many parts as may be", zoo.OK, many)
		many.Ops = append(many.Ops, one)
		want("more parts", zoo.ErrMarshalling, many)
	}

	mine := wire.Request{Op: wire.OpMulti}
	for i := range owned {
		mine.Ops = append(mine.Ops, create(fmt.Sprint("/e", i), zoo.Ephemeral))
	}
	want("as many of its own as may be", zoo.OK, mine)
	want("more of its own", zoo.ErrQuotaExceeded, create("/more", zoo.Ephemeral))
	want("more of nobody's", zoo.OK, create("/more", zoo.Persistent))
	if got := do(t, dial(t, s), create("/another's", zoo.Ephemeral)); got.Code != zoo.OK {
		t.Errorf("one of another session: %v", got.Code)
	}

	watch := wire.Request{Op: wire.OpExists, Path: "/" + strings.Repeat("w", pathBytes), Watch: true}
	want("a watch with too long a path", zoo.ErrQuotaExceeded, watch)
	watch.Path = watch.Path[:pathBytes*3/4] // the last quarter is reserved for clients with few, short watches
	want("a watch with a long path", zoo.ErrNoNode, watch)
}

// TestLimitsOfIdentities authenticates with as many identities as allowed, with one more, and with a secret that is
// too long.
func TestLimitsOfIdentities(t *testing.T) {
	const ids, idBytes = 64, 16 << 10
	var log lines
	s := listen(t, embed.Config{Log: &log})
	show := func(p *peer.Peer, secret string) error {
		got, _, err := p.Do(wire.Request{Xid: wire.XidAuth, Op: wire.OpAuth, Scheme: "digest", Auth: []byte(secret)})
		if err == nil && got.Code != zoo.OK {
			err = got.Code
		}
		return err
	}
	many := dial(t, s)
	for i := range ids {
		if err := show(many, fmt.Sprintf("%d:x", i)); err != nil {
			t.Fatalf("identity %d of %d: %v", i+1, ids, err)
		}
	}
	if err := show(many, "more:x"); err == nil {
		t.Error("one more was taken")
	}
	if err := show(dial(t, s), "me:"+strings.Repeat("x", idBytes-100)); err != nil {
		t.Error("a long secret:", err)
	}
	if err := show(dial(t, s), "me:"+strings.Repeat("x", idBytes)); err == nil {
		t.Error("too long a secret was taken")
	}
	until(t, "a line in the log", func() bool { return log.has("it has shown too many identities") })
}

// TestLongHandshake sends a handshake of the maximum length, and a longer one, which is refused.
func TestLongHandshake(t *testing.T) {
	const most = 4 << 10
	var log lines
	s := listen(t, embed.Config{Log: &log})
	hello := func(length int) string {
		plain := (&wire.ConnectRequest{TimeoutMS: 30_000, Password: make([]byte, 16)}).Append(nil)
		frame := binary.BigEndian.AppendUint32(nil, uint32(length))
		return string(append(append(frame, plain...), make([]byte, length-len(plain))...))
	}
	conn := dialSilent(t, s)
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(eventually))
	if _, err := io.WriteString(conn, hello(most)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, 4)); err != nil {
		t.Error("a handshake as long as it may be is not answered:", err)
	}
	if got := hangUp(t, s, hello(most+1)); got != "" {
		t.Errorf("a longer handshake was answered with %q", got)
	}
	until(t, "a line in the log", func() bool { return log.has("a handshake of 4097 bytes is too long") })
}

// TestDataRefused checks the error for each file that cannot keep data.
func TestDataRefused(t *testing.T) {
	dir := t.TempDir()
	file, huge := filepath.Join(dir, "file"), filepath.Join(dir, "huge")
	for path, size := range map[string]int64{file: 0, huge: 4<<30 + 1} {
		f, err := os.Create(path)
		if err == nil {
			err = errors.Join(f.Truncate(size), f.Close()) // a sparse file
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, says := range map[string]string{
		filepath.Join(dir, "none", "data"): "there is no folder " + filepath.Join(dir, "none"),
		filepath.Join(file, "data"):        "there is no folder " + file,
		dir:                                "it is not a file; name one",
		huge:                               "it has more than 4 GiB",
	} {
		s, err := embed.Listen(embed.Config{Data: path})
		if err == nil {
			_ = s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "data file "+path+": "+says) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
