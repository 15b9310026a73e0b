package clients

import (
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

// witness reads the tree with another kind of client than the one that did the work.
type witness struct {
	t    *testing.T
	conn *zk.Conn
}

func newWitness(t *testing.T, addr string) witness {
	return witness{t, connect(t, addr)}
}

// connect opens a session of go-zookeeper. It closes at the end of the test.
func connect(t *testing.T, addr string) *zk.Conn {
	t.Helper()
	return connectBy(t, addr, net.DialTimeout)
}

func connectBy(t *testing.T, addr string, dial zk.Dialer) *zk.Conn {
	t.Helper()
	conn, _, err := zk.Connect([]string{addr}, session, zk.WithDialer(dial), zk.WithLogInfo(false),
		zk.WithLogger(newLogger(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// logger forwards the log of a connection until the test ends. Later lines only report the end, and a finished test
// must not log.
type logger struct {
	t    *testing.T
	mu   sync.Mutex
	over bool
}

func newLogger(t *testing.T) *logger {
	l := &logger{t: t}
	t.Cleanup(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.over = true
	})
	return l
}

func (l *logger) Printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over && l.t.Context().Err() == nil {
		l.t.Logf(format, args...)
	}
}

// wantData compares the data of a znode.
func (w witness) wantData(path, want string) {
	w.t.Helper()
	data, _, err := w.conn.Get(path)
	if err != nil || string(data) != want {
		w.t.Errorf("%s holds %q (%v), want %q", path, data, err, want)
	}
}

// wantGone checks that a znode doesn't exist.
func (w witness) wantGone(path string) {
	w.t.Helper()
	if there, _, err := w.conn.Exists(path); there || err != nil {
		w.t.Errorf("%s: there is %v (%v), want it gone", path, there, err)
	}
}

// wantLeft compares the children of a znode.
func (w witness) wantLeft(path string, want ...string) {
	w.t.Helper()
	names, _, err := w.conn.Children(path)
	if err != nil || !sameSet(names, want) {
		w.t.Errorf("%s has the children %q (%v), want %q", path, names, err, want)
	}
}

// wantNoEphemerals waits until no session owns a znode at or below path. Some clients don't wait until the server
// has closed their session.
func (w witness) wantNoEphemerals(path string) {
	w.t.Helper()
	left := w.ephemerals(path)
	for end := time.Now().Add(limit); len(left) > 0 && time.Now().Before(end); left = w.ephemerals(path) {
		time.Sleep(20 * time.Millisecond)
	}
	if len(left) > 0 {
		w.t.Errorf("sessions still own %q", left)
	}
}

// ephemerals lists the ephemeral znodes at and below path.
func (w witness) ephemerals(path string) (found []string) {
	w.t.Helper()
	there, stat, err := w.conn.Exists(path)
	if err != nil {
		w.t.Fatalf("exists %s: %v", path, err)
	}
	if there && stat.EphemeralOwner != 0 {
		found = append(found, path)
	}
	names, _, err := w.conn.Children(path)
	if err != nil && !errors.Is(err, zk.ErrNoNode) {
		w.t.Fatalf("children of %s: %v", path, err)
	}
	for _, name := range names {
		found = append(found, w.ephemerals(strings.TrimSuffix(path, "/")+"/"+name)...)
	}
	return found
}

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}
