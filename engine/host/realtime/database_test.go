package realtime_test

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/host/realtime"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/mysql"
	"github.com/zkviz/zkviz/engine/stores/sql/pg"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/testing/port"
	"github.com/zkviz/zkviz/engine/testing/sqltest"
)

// run runs one program on a node.
func run(node func(root string) real.Node, main func(systems.World) error, faults ...fault.Fault) (*event.Log, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	log := &event.Log{}
	root := real.NewRoot()
	cfg := realtime.Config{Nodes: []real.Node{node(root)}, Root: root, Recipe: "test", Faults: faults}
	return log, realtime.Run(ctx, cfg, []systems.Program{{Main: main}}, log, nil)
}

// operator executes a statement at a server, and returns the first column of the result.
type operator func(statement string) (column []string)

func atPostgres(t *testing.T, cfg pg.Config) operator {
	c, err := pgconn.Connect(context.Background(), cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return func(statement string) (column []string) {
		results, err := c.Exec(context.Background(), statement).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range results[len(results)-1].Rows {
			column = append(column, string(row[0]))
		}
		return column
	}
}

func atMySQL(t *testing.T, cfg mysql.Config) operator {
	cfg.Database = ""
	c, err := mysql.Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return func(statement string) (column []string) {
		for s := range strings.SplitSeq(statement, ";") {
			rows, err := c.Query(s)
			if err != nil {
				t.Fatal(err)
			}
			column = nil
			for _, row := range rows {
				column = append(column, row[0])
			}
		}
		return column
	}
}

// TestConnected checks that all programs connect before the first starts, and that a second Connect opens another.
func TestConnected(t *testing.T) {
	p := sqltest.Postgres(t)
	root := real.NewRoot()
	node := p.Node(root)
	var dialled, closed atomic.Int32
	dial := node.Dial
	node.Dial = func(ctx context.Context, d real.Dialer) (real.Wire, error) {
		dialled.Add(1)
		w, err := dial(ctx, d)
		return closes{w, &closed}, err
	}
	before := int32(-1)
	sink := onEvent(func(e event.Event) {
		if e.Kind == event.RunStarted {
			before = dialled.Load()
		}
	})
	one := client(sql.Postgres, func(_ systems.World, c *sql.Client) error { return c.Insert("seats", 3) })
	two := client(sql.Postgres, func(w systems.World, c *sql.Client) error {
		own := sql.New(w.Connect(1), sql.Postgres)
		_, _, err := c.Read("seats")
		_, _, more := own.Read("seats")
		return errors.Join(err, more)
	})
	none := systems.Program{Main: func(systems.World) error { return nil }}
	cfg := realtime.Config{Nodes: []real.Node{node}, Root: root, Recipe: "test", Connected: true}
	err := realtime.Run(t.Context(), cfg,
		[]systems.Program{{Main: one}, {Main: two}, none}, sink, nil)
	if err != nil || before != 3 || dialled.Load() != 4 || closed.Load() != 4 {
		t.Errorf("%v: %d connections before the run, %d in all, and %d were closed", err, before, dialled.Load(),
			closed.Load())
	}
	wrong := node
	wrong.Dial = func(ctx context.Context, d real.Dialer) (real.Wire, error) {
		if dialled.Add(1) > 5 {
			return nil, real.Refused("it takes no more")
		}
		return dial(ctx, d)
	}
	err = realtime.Run(t.Context(), realtime.Config{Nodes: []real.Node{wrong}, Root: real.NewRoot(), Recipe: "test",
		Connected: true}, []systems.Program{none, none}, &event.Log{}, nil)
	if err == nil || !strings.Contains(err.Error(), "takes no more") {
		t.Errorf("a node that refuses: %v", err)
	}
}

// closes counts closed connections.
type closes struct {
	real.Wire
	n *atomic.Int32
}

// Close implements real.Wire.
func (w closes) Close() error {
	w.n.Add(1)
	return w.Wire.Close()
}

// TestLeftInDatabases checks that a run removes what dead runs left in a database, but nothing of other users or of
// runs that are alive, and leaves nothing itself.
func TestLeftInDatabases(t *testing.T) {
	p, m := sqltest.Postgres(t), sqltest.MariaDB(t)
	ask := map[string]operator{"postgres": atPostgres(t, p), "mariadb": atMySQL(t, m)}
	m.Database = ""
	for name, d := range map[string]struct {
		node              func(string) real.Node
		dialect           sql.Dialect
		make, mark, names string
	}{
		"postgres": {p.Node, sql.Postgres, "CREATE SCHEMA ", "(alive timestamptz)",
			"SELECT nspname FROM pg_namespace WHERE nspname LIKE 'zkviz%'"},
		"mariadb": {m.Node, sql.MySQL, "CREATE DATABASE ", "(alive datetime(6))",
			"SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME LIKE 'zkviz%'"},
	} {
		t.Run(name, func(t *testing.T) {
			at := ask[name]
			for schema, age := range map[string]string{"zkviz_run_deaddeadde": "120", "zkviz_run_livelivel2": "5"} {
				at(d.make + schema + "; CREATE TABLE " + schema + ".run " + d.mark + "; INSERT INTO " + schema +
					".run VALUES (CURRENT_TIMESTAMP - INTERVAL '" + age + "' SECOND)")
			}
			at(d.make + "zkviz_run_mine; " + d.make + "zkviz_run_otherother; CREATE TABLE zkviz_run_otherother.t (n int)")
			_, err := run(d.node, func(w systems.World) error {
				c := sql.New(w.Connect(1), d.dialect)
				if err := c.Begin(); err != nil {
					return err
				}
				return c.Insert("left", 1) // while the transaction is open
			})
			if err != nil {
				t.Fatal(err)
			}
			got := at(d.names)
			slices.Sort(got)
			if want := []string{"zkviz_run_livelivel2", "zkviz_run_mine", "zkviz_run_otherother"}; !slices.Equal(got, want) {
				t.Errorf("there are %q, want %q", got, want)
			}
		})
	}
}

// TestVanished has a lock holder's machine disappear: the database isn't told, and no one else gets in. The run can
// still be stopped, and leaves nothing.
func TestVanished(t *testing.T) {
	p, m := sqltest.Postgres(t), sqltest.MariaDB(t)
	m.Database = ""
	for name, d := range map[string]database{"postgres": {sql.Postgres, p.Node}, "mariadb": {sql.MySQL, m.Node}} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			inject := make(chan fault.Fault, 1)
			log := &event.Log{}
			waits := 0
			sink := onEvent(func(e event.Event) {
				log.Append(e)
				switch {
				case e.Kind == event.RequestWaits:
					inject <- fault.Fault{Kind: fault.Vanish, Client: 1}
				case e.Kind == event.ConnOpened && e.Actor == 1 && waits == 0:
					waits++
				case e.Kind == event.ClientVanished:
					time.AfterFunc(300*time.Millisecond, cancel) // nothing may happen until then
				}
			})
			root := real.NewRoot()
			programs := []systems.Program{{Main: client(d.dialect, stuck)},
				{Main: client(d.dialect, func(w systems.World, c *sql.Client) error {
					return errors.Join(await(w, c, locked), buy(w, c))
				})}}
			cfg := realtime.Config{Nodes: []real.Node{d.node(root)}, Root: root, Recipe: "vanish"}
			err := realtime.Run(ctx, cfg, programs, sink,
				inject)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if text := told(log); strings.Contains(text, "tx.ended client-1") || strings.Contains(text, "lock.taken client-2") {
				t.Errorf("the log says\n%s", text)
			}
		})
	}
}

