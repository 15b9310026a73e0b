package cluster_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// TestBelowChroot observes equal znodes at the root and below a chroot. The logs have the same paths, also where they
// say what is left out.
func TestBelowChroot(t *testing.T) {
	srv, err := embed.Listen(embed.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	c, _, err := zk.Connect([]string{srv.ConnectString()}, 30*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	create := func(path string, flags int32, perms int32) {
		t.Helper()
		if _, err := c.Create(path, []byte("data"), flags, zk.WorldACL(perms)); err != nil {
			t.Fatalf("create %s: %v", path, err)
		}
	}
	observe := func(chroot, root, until string, then func(log *told)) string {
		t.Helper()
		on := cluster.Cluster{Servers: []string{srv.ConnectString()}, Access: access.Dialer{Chroot: chroot}}
		log := &told{waited: waited{state: view.NewFor(on.Observed(root)), news: make(chan struct{}, 1)}}
		ctx, stop := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() { over <- on.Observe(ctx, on.Observed(root), log) }()
		log.tells(t, until)
		then(log)
		stop()
		<-over
		return log.text
	}
	create("/app", 0, zk.PermAll)
	logs := map[string]string{}
	for _, chroot := range []string{"", "/app"} {
		create(chroot+"/l", 0, zk.PermAll)
		create(chroot+"/l/app", 0, zk.PermAll)
		create(chroot+"/l/lock-0000000001", zk.FlagEphemeral, zk.PermAll)
		create(chroot+"/l/secret", 0, zk.PermWrite)
		logs[chroot] = observe(chroot, "/l", "/l/secret recipe.note left-data", func(log *told) {
			create(chroot+"/l/app/late", 0, zk.PermAll)
			log.tells(t, "/l/app/late znode.created")
			if err := c.Delete(chroot+"/l/lock-0000000001", -1); err != nil {
				t.Fatal(err)
			}
			log.tells(t, "/l/lock-0000000001 znode.deleted")
		})
		logs[chroot] += observe(chroot, "/none", "/none recipe.note left-missing", func(*told) {})
	}
	if logs[""] != logs["/app"] {
		t.Errorf("at the root\n%s\nand below a chroot\n%s", logs[""], logs["/app"])
	}
	observe("/none", "/", "/ recipe.note left-missing", func(*told) {})
}

// told is a waited log with its text, apart from what differs between equal znodes.
type told struct {
	waited
	text string
}

// Append implements event.Sink.
func (l *told) Append(e event.Event) {
	l.mu.Lock()
	l.text += fmt.Sprintln(e.Path, e.Kind, e.Reason, e.Seq, e.Text, e.Actor, e.Peer, e.Mode, e.Code)
	l.mu.Unlock()
	l.waited.Append(e)
}

// tells waits for a line of the text that begins so.
func (l *told) tells(t *testing.T, line string) {
	t.Helper()
	l.until(t, line, func(*view.State) bool { return strings.Contains(l.text, "\n"+line+" ") })
}
