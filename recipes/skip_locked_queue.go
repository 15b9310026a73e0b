package recipes

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// jobTable is a queue that is a table. Anyone who works on a job has deleted its row in a transaction that is not
// committed yet: the others skip the row, and it is there again if the transaction comes to nothing.
type jobTable struct{ *sql.Client }

// transact does something in a transaction, and does it anew for as long as nobody knows whether it is committed. It
// commits if do reports so.
func (q jobTable) transact(do func() (commit bool, err error)) error {
	return kit.Insist(func() error {
		err := q.Begin()
		if err != nil {
			return err
		}
		commit, err := do()
		switch {
		case err != nil:
			return err
		case !commit:
			return q.Rollback()
		}
		_, err = q.Commit()
		return err
	})
}

// put puts in a producer's nth job, from 1. It counts them in a row of its own, in the same transaction: a lost reply
// leaves no doubt, and no job is put in twice.
func (q jobTable) put(w systems.World, count string, nth int64) error {
	id, counted := int64(0), false
	err := q.transact(func() (_ bool, err error) {
		counted, err = q.WriteIfVersion(count, nth, nth)
		if !counted || err != nil {
			return false, err
		}
		id, err = q.PutJob("made by " + w.Name())
		return true, err
	})
	switch {
	case err != nil:
		return err
	case !counted:
		w.Note("the count has moved on: the job is in the queue, only the reply was lost")
		return nil
	}
	w.Phase(program.Produced, job(id))
	return kit.Order(w, jobName(id))
}

func (q jobTable) produce(w systems.World, p recipe.Params) error {
	count := w.Name()
	err := kit.MakeRow(q.Client, count, 0)
	for nth := 1; nth <= p.Rounds && err == nil; nth++ {
		if err = w.Work(p.Hold); err == nil {
			err = q.put(w, count, int64(nth))
		}
	}
	return err
}

// take begins a transaction with the first job in it that nobody else has. It reports false if there has been none for
// a while.
func (q jobTable) take(w systems.World, p recipe.Params) (id int64, got bool, err error) {
	w.Phase(program.Waiting, program.Subject{Path: sql.Jobs.String()})
	since := w.Now()
	for try := 1; w.Now() < since+recipe.Patience; try++ {
		if err = q.Begin(); err == nil {
			id, _, got, err = q.TakeJob()
		}
		if got && err == nil {
			return id, true, nil
		}
		if err == nil {
			err = q.Rollback()
		}
		if err != nil && !kit.Unknown(err) {
			return 0, false, err
		}
		if err := p.Polling().Wait(w, try); err != nil {
			return 0, false, err
		}
	}
	return 0, false, nil
}

// consume works on jobs until there are none. A job is out of the queue once its worker's transaction is committed.
func (q jobTable) consume(w systems.World, p recipe.Params) error {
	for {
		id, got, err := q.take(w, p)
		if err != nil || !got {
			return err
		}
		w.Phase(program.Began, job(id))
		if err := kit.Handle(w, jobName(id), p.Hold); err != nil {
			return err
		}
		done, err := q.Commit()
		switch {
		case err == nil && done:
			w.Phase(program.Done, job(id))
		case err == nil || kit.Unknown(err):
			w.Note("whether the job is out of the queue is unknown: if it is not, it is done once more")
			w.Phase(program.Lost, job(id))
		default:
			return err
		}
	}
}

// job is one as a log has it.
func job(id int64) program.Subject {
	return program.Subject{Path: sql.Path(sql.Jobs, strconv.FormatInt(id, 10))}
}

// jobName is one as a person reads it.
func jobName(id int64) string { return "job-" + strconv.FormatInt(id, 10) }

var skipLockedRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "skip-locked-queue",
	File:     "skip_locked_queue.go",
	Promises: []string{promise.Once},
	Limits:   []string{promise.OneWorker, promise.AllDone, promise.Progress, promise.Clean},
	Harms:    []string{"cut", "drop", "restart", "vanish"},
	Sources: []string{"PostgreSQL documentation, SELECT: SKIP LOCKED",
		"Apache Curator, DistributedQueue: lock-safe consumption"},
	MinClients: 2,
	Role:       queueRole,
	Systems:    kit.OneDatabase(),
	Keeps:      []string{"stock", "jobs"},
	Drawing:    event.Drawing{Stores: kit.Orders()},
	Main: func(w systems.World, p recipe.Params) error {
		q := jobTable{kit.Database(w, p)}
		if queueRole(p.Index, p.Clients) == producer {
			return q.produce(w, p)
		}
		return q.consume(w, p)
	},
}