// TestCutOff cuts a lock holder off: it closes its connection, which the database learns only when the cut ends.
func TestCutOff(t *testing.T) {
	p := sqltest.Postgres(t)
	d := database{sql.Postgres, p.Node}
	s := scene{name: "cut", fault: "cut client-1 at 1s for 4s", after: event.ClientBlocked, times: 1,
		programs: []func(systems.World, *sql.Client) error{func(w systems.World, c *sql.Client) error {
			if err := c.Insert("seats", 3); err != nil {
				return err
			}
			if _, err := lock(c); err != nil {
				return err
			}
			own := sql.New(w.Connect(1), c.Dialect())
			if _, err := own.Do(sql.Call{Statement: sql.Listen, Row: "nothing"}); err != nil {
				return err
			}
			_, _ = own.Next(time.Second)
			if _, err := c.Write("seats", 0); !errors.Is(err, program.ErrLost) {
				return errors.New("the write was not lost")
			}
			if _, err := c.Commit(); !errors.Is(err, program.ErrLost) {
				return errors.New("there still is a transaction")
			}
			return buy(w, c) // has to wait for its own old transaction
		}}}
	text := told(s.play(t, d))
	want := `entry.set client-1 stock/seats "n=3, version 1" none
tx.began client-1  "" tx=1 none
lock.taken client-1 stock/seats "" tx=1 none
tx.ended client-1  "" tx=1 lost
lock.freed client-1 stock/seats "" tx=1 lost
tx.began client-1  "" tx=2 none
lock.taken client-1 stock/seats "" tx=2 none
entry.set client-1 stock/seats "n=2, version 2" tx=2 none
tx.ended client-1  "" tx=2 commit
lock.freed client-1 stock/seats "" tx=2 commit
`
	if text != want {
		t.Errorf("the log says\n%s, want\n%s", text, want)
	}
}

