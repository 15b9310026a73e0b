package sqlconform_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/mysql"
	"github.com/zkviz/zkviz/engine/testing/sqltest"
)

// theEnd is how InnoDB names the gap behind a table's last row.
const theEnd = "supremum pseudo-record"

// TestWhatSearchesLock checks on a real MariaDB which locks the others wait for while one session has searched, as
// lessons say: a search without an index locks every row and the table's end, one by a unique index only its row, and
// one that finds no row only the table's end, which keeps out no other search.
func TestWhatSearchesLock(t *testing.T) {
	byTask := func(task string) *sql.Call { return &sql.Call{Statement: sql.LockTask, Text: task} }
	byID := func(id int64) *sql.Call { return &sql.Call{Statement: sql.LockJob, N: id} }
	tickets := &sql.Call{Statement: sql.ReadForUpdate, Row: "tickets"}
	for _, c := range []struct {
		name, before string
		search       [3]*sql.Call // of A, of B, and of C
		write        *sql.Call    // of C
		rows         int          // that A gets
		waits        [2]string    // for what B and then C waits, "" for nothing
	}{
		{"no index", "SELECT 1", [3]*sql.Call{byTask("print A"), byTask("print B")},
			&sql.Call{Statement: sql.PutJob, Text: "print C"}, 1, [2]string{"1", theEnd}},
		{"by id", "SELECT 1", [3]*sql.Call{byID(1), byID(2)},
			&sql.Call{Statement: sql.PutJob, Text: "print C"}, 1, [2]string{}},
		{"unique index", "ALTER TABLE jobs MODIFY task varchar(100), ADD UNIQUE INDEX by_task (task)",
			[3]*sql.Call{byTask("print A"), byTask("print B")},
			&sql.Call{Statement: sql.PutJob, Text: "print C"}, 1, [2]string{}},
		{"no row", "SELECT 1", [3]*sql.Call{tickets, tickets, tickets},
			&sql.Call{Statement: sql.Insert, Row: "tickets", N: 3}, 0, [2]string{"", theEnd}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSessions(t)
			s.must(0, c.before)
			for _, task := range []string{"print A", "print B"} {
				s.must(0, (&sql.Call{Statement: sql.PutJob, Text: task}).SQL(sql.MySQL))
			}
			s.must(0, "BEGIN")
			if got := s.must(0, c.search[0].SQL(sql.MySQL)); len(got) != c.rows {
				t.Errorf("A gets %d rows, want %d", len(got), c.rows)
			}
			s.must(1, "BEGIN")
			b, bDone := s.asks(1, c.search[1])
			if c.search[2] != nil {
				s.must(2, "BEGIN")
				s.must(2, c.search[2].SQL(sql.MySQL))
			}
			w, wDone := s.asks(2, c.write)
			if got := [2]string{b, w}; got != c.waits {
				t.Errorf("B and C wait for %q, want %q", got, c.waits)
			}
			s.must(0, "COMMIT")
			s.ends(bDone)
			s.must(1, "COMMIT") // now B may have the end locked, too
			s.ends(wDone)
		})
	}
}

// sessions has those of A, B and C, and one that looks at what they wait for.
type sessions struct {
	*testing.T
	conns [3]*mysql.Conn
	ids   [3]string
	looks *mysql.Conn
}

func newSessions(t *testing.T) *sessions {
	cfg := sqltest.SharedMariaDB(t)
	s := &sessions{T: t, looks: openMariaDB(t, cfg)}
	for i := range s.conns {
		s.conns[i] = openMariaDB(t, cfg)
		s.ids[i] = s.must(i, "SELECT CONNECTION_ID()")[0][0]
	}
	return s
}

func (s *sessions) must(i int, text string) [][]string {
	s.Helper()
	rows, err := s.conns[i].Query(text)
	if err != nil {
		s.Fatalf("%c: %s: %v", 'A'+i, text, err)
	}
	return rows
}

// asks executes a statement, and returns once it has ended, or with the record that it waits for.
func (s *sessions) asks(i int, call *sql.Call) (waits string, done <-chan error) {
	s.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := s.conns[i].Query(call.SQL(sql.MySQL))
		ended <- err
	}()
	for range 60 {
		select {
		case err := <-ended:
			ended <- err
			return "", ended
		case <-time.After(150 * time.Millisecond): // InnoDB's tables don't change for readers within 100 ms
		}
		rows, err := s.looks.Query("SELECT l.lock_data FROM information_schema.innodb_locks l" +
			" JOIN information_schema.innodb_trx t ON t.trx_requested_lock_id = l.lock_id" +
			" WHERE t.trx_mysql_thread_id = " + s.ids[i])
		if err != nil {
			s.Fatal(err)
		}
		if len(rows) > 0 {
			return rows[0][0], ended
		}
	}
	s.Fatalf("%c neither ends nor waits for a lock: %s", 'A'+i, call.SQL(sql.MySQL))
	return "", nil
}

func (s *sessions) ends(done <-chan error) {
	s.Helper()
	select {
	case err := <-done:
		if err != nil {
			s.Error(err)
		}
	case <-time.After(10 * time.Second):
		s.Error("still waits after the others have committed")
	}
}

// TestPostgresLocksWhatItFinds checks on a real PostgreSQL that a search without an index locks only the row that it
// was looking for.
func TestPostgresLocksWhatItFinds(t *testing.T) {
	cfg := sqltest.SharedPostgres(t)
	exec := func(c *pgconn.PgConn, text string) {
		t.Helper()
		if _, err := c.Exec(context.Background(), text).ReadAll(); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	open := func() *pgconn.PgConn {
		c, err := pgconn.Connect(context.Background(), cfg.URL)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close(context.Background()) })
		exec(c, fmt.Sprintf("SET search_path = %s; SET lock_timeout = '2s'", cfg.Schema))
		return c
	}
	in := func(s sql.Statement, text string) string {
		return (&sql.Call{Statement: s, Text: text}).SQL(sql.Postgres)
	}
	a, b, c := open(), open(), open()
	exec(a, in(sql.PutJob, "print A"))
	exec(a, in(sql.PutJob, "print B"))
	exec(a, "BEGIN")
	exec(a, in(sql.LockTask, "print A"))
	exec(b, "BEGIN")
	exec(b, in(sql.LockTask, "print B"))
	exec(c, in(sql.PutJob, "print C"))
	_, err := c.Exec(context.Background(), in(sql.LockTask, "print A")).ReadAll()
	if err == nil || !strings.Contains(err.Error(), "55P03") {
		t.Errorf("A's row should be locked, got %v", err)
	}
}
