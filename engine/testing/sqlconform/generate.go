package sqlconform

import (
	"math/rand/v2"

	"github.com/zkviz/zkviz/engine/stores/sql"
)

// Generate returns a random script of that many steps, about few rows, so that sessions interact. Most steps belong to
// sessions that don't wait in the simulated database.
func Generate(d sql.Dialect, seed uint64, steps int) (script []Step) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x73716c)), dialect: d}
	g.short = g.IntN(4) == 0
	g.only = one(g, 0, 0, 0, 1, 1, 1, 2, 3, 4, 5)
	simulated := &Simulated{Dialect: d}
	_ = simulated.Reset(nil)
	var before []Step
	for i := range rows {
		before = append(before, g.first(i))
	}
	if g.IntN(6) == 0 {
		before = g.scene()
	}
	for len(script) < steps {
		step := Step{}
		if len(before) > 0 {
			step, before = before[0], before[1:]
		} else {
			step = g.step()
		}
		script = append(script, step)
		if !g.waits[step.Conn] || step.HangUp {
			o, _ := simulated.Do(step)
			g.waits = o.Waits
		}
	}
	return script
}

// rows is the number of rows that a script starts with.
const rows = 3

type generator struct {
	*rand.Rand
	dialect sql.Dialect
	short   bool // some leases expire soon
	only    int  // the topic of the script, 5 for all
	waits   [Conns]bool
	within  [Conns]bool // in a transaction, roughly
}

func one[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

func (g *generator) step() Step {
	conn := g.IntN(Conns)
	for g.waits[conn] && g.IntN(10) > 0 {
		conn = g.IntN(Conns)
	}
	if g.IntN(40) == 0 {
		g.within[conn] = false
		return Step{Conn: conn, HangUp: true}
	}
	return Step{Conn: conn, Call: g.call(conn)}
}

func name(g *generator) string { return one(g, "a", "a", "a", "b", "b", "c") }

// first returns a step that inserts a row, usually.
func (g *generator) first(i int) Step {
	row := string(rune('a' + i))
	switch what := g.only; {
	case g.IntN(3) == 0:
		return Step{Call: sql.Call{Statement: sql.Read, Row: row}}
	case what == 1:
		return Step{Call: sql.Call{Statement: sql.TryInsertLock, Row: row, Text: one(g, "A", "B")}}
	case what == 2:
		return Step{Call: sql.Call{Statement: sql.TakeLease, Row: row, Text: one(g, "A", "B"), For: long}}
	case what == 4:
		return Step{Call: sql.Call{Statement: sql.PutJob, Text: row}}
	}
	return Step{Call: sql.Call{Statement: sql.Insert, Row: row, N: 5}}
}

// scene returns a start that is unlikely at random: three sessions in transactions want the same row, and the first one
// ends.
func (g *generator) scene() (steps []Step) {
	calls := []sql.Call{
		{Statement: sql.InsertLock, Row: "a", Text: "A"}, {Statement: sql.Insert, Row: "a", N: 1},
		{Statement: sql.WriteIfVersion, Row: "a", N: 7, Version: 1}, {Statement: sql.ReadForUpdate, Row: "a"},
		{Statement: sql.TakeLease, Row: "a", Text: "A", For: long},
	}
	call := one(g, calls...)
	if call.Statement != sql.Insert && g.IntN(2) == 0 {
		steps = append(steps, Step{Conn: 3, Call: sql.Call{Statement: sql.Insert, Row: "a", N: 1}})
	}
	for i := range 3 {
		if g.IntN(5) > 0 {
			steps = append(steps, Step{Conn: i, Call: sql.Call{Statement: sql.Begin}})
			g.within[i] = true
		}
		steps = append(steps, Step{Conn: i, Call: call})
	}
	g.within[0] = false
	return append(steps, Step{Call: sql.Call{Statement: one(g, sql.Rollback, sql.Commit)}})
}

func (g *generator) call(conn int) (c sql.Call) {
	switch n := g.IntN(20); {
	case n == 0, n < 8 && !g.within[conn]:
		g.within[conn] = true
		return sql.Call{Statement: sql.Begin}
	case n == 1, n < 6 && g.within[conn]:
		g.within[conn] = false
		return sql.Call{Statement: one(g, sql.Commit, sql.Commit, sql.Rollback)}
	}
	what := g.only
	if what > 4 || g.IntN(10) == 0 {
		what = g.IntN(5)
	}
	return g.about(what, string(rune('A'+conn)))
}

// about returns a random statement about a row, an advisory lock or a job.
func (g *generator) about(what int, me string) sql.Call {
	if g.IntN(6) == 0 {
		me = one(g, "A", "B", "C", "D")
	}
	c := sql.Call{Row: name(g)}
	switch what {
	case 0:
		c.Statement = one(g, sql.Read, sql.Read, sql.Read, sql.ReadForUpdate, sql.ReadForUpdate, sql.ReadForUpdate,
			sql.ReadForUpdateNoWait, sql.ReadForUpdateSkipLocked,
			sql.Write, sql.WriteIfVersion, sql.WriteIfVersion, sql.Add, sql.Insert)
		c.N, c.Version = int64(g.IntN(9)), one[int64](g, 1, 1, 2, 3)
	case 1:
		c.Text = me
		c.Statement = one(g, sql.InsertLock, sql.InsertLock, sql.TryInsertLock, sql.DeleteLock, sql.DeleteLock,
			sql.LockOwner, sql.LockOwner)
	case 2:
		c.Text, c.For = me, long
		c.Statement = one(g, sql.TakeLease, sql.TakeLease, sql.RenewLease, sql.ReleaseLease, sql.LeaseOwner)
		if g.short && g.IntN(2) == 0 {
			c.For = short
		}
	case 3:
		c.Statement = one(g, sql.AdvisoryLock, sql.AdvisoryTry, sql.AdvisoryUnlock)
	default:
		c = sql.Call{Statement: one(g, sql.PutJob, sql.TakeJob, sql.LockJob, sql.LockTask, sql.DeleteJob),
			Text: one(g, "a", "b", "x", "y"), N: int64(1 + g.IntN(4))}
		if c.Statement == sql.TakeJob && g.dialect == sql.MySQL {
			c.Statement = sql.FirstJob
		}
	}
	return c
}