// TestLostCommit loses the reply to a commit: the client has to read to find out whether it committed. The log knows.
func TestLostCommit(t *testing.T) {
	p := sqltest.Postgres(t)
	log, err := run(p.Node, client(sql.Postgres, func(w systems.World, c *sql.Client) error {
		if err := errors.Join(c.Insert("seats", 3), c.Begin()); err != nil {
			return err
		}
		if _, err := c.Write("seats", 2); err != nil {
			return err
		}
		if err := w.Sleep(time.Second); err != nil {
			return err
		}
		if _, err := c.Commit(); !errors.Is(err, program.ErrLost) {
			return errors.New("it was not lost")
		}
		row, _, err := c.Read("seats")
		if row.N != 2 {
			return errors.New("it is not there")
		}
		return err
	}), fault.Fault{Kind: fault.Drop, Client: 1, At: 500 * time.Millisecond})
	want := `entry.set client-1 stock/seats "n=3, version 1" none
tx.began client-1  "" tx=1 none
lock.taken client-1 stock/seats "" tx=1 none
entry.set client-1 stock/seats "n=2, version 2" tx=1 none
tx.ended client-1  "" tx=1 commit
lock.freed client-1 stock/seats "" tx=1 commit
`
	if text := told(log); err != nil || text != want {
		t.Errorf("%v: the log says\n%s, want\n%s", err, text, want)
	}
}

// TestRefusedByDatabases checks the errors for databases that a run can't use. They don't show the password.
func TestRefusedByDatabases(t *testing.T) {
	p, m := sqltest.Postgres(t), sqltest.MariaDB(t)
	u, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	at := func(user *url.Userinfo, host, path string) string {
		return (&url.URL{Scheme: "postgres", User: user, Host: host, Path: path, RawQuery: "sslmode=disable"}).String()
	}
	ask := atPostgres(t, p)
	ask("CREATE ROLE reader LOGIN PASSWORD 'sesame'")
	nobody := port.Addr(t)
	ask("ALTER DATABASE template1 SET default_transaction_read_only = on")
	for address, want := range map[string]string{
		at(url.UserPassword("zk", "sesame"), u.Host, "postgres"):     `refuses the user "zk"`,
		at(u.User, u.Host, "sesame2"):                                `no database "sesame2": create it`,
		at(url.UserPassword("zk", "sesame"), nobody, "postgres"):     "cannot be reached",
		at(url.UserPassword("reader", "sesame"), u.Host, "postgres"): "GRANT CREATE ON DATABASE",
		at(u.User, u.Host, "template1"):                              "standby, or read-only",
	} {
		cfg, err := pg.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		_, err = run(cfg.Node, func(systems.World) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sesame@") ||
			strings.Contains(err.Error(), sqltest.Password) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
	for address, want := range map[string]string{
		"mysql://" + m.Addr + "/nowhere":             `no database "nowhere"`,
		"root:sesame@tcp(" + nobody + ")/":           "cannot be reached",
		"mysql://x:sesame@" + u.Host:                 "MySQL at",
		"mysql://" + m.Addr + "/information_schema":  "",
		"mariadb://someone:sesame@" + m.Addr + "?x=": "",
	} {
		cfg, err := mysql.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		_, err = run(cfg.Node, func(systems.World) error { return nil })
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "sesame")) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

// TestAddresses parses addresses of databases, and checks that the errors don't show the password.
func TestAddresses(t *testing.T) {
	for text, want := range map[string]mysql.Config{
		"db":                                 {Addr: "db:3306", User: "root"},
		"db:1":                               {Addr: "db:1", User: "root"},
		"mysql://u:p%40@db/x?tls=true":       {Addr: "db:3306", User: "u", Password: "p@", Database: "x", TLS: "true"},
		"u:p@tcp(db:3307)/x?tls=skip-verify": {Addr: "db:3307", User: "u", Password: "p", Database: "x", TLS: "skip-verify"},
	} {
		if got, err := mysql.Parse(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "redis://u:sesame@db", "mysql://u:sesame@", "mysql://u:sesame@db:x",
		"u:sesame@tcp(db"} {
		if _, err := mysql.Parse(text); err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("MySQL takes %q, or says %v", text, err)
		}
	}
	for _, text := range []string{"postgres://u:sesame@db:x/", "mysql://u:sesame@db/",
		"postgres://u:sesame@db/?sslmode=x"} {
		if _, err := pg.Parse(text); err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("PostgreSQL takes %q, or says %v", text, err)
		}
	}
}
