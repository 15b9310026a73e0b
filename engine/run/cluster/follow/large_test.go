package follow_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// TestLarge reads the locks of a large tree: a queue of thousands of items, a lock that comes after thousands of plain
// znodes, and a thousand locks; it reads only holders' data. What it says before it has read everything is true.
func TestLarge(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	conn, _, err := zk.Connect([]string{srv.Addr}, zktest.MaxSession, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	const items, plain, many = 5200, 2500, 300
	tree := treeOf{t: t, conn: conn}
	tree.put("/app/config", plain, "key%05d", 0)
	tree.put("/overseer/queue", items, "qn-%010d", 0)
	tree.put("/service/leader", 2, "_c_9f3a6c1e-0b7d-4f55-9a1b-0123456789ab-latch-%010d", zk.FlagEphemeral)
	for i := range many {
		tree.put(fmt.Sprintf("/jobs/l%d", i), 1, "lock-%010d", zk.FlagEphemeral)
	}
	tree.send()
	l := follow.New(cluster.Cluster{Servers: []string{srv.Addr}})
	t.Cleanup(l.Close)
	reports := 0
	for {
		r, err := l.Report(t.Context(), "/", false)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Rows {
			row := &r.Rows[i]
			if row.Use == naming.Queue && row.Items != items || row.Use == naming.Lock && row.Inside != 1 ||
				row.Use == naming.Election && (row.Inside != 1 || row.Waiting != 1) || row.Use == naming.Unknown {
				t.Fatalf("after %d znodes it says %+v", r.Found, row)
			}
		}
		if r.Reading && r.Away == "" {
			reports++
			continue
		}
		if r.Away != "" {
			t.Log("the server was slow to answer: ", r.Away)
			continue
		}
		check(t, r, many)
		break
	}
	if reports == 0 {
		t.Error("it says nothing before it has read all")
	}
}

func check(t *testing.T, r follow.Report, many int) {
	t.Helper()
	row := func(path string) locks.Row {
		i := slices.IndexFunc(r.Rows, func(row locks.Row) bool { return row.Path == path })
		if i < 0 {
			t.Fatalf("of %d rows none is %s", len(r.Rows), path)
		}
		return r.Rows[i]
	}
	if len(r.Rows) != many+2 || r.Partial || r.ToRead != 0 {
		t.Errorf("%d rows, partial: %v, %d znodes to go", len(r.Rows), r.Partial, r.ToRead)
	}
	if q := row("/overseer/queue"); q.Use != naming.Queue {
		t.Errorf("the queue is %+v", q)
	}
	if e := row("/service/leader"); e.Holding[0].Data != "data" {
		t.Errorf("who leads is %+v", e.Holding[0])
	}
}

// treeOf makes znodes.
type treeOf struct {
	t    *testing.T
	conn *zk.Conn
	made map[string]bool
	ops  []any
}

func (m *treeOf) add(path string, flags int32) {
	m.ops = append(m.ops, &zk.CreateRequest{Path: path, Data: []byte("data"), Flags: flags, Acl: zk.WorldACL(zk.PermAll)})
	if len(m.ops) == 1000 {
		m.send()
	}
}

// put creates some children of a znode, and what is above it.
func (m *treeOf) put(at string, n int, name string, flags int32) {
	if m.made == nil {
		m.made = map[string]bool{"": true}
	}
	for i, c := range at + "/" {
		if up := at[:i]; c == '/' && !m.made[up] {
			m.made[up] = true
			m.add(up, 0)
		}
	}
	for i := range n {
		m.add(at+"/"+fmt.Sprintf(name, i), flags)
	}
}

func (m *treeOf) send() {
	m.t.Helper()
	if _, err := m.conn.Multi(m.ops...); err != nil {
		m.t.Fatal(err)
	}
	m.ops = m.ops[:0]
}
