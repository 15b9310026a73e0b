package mysql

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// A run's tables are in a database of its own. A table there says until when the run was alive, by the server's clock.
// So a database with such a name whose time is past belongs to a dead run and can be removed. So does an empty one: its
// run died right after creating it. Runs take turns at this with an advisory lock.

// The prefix of runs' databases, and the table in each that says how long its run was alive.
const (
	databases = "zkviz_run_"
	marks     = "run"
)

// adminTimeout is how long administrative work may take.
const adminTimeout = 20 * time.Second

// admin is a connection that is not part of a run.
type admin struct{ *Conn }

func (cfg Config) admin(ctx context.Context, do func(*admin) error) error {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	c, err := connect(ctx, cfg, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	a := &admin{c}
	if err = a.fits(); err == nil {
		err = a.order("SET lock_wait_timeout = 5")
	}
	if err == nil {
		_, err = c.Query("SELECT GET_LOCK('" + databases + "', 10)")
	}
	if err == nil {
		err = do(a)
	}
	return a.refusal(err)
}

// fits checks that recipes can run on the server.
func (a *admin) fits() error {
	rows, err := a.Query("SELECT VERSION(), @@global.read_only")
	if err != nil || len(rows) == 0 {
		return err
	}
	version, readOnly := rows[0][0], rows[0][1]
	var major, minor int
	_, _ = fmt.Sscanf(version, "%d.%d", &major, &minor)
	maria := strings.Contains(version, "MariaDB")
	switch {
	case maria && (major < 10 || major == 10 && minor < 6), !maria && major < 8:
		return real.Refused(fmt.Sprintf("MySQL at %s is version %s: recipes need MySQL 8.0 or MariaDB 10.6, or later",
			a.cfg.Addr, version))
	case readOnly != "0":
		return real.Refused(fmt.Sprintf("MySQL at %s is read-only, as replicas are: name its primary", a.cfg.Addr))
	}
	return nil
}

// refusal says what to do about a refusal of the server.
func (a *admin) refusal(err error) error {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return err
	}
	switch e.Number {
	case 1044, 1142, 1227:
		return real.Refused(fmt.Sprintf("MySQL at %s does not let %q make a database: GRANT ALL ON `%s%%`.* TO that user, "+
			"or name another", a.cfg.Addr, a.cfg.User, strings.ReplaceAll(databases, "_", `\_`)))
	}
	return fmt.Errorf("MySQL at %s: %s (%d)", a.cfg.Addr, e.Message, e.Number)
}

func (a *admin) order(statements ...string) error {
	for _, s := range statements {
		if _, err := a.db.ExecContext(a.ctx, s, nil); err != nil {
			return err
		}
	}
	return nil
}

// is evaluates a condition.
func (a *admin) is(question string) (bool, error) {
	rows, err := a.Query("SELECT " + question)
	return len(rows) == 1 && rows[0][0] == "1", err
}

// begin creates the database, or records that its run is still alive, and removes those of dead runs.
func (a *admin) begin(name string) error {
	mark := name + "." + marks
	there, err := a.is("COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = '" + name + "' AND TABLE_NAME = '" +
		marks + "'")
	if err != nil {
		return err
	}
	if there {
		return a.order("UPDATE " + mark + " SET alive = SYSDATE(6)")
	}
	tables := sql.Create(sql.MySQL, name)
	err = a.order(append([]string{tables[0], "CREATE TABLE " + mark + " (alive datetime(6) NOT NULL) ENGINE=InnoDB",
		"INSERT INTO " + mark + " VALUES (SYSDATE(6))"}, tables[1:]...)...)
	if err != nil {
		return err
	}
	return a.sweep()
}

// sweep removes the databases of dead runs. It can't see those without access.
func (a *admin) sweep() error {
	names, err := a.Query("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME REGEXP '^" + databases +
		real.IDPattern + "$'")
	if err != nil {
		return err
	}
	for _, row := range names {
		name := row[0]
		dead, err := a.is("COUNT(*) = 0 FROM information_schema.TABLES WHERE TABLE_SCHEMA = '" + name + "'")
		if err == nil && !dead {
			dead, err = a.is(fmt.Sprintf("MAX(alive) < SYSDATE(6) - INTERVAL %d SECOND FROM %s.%s",
				int(real.MarkLasts.Seconds()), name, marks))
		}
		if err == nil && dead {
			_ = a.remove(name) // maybe only its creator can
		}
	}
	return nil
}

// remove removes a database with its tables, and ends its connections: a waiting statement doesn't notice that its
// client is gone.
func (a *admin) remove(name string) error {
	rows, err := a.Query("SELECT ID FROM information_schema.PROCESSLIST WHERE DB = '" + name +
		"' AND ID <> CONNECTION_ID()")
	if err != nil {
		return err
	}
	for _, row := range rows {
		_ = a.order("KILL " + row[0]) // it may have ended
	}
	return a.order(sql.Drop(sql.MySQL, name))
}
