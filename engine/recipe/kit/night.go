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

// FirstNight is the path of the first night's row.
const FirstNight = "locks/night-1"

// NightJob is a job for one of several clients, once a night: sending the bills. Each night has a row, with which a
// client claims it.
type NightJob struct {
	*sql.Client
	Night program.Subject

	row, client string
}

// EachNight calls do for each of a client's nights: every round is one.
func EachNight(w systems.World, p recipe.Params, do func(j NightJob) error) error {
	client, nights := Database(w, p), 0
	return Repeat(w, p, func(p recipe.Params) error {
		nights++
		row := "night-" + strconv.Itoa(nights)
		return do(NightJob{client, program.Subject{Path: sql.Path(sql.Locks, row)}, row, w.Name()})
	})
}

// Claim inserts the night's row, unless there is one, and reports whether it is this client's.
func (j NightJob) Claim() (mine bool, err error) {
	mine, err = j.TryInsertLock(j.row, j.client)
	for Unknown(err) {
		// The row may be there: perhaps only the reply was lost.
		owner, there := "", false
		owner, there, err = j.LockOwner(j.row)
		if mine = owner == j.client; !there && err == nil {
			mine, err = j.TryInsertLock(j.row, j.client)
		}
	}
	return mine, err
}

// SendBills sends the bills of the night and reports that they are done.
func (j NightJob) SendBills(w systems.World, hold time.Duration) error {
	bills := "bills of " + j.row + " "
	if err := writeAtBothEnds(w, outbox, hold, bills+event.TaskTaken, bills+event.TaskDone); err != nil {
		return err
	}
	w.Phase(program.Done, j.Night)
	return nil
}

// GiveBack deletes the night's row, if it is this client's.
func (j NightJob) GiveBack() error {
	return Insist(func() error {
		_, err := j.DeleteLock(j.row, j.client)
		return err
	})
}
