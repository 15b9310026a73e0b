package class

import (
	"encoding/json"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Kind is what an entry says.
type Kind string

// The kinds of entries.
const (
	Begun    Kind = "begun"    // the class: Hash is its secret's
	Joined   Kind = "joined"   // a learner, with a Name or without: Hash is the key's
	Renamed  Kind = "renamed"  // a learner has another Name
	Led      Kind = "led"      // the teacher is at Place
	Called   Kind = "called"   // all are called back to the teacher
	Posed    Kind = "posed"    // Question is asked
	Answered Kind = "answered" // a learner has answered the last question, with Choice
	Closed   Kind = "closed"   // the last question takes no more answers
	Revealed Kind = "revealed" // its answer is shown
	Left     Kind = "left"     // the last question is put away
	Done     Kind = "done"     // a learner has done a task: Deed
	Clients  Kind = "clients"  // learners have clients that take Lock, or none any more
	Ended    Kind = "ended"    // the class
)

// Entry is one fact of a class. Kind decides which of the other fields count.
type Entry struct {
	Kind     Kind      `json:"kind"`
	AtMS     int64     `json:"at"`            // since 1970, by the clock of the server that owned the class
	Who      int       `json:"who,omitempty"` // the learner's number, from 1; 0 is the teacher
	Class    string    `json:"class,omitempty"`
	Hash     Hash      `json:"hash,omitempty"`
	Name     string    `json:"name,omitempty"`
	Place    *Place    `json:"place,omitempty"`
	Question *Question `json:"question,omitempty"`
	Choice   int       `json:"choice,omitempty"`
	Deed     *Deed     `json:"deed,omitempty"`
	Lock     *Lock     `json:"lock,omitempty"`
	By       string    `json:"by,omitempty"`   // the order that made it: its page, and the how-manieth of that
	N        uint64    `json:"n,omitempty"`    // likewise
	Turn     uint64    `json:"turn,omitempty"` // Led: as in Room.Show
}

// At returns when it was.
func (e Entry) At() time.Time { return time.UnixMilli(e.AtMS) }

// Deed is how a learner has done a task.
type Deed struct {
	Task   string   `json:"task"`             // its name, as its page has it: a lesson's step, or a link to a task in the Lab
	Faults []string `json:"faults,omitempty"` // what was done, in order, as engine/event/fault writes it
	Count  int      `json:"count"`            // how many actions it took
}

// errDeed refuses what no page of ours would say.
var errDeed = sentence.Error("bad.class.message")

func (d *Deed) check() error {
	size := 0
	for _, f := range d.Faults {
		if size += len(f); !shows(f) {
			return errDeed
		}
	}
	if d.Task == "" || len(d.Task) > MaxTask || !shows(d.Task) || d.Count < 0 || d.Count > MaxFaults ||
		len(d.Faults) > MaxFaults || size > MaxSolution {
		return errDeed
	}
	return nil
}

// AppendEntry appends an entry to dst, as ReadEntry reads it.
func AppendEntry(dst []byte, e Entry) []byte {
	text, err := json.Marshal(e)
	if err != nil {
		panic(err) // it has no value that JSON lacks
	}
	return append(dst, text...)
}

// ReadEntry reads an entry of a log.
func ReadEntry(text []byte) (e Entry, err error) {
	err = json.Unmarshal(text, &e)
	return e, err
}
