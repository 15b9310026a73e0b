package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/engine/testing/sqltest"
)

// TestContestOnDatabases checks that a database lock takes part on each named database, in a row below its simulated
// run, with its real cost.
func TestContestOnDatabases(t *testing.T) {
	t.Parallel()
	p, m := sqltest.SharedPostgres(t), sqltest.SharedMariaDB(t)
	contest := func(args ...string) string {
		var out, errs bytes.Buffer
		args = append([]string{"compare", "--contest", "--clients", "5", "--postgres", p.URL, "--mysql",
			"mysql://root@" + m.Addr}, args...)
		if code := execute(args, &terminal{ctx: t.Context(), out: &out, err: &errs}); code != exitOK {
			t.Fatalf("exit code %d: %s", code, errs.String())
		}
		return out.String()
	}
	var rows []compare.Row
	if err := json.Unmarshal([]byte(contest("pg-advisory", "redis-signal-list", "--json")), &rows); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, r := range rows {
		got += fmt.Sprintf("%s %s %q %v\n", r.Recipe, r.Host, r.Database, r.PerRelease.Requests)
	}
	want := `pg-advisory sim "mysql" 2
pg-advisory live "mysql" 2
pg-advisory sim "postgres" 2
pg-advisory live "postgres" 2
redis-signal-list sim "" 3.6
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	table := contest("db-for-update")
	for _, name := range []string{"  db-for-update, PostgreSQL on the simulator", "  db-for-update, on a real PostgreSQL",
		"  db-for-update, MySQL or MariaDB on the simulator", "  db-for-update, on a real MySQL or MariaDB"} {
		if !strings.Contains(table, name+"\n") {
			t.Errorf("no row is called %q:\n%s", name, table)
		}
	}
	if rows[0].Host != event.Simulated {
		t.Errorf("the first row is from %q", rows[0].Host)
	}
}
