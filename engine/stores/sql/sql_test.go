package sql_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/model"
	"github.com/zkviz/zkviz/engine/testing/golden"
)

// direct is a direct connection to a simulated database. A call that must wait returns errWaits.
type direct struct {
	node    *model.Server
	session remote.Session
	reply   *remote.Reply
	opened  int
	over    bool
}

var errWaits = errors.New("waits")

func (c *direct) Do(r remote.Request) (remote.Reply, error) {
	if r.On != 0 && (c.over || r.On != c.opened) {
		return remote.Reply{}, program.ErrLost
	}
	if c.session == nil || c.over {
		c.session, c.over = c.node.Connect(link{c}, 1, 0), false
		c.opened++
	}
	c.reply = nil
	c.session.Handle(r, 0, 0)
	if c.reply == nil {
		return remote.Reply{}, errWaits
	}
	return *c.reply, nil
}

func (c *direct) Next(time.Duration) (remote.Push, error) { return remote.Push{}, program.ErrTimeout }
func (c *direct) Close()                                  { c.session.Lost(0, 0); c.over = true }
func (c *direct) Opened() int                             { return c.opened }
func (c *direct) breaks()                                 { c.Close() }

// link is its other end.
type link struct{ *direct }

func (l link) Reply(r remote.Reply, _ bool, _ event.Seq) { l.reply = &r }
func (link) Push(remote.Push, event.Seq)                 {}
func (link) Close(event.Reason, event.Seq)               {}

func emitNothing(event.Event) event.Seq { return 0 }
func newNode(d sql.Dialect) *model.Server {
	return model.New(model.Config{Emit: emitNothing, Dialect: d})
}
func newClient(n *model.Server, d sql.Dialect) (*sql.Client, *direct) {
	c := &direct{node: n}
	return sql.New(c, d), c
}

// TestGoldenStatements shows the text of every statement in both dialects.
func TestGoldenStatements(t *testing.T) {
	golden.Script(t, "testdata/statements", func(*testing.T, *datadriven.TestData) string {
		var out strings.Builder
		for _, s := range sql.Statements() {
			c := sql.Call{Statement: s, Row: "it's", Text: `A\'1`, N: -3, Version: 7, For: 1500 * time.Millisecond}
			out.WriteString(s.String() + ", about " + c.Path() + "\n")
			for _, d := range []sql.Dialect{sql.Postgres, sql.MySQL} {
				if s.In(d) {
					out.WriteString("  " + c.SQL(d) + "\n")
				}
			}
		}
		return out.String()
	})
}

// insertLock inserts a row for a resource, and fails if there is one.
func insertLock(c *sql.Client, resource, owner string) error {
	_, err := c.Do(sql.Call{Statement: sql.InsertLock, Row: resource, Text: owner})
	return err
}

// TestMethods checks what the methods return for a database's replies.
func TestMethods(t *testing.T) {
	for _, d := range []sql.Dialect{sql.Postgres, sql.MySQL} {
		n := newNode(d)
		a, _ := newClient(n, d)
		b, _ := newClient(n, d)
		check := func(what string, ok bool) {
			t.Helper()
			if !ok {
				t.Errorf("dialect %d: %s", d, what)
			}
		}
		got, err := a.TryInsertLock("lock", "A")
		check("A inserts", got && err == nil)
		got, err = b.TryInsertLock("lock", "B")
		check("B does not", !got && err == nil)
		var e *sql.Error
		check("a plain INSERT is refused", errors.As(insertLock(b, "lock", "B"), &e) && e.Duplicate() && !e.Busy())
		owner, there, err := b.LockOwner("lock")
		check("it is A's", owner == "A" && there && err == nil)
		got, _ = b.DeleteLock("lock", "B")
		check("B cannot delete it", !got)
		got, _ = a.DeleteLock("lock", "A")
		check("A can", got)

		fence, _ := a.TakeLease("lock", "A", time.Second)
		check("the first fence is 1", fence == 1)
		fence, _ = b.TakeLease("lock", "B", time.Second)
		check("B gets none", fence == 0)
		r, _ := a.Do(sql.Call{Statement: sql.RenewLease, Row: "lock", Text: "A", For: 2 * time.Second})
		check("A renews", r.Rows == 1)
		got, _ = b.ReleaseLease("lock", "B")
		check("B cannot release", !got)
		owner, fence, there, _ = b.LeaseOwner("lock")
		check("A has it", owner == "A" && fence == 1 && there)

		check("a row", a.Insert("s", 3) == nil)
		row, there, _ := b.Read("s")
		check("is read", row == sql.Row{N: 3, Version: 1} && there)
		got, _ = a.WriteIfVersion("s", 4, 1)
		check("is written", got)
		got, _ = b.WriteIfVersion("s", 4, 1)
		check("once", !got)
		check("A begins", a.Begin() == nil)
		row, _, _ = a.ReadForUpdate("s")
		check("A locks it", row == sql.Row{N: 4, Version: 2})
		_, _, err = b.ReadForUpdateNoWait("s")
		check("B is told that it is locked", errors.As(err, &e) && e.Busy() && !e.Deadlock())
		_, there, err = b.ReadForUpdateSkipLocked("s")
		check("B skips it", !there && err == nil)
		got, _ = a.Add("s", -1)
		check("A adds", got)
		done, err := a.Commit()
		check("A commits", done && err == nil)
		got, _ = b.Write("s", 9)
		check("B writes", got)

		check("A has the name", a.AdvisoryLock("k") == nil)
		r, _ = b.Do(sql.Call{Statement: sql.AdvisoryTry, Row: "k"})
		check("B has not", !r.Yes)
		got, _ = b.AdvisoryUnlock("k")
		check("B cannot give it back", !got)
		got, _ = a.AdvisoryUnlock("k")
		check("A can", got)

		id, err := a.PutJob("x")
		check("a job", id == 1 && err == nil)
		_, _ = b.Opened(), b.Begin()
		id, task, got, _ := b.TakeJob()
		check("is taken", id == 1 && task == "x" && got)
		_, _, got, _ = a.TakeJob()
		check("by one", !got)
		check("and back after a rollback", b.Rollback() == nil)
		_, _, got, _ = a.TakeJob()
		check("for the other", got)
	}
}

