package pg

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// A run's tables are in a schema of its own. A table there says until when the run was alive, by the database's clock.
// So a schema with such a name whose time is past belongs to a dead run and can be removed. Runs take turns at this
// with an advisory lock.

// admin is a connection that is not part of a run.
type admin struct{ *Conn }

func (cfg Config) admin(ctx context.Context, do func(*admin) error) error {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	schema := cfg.Schema
	cfg.Schema = ""
	w, err := cfg.Dial(ctx, real.Network)
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }()
	a := &admin{w.conn}
	_, err = a.ask("SET lock_timeout = '5s'; SELECT pg_advisory_lock(hashtextextended('" + schemas + "', 0))")
	if err == nil {
		err = do(a)
	}
	return a.refusal(err, schema)
}

// refusal says what to do about a refusal of the database.
func (a *admin) refusal(err error, schema string) error {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return err
	}
	at := a.cfg.Host
	switch e.Code {
	case "25006":
		return real.Refused(fmt.Sprintf("PostgreSQL at %s is a standby, or read-only: name its primary", at))
	case "42501":
		return real.Refused(fmt.Sprintf("PostgreSQL at %s does not let %q make a schema in the database %q: "+
			"GRANT CREATE ON DATABASE %q TO %q, or name another user", at, a.cfg.User, a.cfg.Database, a.cfg.Database,
			a.cfg.User))
	}
	return fmt.Errorf("PostgreSQL at %s, schema %s: %s (%s)", at, schema, e.Message, e.Code)
}

// ask runs statements, all or none, and returns the first column of the last one's rows.
func (a *admin) ask(statements ...string) (column []string, err error) {
	results, err := a.pg.Exec(a.ctx, strings.Join(statements, "; ")).ReadAll()
	if err != nil || len(results) == 0 {
		return nil, err
	}
	for _, row := range results[len(results)-1].Rows {
		column = append(column, string(row[0]))
	}
	return column, nil
}

// is evaluates a condition.
func (a *admin) is(question string) (bool, error) {
	column, err := a.ask("SELECT " + question)
	return len(column) == 1 && column[0] == "t", err
}

// begin creates the schema, or records that its run is still alive, and removes those of dead runs.
func (cfg Config) begin(ctx context.Context) error {
	return cfg.admin(ctx, func(a *admin) error {
		mark := cfg.Schema + "." + marks
		there, err := a.is("to_regclass('" + mark + "') IS NOT NULL")
		if err != nil {
			return err
		}
		if there {
			_, err := a.ask("UPDATE " + mark + " SET alive = clock_timestamp()")
			return err
		}
		tables := append(sql.Create(sql.Postgres, cfg.Schema), "CREATE TABLE "+mark+" (alive timestamptz NOT NULL)",
			"INSERT INTO "+mark+" VALUES (clock_timestamp())")
		if _, err := a.ask(tables...); err != nil {
			return err
		}
		return a.sweep()
	})
}

// sweep removes the schemas of dead runs. It can't read those without access.
func (a *admin) sweep() error {
	names, err := a.ask("SELECT nspname FROM pg_namespace WHERE nspname ~ '^" + schemas + real.IDPattern + "$'")
	if err != nil {
		return err
	}
	for _, name := range names {
		there, err := a.is("to_regclass('" + name + "." + marks + "') IS NOT NULL")
		if err != nil || !there {
			continue
		}
		dead, err := a.is(fmt.Sprintf("max(alive) < clock_timestamp() - interval '%d s' FROM %s.%s",
			int(real.MarkLasts.Seconds()), name, marks))
		if err == nil && dead {
			_ = a.remove(name) // maybe only its creator can
		}
	}
	return nil
}

// remove removes a schema with its tables, and ends its connections: a waiting statement doesn't notice that its client
// is gone.
func (a *admin) remove(name string) error {
	_, err := a.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '" + name +
		"' AND usename = current_user AND pid <> pg_backend_pid()")
	if err == nil {
		_, err = a.ask(sql.Drop(sql.Postgres, name))
	}
	return err
}
