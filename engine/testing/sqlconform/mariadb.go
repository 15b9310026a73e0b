package sqlconform

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/mysql"
)

// MariaDB connects to a MariaDB.
func MariaDB(cfg mysql.Config) (*Real, error) {
	admin, err := mysql.Open(context.Background(), cfg)
	if err != nil {
		return nil, err
	}
	return &Real{db: &mariadb{cfg: cfg, admin: admin}}, nil
}

type mariadb struct {
	cfg   mysql.Config
	admin *mysql.Conn
	purge purge
}

// mySession is a session of MariaDB.
type mySession struct {
	*mysql.Conn
	number uint64
}

func (m *mariadb) dialect() sql.Dialect { return sql.MySQL }

// reuses returns false: a session that was a deadlock victim is less likely to be one again.
func (m *mariadb) reuses() bool { return false }

func (m *mariadb) dial(ctx context.Context) (session, error) {
	c, err := mysql.Open(ctx, m.cfg)
	if err != nil {
		return nil, err
	}
	rows, err := c.Query("SELECT CONNECTION_ID()")
	if err != nil {
		return nil, err
	}
	id, err := strconv.ParseUint(rows[0][0], 10, 64)
	return &mySession{c, id}, err
}

func (s *mySession) id() uint64 { return s.number }

// settled returns true: InnoDB detects deadlocks before it waits.
func (s *mySession) settled(string) bool { return true }

func (s *mySession) free() error { return nil }

// They match the session of a transaction in InnoDB's status, and the advisory lock in a statement.
var (
	nameOf    = regexp.MustCompile(`GET_LOCK\('(\w+)'`)
	sessionOf = regexp.MustCompile(`MariaDB thread id (\d+)`)
)

func (m *mariadb) waiting() (waits map[uint64]string, there map[uint64]bool, err error) {
	waits, there = make(map[uint64]string), make(map[uint64]bool)
	processes, err := m.admin.Query("SHOW PROCESSLIST")
	if err != nil {
		return nil, nil, err
	}
	status, err := m.admin.Query("SHOW ENGINE INNODB STATUS")
	if err != nil {
		return nil, nil, err
	}
	for _, p := range processes {
		id, _ := strconv.ParseUint(p[0], 10, 64)
		there[id] = true
		name := nameOf.FindStringSubmatch(p[7])
		if p[6] != "User lock" || name == nil {
			continue
		}
		// Right after it has got the lock, its process may still be shown as waiting.
		owner, err := m.admin.Query("SELECT IS_USED_LOCK('" + name[1] + "')")
		if err != nil {
			return nil, nil, err
		}
		if owner[0][0] != "" && owner[0][0] != p[0] {
			waits[id] = p[6]
		}
	}
	_, text, _ := strings.Cut(status[0][2], "LIST OF TRANSACTIONS")
	for _, t := range strings.Split(text, "---TRANSACTION ") {
		if !strings.Contains(t, "HAS BEEN WAITING") {
			continue
		}
		if found := sessionOf.FindStringSubmatch(t); found != nil {
			id, _ := strconv.ParseUint(found[1], 10, 64)
			waits[id] = "row"
		}
	}
	return waits, there, nil
}

// purge tracks deleted rows: until they are purged, they affect locks.
type purge struct {
	within, deleted [Conns]bool // sessions in a transaction, and whether that has deleted rows
	pending         bool        // there are committed deletions
	upTo            int         // transaction up to which to purge, 0 if not known yet
	looks           int
}

// answered tracks deletions.
func (m *mariadb) answered(conn int, s sql.Statement, text string) {
	p := &m.purge
	switch {
	case s == sql.Begin || s == sql.Commit:
		p.pending = p.pending || p.deleted[conn]
		p.within[conn], p.deleted[conn] = s == sql.Begin, false
	case s == sql.Rollback || strings.Contains(text, "ERROR 1213"):
		p.within[conn], p.deleted[conn] = false, false
	case (s == sql.DeleteLock || s == sql.DeleteJob) && text == "1 row affected":
		p.deleted[conn] = p.within[conn]
		p.pending = p.pending || !p.within[conn]
	}
}

// They match InnoDB's status: the number of the next transaction, the one up to which it has purged, and the number of
// snapshots, which prevent purging.
var (
	nextOf   = regexp.MustCompile(`Trx id counter (\d+)`)
	purgedOf = regexp.MustCompile(`Purge done for trx's n:o < (\d+)`)
	viewsOf  = regexp.MustCompile(`(\d+) read views open`)
)

// atRest reports whether the deleted rows are purged that no snapshot can see.
func (m *mariadb) atRest() (bool, error) {
	p := &m.purge
	if !p.pending {
		return true, nil
	}
	status, err := m.admin.Query("SHOW ENGINE INNODB STATUS")
	if err != nil {
		return false, err
	}
	number := func(of *regexp.Regexp) (n int) {
		if found := of.FindStringSubmatch(status[0][2]); found != nil {
			n, _ = strconv.Atoi(found[1])
		}
		return n
	}
	if p.upTo == 0 {
		p.upTo = number(nextOf)
	}
	// It reports that after the next commit only if the last one left nothing to purge.
	const most = 300
	if p.looks++; number(purgedOf) < p.upTo && number(viewsOf) == 0 && p.looks < most {
		time.Sleep(time.Millisecond)
		return false, nil
	}
	p.pending, p.upTo, p.looks = false, 0, 0
	return true, nil
}

func (m *mariadb) end(id uint64) error {
	_, err := m.admin.Query(fmt.Sprintf("KILL %d", id))
	if err != nil && strings.Contains(err.Error(), "1094") { // it has ended
		return nil
	}
	return err
}

// empty empties all tables.
func (m *mariadb) empty([]Step) error {
	m.purge = purge{}
	for _, t := range []sql.Table{sql.Locks, sql.Leases, sql.Stock, sql.Jobs} {
		if _, err := m.admin.Query("TRUNCATE TABLE " + t.String()); err != nil {
			return err
		}
	}
	return nil
}

func (m *mariadb) close() { m.admin.Close() }
