package main

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

// TestServers parses lists of servers as people write them.
func TestServers(t *testing.T) {
	c := clusterFlags{ZK: []string{"a:1", " b:2", "a:1", "[::1]:3 "}, ZKPath: "/zkviz"}
	if err := c.validate(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a:1", "b:2", "[::1]:3"}; !slices.Equal(c.ZK, want) {
		t.Errorf("the servers are %q, not %q", c.ZK, want)
	}
	c = clusterFlags{ZK: []string{"zk://a,b/app/"}, ZKPath: "/zkviz"}
	if err := c.validate(); err != nil || c.access.Chroot != "/app" || !slices.Equal(c.ZK, []string{"a:2181", "b:2181"}) {
		t.Errorf("it takes %q below %q, %v", c.ZK, c.access.Chroot, err)
	}
	for server, want := range map[string]string{
		"http://a:1":  `--zk: "http" is not the scheme of a ZooKeeper: write host:port`,
		"a:1/app,b":   `the path "/app" stands between servers`,
		"a/zookeeper": "belongs to ZooKeeper itself",
		"::1":         "write [::1] or [::1]:2181",
		"":            "--zk: it names no server",
	} {
		c := clusterFlags{ZK: []string{server}, ZKPath: "/zkviz"}
		if err := c.validate(); err == nil || !strings.Contains(voice().Error(err), want) {
			t.Errorf("%q: %v", server, err)
		}
	}
}

// TestPathExists checks that another client's znode is refused as --zk-path, with advice, unless a flag allows it.
// Then runs leave the znode unchanged.
func TestPathExists(t *testing.T) {
	t.Parallel()
	addr, conn := inside(t)
	if _, err := conn.Create("/jobs", []byte("theirs"), 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	const refused = "/jobs exists and was not made by zkviz; name another --zk-path, or add --zk-path-exists to run " +
		"there all the same\n"
	for _, command := range [][]string{{"run", "unique-lock"}, {"compare", "unique-lock", "--clients", "2"}} {
		args := append(command, "--zk", addr, "--zk-path", "/jobs")
		var out, errs bytes.Buffer
		code := execute(args, &terminal{ctx: t.Context(), out: &out, err: &errs})
		if code != exitTrouble || !strings.HasSuffix(errs.String(), refused) {
			t.Errorf("%q: exit code %d; stderr: %s", args, code, errs.String())
		}
		errs.Reset()
		if code := execute(append(args, "--zk-path-exists"), &terminal{ctx: t.Context(), out: &out,
			err: &errs}); code != exitOK {
			t.Errorf("%q with --zk-path-exists: exit code %d; stderr: %s", args, code, errs.String())
		}
		data, stat, err := conn.Get("/jobs")
		if err != nil || string(data) != "theirs" || stat.Version != 0 || stat.NumChildren != 0 {
			t.Errorf("after %q, /jobs is %q, %+v (%v)", args, data, stat, err)
		}
	}
	ctx, interrupt := context.WithTimeout(t.Context(), 10*time.Minute)
	defer interrupt()
	logged := strings.TrimSuffix(refused, "\n")
	errs := bell{awaited: logged, ring: interrupt}
	args := []string{"serve", "--addr", "127.0.0.1:0", "--zk", addr, "--zk-path", "/jobs"}
	if code := execute(args, &terminal{ctx: ctx, out: io.Discard, err: &errs}); code != exitOK ||
		!strings.Contains(errs.String(), logged) {
		t.Errorf("serve: exit code %d; it says %q", code, errs.String())
	}
}

// TestLeavings prints leftovers, in no more lines than a person reads.
func TestLeavings(t *testing.T) {
	var l leftovers
	l.add([]string{"first"})
	l.add(slices.Repeat([]string{"other"}, maxLeftovers))
	l.add([]string{"last"})
	var errs bytes.Buffer
	l.print(&terminal{err: &errs})
	want := "viz-server: first\n" + strings.Repeat("viz-server: other\n", maxLeftovers-1) +
		"viz-server: and 2 more lines like these\n"
	if errs.String() != want {
		t.Errorf("it prints %s", errs.String())
	}
}