// TestCommitOfWhatIsAborted checks that PostgreSQL's ROLLBACK in reply to a COMMIT is no error.
func TestCommitOfWhatIsAborted(t *testing.T) {
	c, _ := newClient(newNode(sql.Postgres), sql.Postgres)
	_, _ = c.TryInsertLock("lock", "A")
	_, _ = c.Begin(), insertLock(c, "lock", "B")
	var e *sql.Error
	if _, _, err := c.Read("s"); !errors.As(err, &e) || !e.Aborted() {
		t.Errorf("in an aborted transaction: %v", err)
	}
	if done, err := c.Commit(); done || err != nil {
		t.Errorf("committed %v, %v", done, err)
	}
}

// TestTransactionEndsWithItsConnection checks that no part of a transaction runs on another connection.
func TestTransactionEndsWithItsConnection(t *testing.T) {
	n := newNode(sql.Postgres)
	c, conn := newClient(n, sql.Postgres)
	_ = c.Insert("s", 1)
	_ = c.Begin()
	conn.breaks()
	if _, err := c.Write("s", 2); !errors.Is(err, program.ErrLost) {
		t.Errorf("a write: %v", err)
	}
	if done, err := c.Commit(); done || !errors.Is(err, program.ErrLost) {
		t.Errorf("the commit: %v, %v", done, err)
	}
	if row, _, err := c.Read("s"); row.N != 1 || err != nil {
		t.Errorf("then %v, %v", row, err)
	}
	_ = c.Begin()
	conn.breaks()
	if err := c.Rollback(); err != nil {
		t.Errorf("a rollback: %v", err)
	}
}

// FuzzText checks that an argument's text stays between its quotes.
func FuzzText(f *testing.F) {
	f.Add("it's", `a\`, true)
	f.Fuzz(func(t *testing.T, row, text string, postgres bool) {
		d := sql.MySQL
		if postgres {
			d = sql.Postgres
		}
		c := sql.Call{Statement: sql.DeleteLock, Row: row, Text: text}
		rest, ok := strings.CutPrefix(c.SQL(d), "DELETE FROM locks WHERE resource = ")
		if !ok {
			t.Fatal(c.SQL(d))
		}
		got, rest := unquote(t, d, rest)
		if got != strings.ReplaceAll(row, "\x00", "") {
			t.Errorf("%q became %q", row, got)
		}
		rest, ok = strings.CutPrefix(rest, " AND owner = ")
		got, rest = unquote(t, d, rest)
		if !ok || got != strings.ReplaceAll(text, "\x00", "") || rest != "" {
			t.Errorf("%q became %q, and then comes %q", text, got, rest)
		}
	})
}

// unquote parses a quoted text as a database does, and returns what follows.
func unquote(t *testing.T, d sql.Dialect, s string) (text, rest string) {
	t.Helper()
	if s == "" || s[0] != '\'' {
		t.Fatalf("no text: %q", s)
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\'' && i+1 < len(s) && s[i+1] == '\'':
			i++
			b.WriteByte('\'')
		case s[i] == '\'':
			return b.String(), s[i+1:]
		case s[i] == '\\' && d == sql.MySQL:
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	t.Fatalf("no end: %q", s)
	return "", ""
}
