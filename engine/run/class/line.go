package class

import (
	"context"
	"errors"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Line connects a class at this server with the same class at others. One of them owns it, and decides.
type Line interface {
	// Append adds an entry after the last one that the class's room has, and returns once the room has it too. Only an
	// owner can. It returns ErrBehind if the room has got others meanwhile.
	Append(ctx context.Context, e Entry) error
	// Do has the owner carry out an order by Class.Decide, and returns once the room here has what came of it. It returns
	// ErrAway if nobody knows whether that was done.
	Do(ctx context.Context, o Order) error
	// Lead has the owner show everybody where a teacher is. Of several places only the last one counts, so it doesn't
	// wait.
	Lead(ctx context.Context, o Order) error
	// Move has the owner move a learner's client by Class.Move. Its error is a sentence, ErrAway if nobody knows whether
	// that was done.
	Move(ctx context.Context, o Order) error
	// Changed has the other servers told how a learner's client is now, or all learners' if that is 0: by Class.ClientOf
	// here, and Class.Told there. Only an owner does it. It doesn't wait, and doesn't call back.
	Changed(learner int)
	// Here says that who is here at this server has changed.
	Here()
	// Close ends the line without waiting: the room gets nothing any more when it returns. If the class is over for good,
	// its owner removes the entries.
	Close(forGood bool)
}

// Lines connects classes with the same ones at other servers.
type Lines interface {
	// Server returns this server's name among the others.
	Server() string
	// Open connects a class. begin is the first entry of a new one; it is nil for one that others may know. It returns
	// ErrNone if nobody does, ErrTaken if a new one isn't new, and ErrAway if that can't be found out now. ErrAlone says
	// that there are no others.
	Open(ctx context.Context, c *Class, begin *Entry) (Line, error)
}

// Order is a command, with all that its owner must know to decide.
type Order struct {
	Command
	Who     Party
	Address string `json:",omitempty"`
	// By names the page that gives it, among those of all servers, and N counts its orders: one that comes again, since
	// nobody knows whether it was carried out, is recognized. They are zero without other servers.
	By string `json:",omitempty"`
	N  uint64 `json:",omitempty"`
	// Seen is how many entries there were when it was given. If who gave it has had something else done since, it comes
	// too late.
	Seen int `json:",omitempty"`
	// Turn is the turn of where the class was when it was given: see Room.IsOvertaken.
	Turn uint64 `json:",omitempty"`
}

// Errors of lines.
var (
	// ErrNone refuses a class that isn't there.
	ErrNone = sentence.Error("refused.class.gone")
	// ErrAway refuses what can't be done while the other servers are out of reach.
	ErrAway = sentence.Error("refused.class.away")
	// ErrStored refuses what nobody has room for.
	ErrStored = sentence.Error("refused.class.stored")
	// ErrTaken, ErrAlone and ErrBehind are for the hall and its lines alone.
	ErrTaken  = errors.New("there is a class with that name already")
	ErrAlone  = errors.New("there are no other servers")
	ErrBehind = errors.New("the class has got other entries meanwhile")
)

// alone is the Line of a class that only this server has: what its room has made of the entries is all that is kept.
type alone struct{ class *Class }

func (a alone) Append(_ context.Context, e Entry) error { a.class.Apply(e); return nil }

func (a alone) Do(ctx context.Context, o Order) error { return a.class.Decide(ctx, o, a.Append) }

func (a alone) Lead(ctx context.Context, o Order) error { return a.Do(ctx, o) }

func (a alone) Move(_ context.Context, o Order) error { return a.class.Move(o) }

func (alone) Changed(int) {}

func (alone) Here() {}

func (alone) Close(bool) {}
