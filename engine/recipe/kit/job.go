package kit

import (
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// OwnJob is a row of a table of jobs, with a task that only one client works on.
type OwnJob struct {
	*sql.Client
	Task string // unique
	ID   int64
}

// UseOwnJob puts a job into the table and does it later, as often as a run asks for. lock locks its row in a
// transaction, and reports whether it's there.
func UseOwnJob(w systems.World, p recipe.Params, lock func(*OwnJob) (there bool, err error)) error {
	j := &OwnJob{Client: Database(w, p), Task: "print " + event.Actor(p.Index).Letter()}
	return Repeat(w, p, func(p recipe.Params) error {
		err := j.put(w)
		if err == nil {
			err = w.Work(p.Hold)
		}
		if err == nil {
			err = j.do(w, p.Hold, lock)
		}
		return err
	})
}

// put puts the job into the table. After a lost reply it looks whether it's there.
func (j *OwnJob) put(w systems.World) error {
	w.Phase(program.Waiting, program.Subject{})
	id, err := j.PutJob(j.Task)
	for there := false; Unknown(err) && !there; {
		if id, there, err = j.LockTask(j.Task); err == nil && !there {
			id, err = j.PutJob(j.Task)
		}
	}
	if err != nil {
		return err
	}
	j.ID = id
	w.Phase(program.Produced, j.subject())
	return Order(w, j.Task)
}

// do works on the job in a transaction, with its row locked, and removes it. If the transaction is lost, the row is as
// before, and it begins anew.
func (j *OwnJob) do(w systems.World, hold time.Duration, lock func(*OwnJob) (there bool, err error)) error {
	for {
		w.Phase(program.Waiting, j.subject())
		there, err := j.begin(lock)
		if err == nil && !there {
			return j.Rollback() // its COMMIT was carried out, and only the reply was lost
		}
		if err == nil {
			w.Phase(program.Began, j.subject())
			err = j.finish(w, hold)
		}
		switch {
		case err == nil:
			w.Phase(program.Done, j.subject())
			return nil
		case !Unknown(err) && !Undone(err):
			return err
		}
		w.Phase(program.Lost, j.subject())
	}
}

func (j *OwnJob) begin(lock func(*OwnJob) (there bool, err error)) (there bool, err error) {
	if err := j.Begin(); err != nil {
		return false, err
	}
	return lock(j)
}

func (j *OwnJob) finish(w systems.World, hold time.Duration) error {
	if err := Handle(w, j.Task, hold); err != nil {
		return err
	}
	_, err := j.DeleteJob(j.ID)
	if err == nil {
		_, err = j.Commit()
	}
	return err
}

func (j *OwnJob) subject() program.Subject {
	return program.Subject{Path: sql.Path(sql.Jobs, strconv.FormatInt(j.ID, 10))}
}
