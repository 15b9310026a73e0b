package sqlconform_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/testing/sqlconform"
	"github.com/zkviz/zkviz/engine/testing/sqltest"
	"github.com/zkviz/zkviz/engine/testing/versus"
)

// bugs are planted as edits of files of the model, only in the program that the test builds.
var bugs = map[string][]versus.Bug{
	"TestPostgres": {
		{"no look again after a wait", "postgres.go", "if v.serial != k.serial {", "if v.serial == 0 {"},
		{"the last in the queue is first", "postgres.go", "list = append(list, r.queue[0])",
			"r.queue[0], r.queue[len(r.queue)-1] = r.queue[len(r.queue)-1], r.queue[0]\nlist = append(list, r.queue[0])"},
		{"a transaction goes on after an error", "execute.go",
			"k.aborted = t.explicit && !k.s.dialect.mysql()", "k.aborted = false"},
		{"nobody looks for circles", "wait.go", "if a.k.inDeadlock() {", "if false {"},
		{"a search without an index locks all that it reads", "postgres.go", "v != nil && v.owner == k.call.Text {",
			"v != nil {"},
		{"advisory locks do not count", "advisory.go", "if n.times--; n.times == 0 {", "if true {"},
	},
	"TestMariaDB": {
		{"an INSERT goes where somebody has locked the gap", "innolocks.go",
			"return !l.intention || o.span != onRow", "return !l.intention"},
		{"a SELECT sees what is there now", "innodb.go", "t.explicit && v.at >= t.snapshot",
			"v.at > t.snapshot+1000"},
		{"the heaviest is rolled back", "innolocks.go", "o.tx.weight() < victim.tx.weight()",
			"o.tx.weight() > victim.tx.weight()"},
		{"locks on a row that goes are gone", "innolocks.go", "n.add(l.tx, next, l.exclusive, onGap)",
			"_ = next"},
		{"a search without an index locks only what it finds", "innodb.go", "r.number < k.job {",
			"r.number < k.job || r.newest().owner != k.call.Text {"},
		{"a search without an index leaves the end open", "innodb.go",
			"n.add(k.tx, n.end(sql.Jobs), true, onGap)\n\tk.lockedTask()", "k.lockedTask()"},
		{"an INSERT does not wait for another of its key", "innodb.go",
			"if !n.acquire(k, lock{row: r, exclusive: lease, span: onRow}, r.path) {", "if false {"},
	},
}

// TestPlantedBugsAreFound checks that the two tests find each of these bugs soon.
func TestPlantedBugsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the test several times")
	}
	servers := []string{"-postgres", sqltest.Postgres(t, sqlconform.PostgresSettings...).URL,
		"-mariadb", sqltest.MariaDB(t).Addr}
	for test, bugs := range bugs {
		versus.Planted(t, "../../stores/sql/model/", test, bugs, servers...)
	}
}
