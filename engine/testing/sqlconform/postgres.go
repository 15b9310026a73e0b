package sqlconform

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/pg"
)

// PostgresSettings are the settings that a PostgreSQL must be started with. A waiting session soon looks for a
// deadlock, and logs that it has.
var PostgresSettings = []string{"deadlock_timeout=" + deadlockTimeout.String(), "log_lock_waits=on"}

const deadlockTimeout = 2 * time.Millisecond

// Postgres connects to a PostgreSQL.
func Postgres(cfg pg.Config) (*Real, error) {
	p := &postgres{cfg: cfg}
	admin, err := p.connect(context.Background())
	if err != nil {
		return nil, err
	}
	p.admin = admin
	return &Real{db: p}, nil
}

type postgres struct {
	cfg   pg.Config
	admin *pgSession
}

// pgSession is a session of PostgreSQL.
type pgSession struct {
	pg   *pgconn.PgConn
	over atomic.Bool            // it was closed: nothing may cancel its statement
	said atomic.Pointer[string] // its latest message about a lock
}

func (p *postgres) dialect() sql.Dialect { return sql.Postgres }

func (p *postgres) reuses() bool { return true }

func (p *postgres) atRest() (bool, error) { return true, nil }

func (p *postgres) answered(int, sql.Statement, string) {}

func (p *postgres) dial(ctx context.Context) (session, error) {
	s, err := p.connect(ctx)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() {
		s.over.Store(true)
		_ = s.pg.Conn().Close()
	})
	return s, nil
}

func (p *postgres) connect(ctx context.Context) (*pgSession, error) {
	cfg, err := pgconn.ParseConfig(p.cfg.URL)
	if err != nil {
		return nil, err
	}
	s := &pgSession{}
	cfg.RuntimeParams["search_path"] = p.cfg.Schema
	cfg.RuntimeParams["client_min_messages"] = "log"
	cfg.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if strings.Contains(n.Message, "still waiting for") || strings.Contains(n.Message, " acquired ") {
			s.said.Store(&n.Message)
		}
	}
	dial := cfg.DialFunc
	cfg.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if s.over.Load() {
			return nil, errors.New("hung up")
		}
		return dial(ctx, network, addr)
	}
	s.pg, err = pgconn.ConnectConfig(ctx, cfg)
	return s, err
}

func (s *pgSession) id() uint64  { return uint64(s.pg.PID()) }
func (s *pgSession) Opened() int { return 1 }
func (s *pgSession) Next(time.Duration) (remote.Push, error) {
	return remote.Push{}, errors.ErrUnsupported
}

// Close implements remote.Conn.
func (s *pgSession) Close() {
	s.over.Store(true)
	_ = s.pg.Conn().Close()
}

// Do implements remote.Conn.
func (s *pgSession) Do(r remote.Request) (remote.Reply, error) {
	call := r.Body.(*sql.Call)
	results, err := s.pg.Exec(context.Background(), call.SQL(sql.Postgres)).ReadAll()
	return pg.Reply(call.Statement, results, err)
}

// settled reports whether the session has looked for a deadlock since it waits for that lock.
func (s *pgSession) settled(what string) bool {
	said := s.said.Load()
	if s.over.Load() {
		return strings.HasSuffix(what, "looked")
	}
	lock, _, _ := strings.Cut(what, ",")
	return said != nil && strings.Contains(*said, "still waiting for") && strings.Contains(*said, lock)
}

func (s *pgSession) free() error {
	_, err := s.pg.Exec(context.Background(), "ROLLBACK; SELECT pg_advisory_unlock_all()").ReadAll()
	return err
}

func (p *postgres) waiting() (waits map[uint64]string, there map[uint64]bool, err error) {
	results, err := p.admin.pg.Exec(context.Background(), "SELECT a.pid, CASE l.locktype"+
		" WHEN 'transactionid' THEN 'on transaction ' || l.transactionid || ' after'"+
		" WHEN 'tuple' THEN 'on tuple (' || l.page || ',' || l.tuple || ') of'"+
		" WHEN 'advisory' THEN 'on advisory lock' ELSE l.locktype END"+
		" || CASE WHEN clock_timestamp() - l.waitstart > interval '30 ms' THEN ',looked' ELSE ',' END"+
		" FROM pg_stat_activity a LEFT JOIN pg_locks l ON l.pid = a.pid AND NOT l.granted"+
		" WHERE a.backend_type = 'client backend'").ReadAll()
	if err != nil {
		return nil, nil, err
	}
	waits, there = make(map[uint64]string), make(map[uint64]bool)
	for _, row := range results[0].Rows {
		id, _ := strconv.ParseUint(string(row[0]), 10, 64)
		there[id] = true
		if row[1] != nil {
			waits[id] = string(row[1])
		}
	}
	return waits, there, nil
}

func (p *postgres) end(id uint64) error {
	_, err := p.admin.pg.Exec(context.Background(), fmt.Sprintf("SELECT pg_terminate_backend(%d)", id)).ReadAll()
	return err
}

func (p *postgres) empty(script []Step) error {
	_, err := p.admin.pg.Exec(context.Background(),
		"TRUNCATE locks, leases, stock, jobs RESTART IDENTITY").ReadAll()
	return err
}

func (p *postgres) close() { _ = p.admin.pg.Close(context.Background()) }
