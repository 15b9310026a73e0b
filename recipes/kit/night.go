package kit

import (
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// FirstNight is the row of the first night.
const FirstNight = "locks/night-1"

// NightJob is what is to be done once in a night, by one of several clients: sending the bills. The night has a row in
// which a client claims it.
type NightJob struct {
	*sql.Client
	Night program.Subject

	row, client string
}

// EachNight does something for each night of a client, of which there is one a round.
func EachNight(w systems.World, p Params, do func(j NightJob) error) error {
	client, nights := Database(w, p), 0
	return Repeat(w, p, func(p Params) error {
		nights++
		row := "night-" + strconv.Itoa(nights)
		return do(NightJob{client, program.Subject{Path: sql.Path(sql.Locks, row)}, row, w.Name()})
	})
}

// Claim inserts the night's row, unless it is there, and reports whether it is this client's.
func (j NightJob) Claim() (mine bool, err error) {
	mine, err = j.TryInsertLock(j.row, j.client)
	for Unknown(err) {
		// Perhaps the row is there, and only the reply was lost.
		owner, there := "", false
		owner, there, err = j.LockOwner(j.row)
		if mine = owner == j.client; !there && err == nil {
			mine, err = j.TryInsertLock(j.row, j.client)
		}
	}
	return mine, err
}

// SendBills sends the bills of the night, and says that this is done.
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
