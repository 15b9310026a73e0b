package sqlconform_test

import (
	"context"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/mysql"
	"github.com/zkviz/zkviz/engine/testing/sqltest"
)

// TestWhatElseFreesRows checks on a real MariaDB what lessons say about searches without an index, and the simulated
// one doesn't do: an index on the column leaves the other rows free, and so does READ COMMITTED.
func TestWhatElseFreesRows(t *testing.T) {
	for _, c := range []struct {
		name, before, isolation string
		free                    bool
	}{
		{"no index", "SELECT 1", "REPEATABLE READ", false},
		{"an index", "CREATE INDEX by_task ON jobs (task)", "REPEATABLE READ", true},
		{"no index, read committed", "SELECT 1", "READ COMMITTED", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := sqltest.SharedMariaDB(t)
			a, b := openMariaDB(t, cfg), openMariaDB(t, cfg)
			must := func(c *mysql.Conn, text string) {
				t.Helper()
				if _, err := c.Query(text); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
			must(a, c.before)
			must(a, "SET SESSION TRANSACTION ISOLATION LEVEL "+c.isolation)
			for _, task := range []string{"print A", "print B"} {
				must(a, (&sql.Call{Statement: sql.PutJob, Text: task}).SQL(sql.MySQL))
			}
			must(a, "BEGIN")
			must(a, (&sql.Call{Statement: sql.LockTask, Text: "print A"}).SQL(sql.MySQL))
			_, err := b.Query((&sql.Call{Statement: sql.LockJob, N: 2}).SQL(sql.MySQL) + " NOWAIT")
			switch {
			case c.free && err != nil:
				t.Errorf("the other row is locked: %v", err)
			case !c.free && (err == nil || !strings.Contains(err.Error(), "1205")):
				t.Errorf("the other row should be locked, got %v", err)
			}
		})
	}
}

func openMariaDB(t *testing.T, cfg mysql.Config) *mysql.Conn {
	t.Helper()
	c, err := mysql.Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
