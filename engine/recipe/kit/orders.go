package kit

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
)

// Member returns how the name of a group's member begins: with the letter of its client.
func Member(p recipe.Params) string { return "member-" + event.Actor(p.Index).Letter() + "-" }

// letterOf returns the letter in a member's name.
func letterOf(member string) string {
	_, who, _ := strings.Cut(member, "-")
	who, _, _ = strings.Cut(who, "-")
	return who
}

// OrderBoxes demonstrates what a list of members is for: others pick one of them and send it an order. Each member has
// a box for one order. It's a znode that is there for as long as the order isn't done.
type OrderBoxes struct {
	dir   string // the parent of the boxes
	me    string // the client's letter
	first int    // the position in the list of the member that gets the client's first order
	sent  int
	to    map[string]int // how many of these to each member, by its letter
}

// NewOrderBoxes returns the boxes of a run for one of its clients. The first clients are the members, as many as given.
func NewOrderBoxes(p recipe.Params, members int) *OrderBoxes {
	return &OrderBoxes{
		dir: OrderParent(p.Root), me: event.Actor(p.Index).Letter(), first: max(p.Index-members-1, 0),
		to: make(map[string]int),
	}
}

// OrderParent returns the parent of the boxes.
func OrderParent(root string) string { return root + "/orders" }

// Sent returns how many orders the client has sent.
func (b *OrderBoxes) Sent() int { return b.sent }

// Send sends an order to one of the members, in turn, unless it still has another one to do. It returns the path of the
// box, or "".
func (b *OrderBoxes) Send(c zoo.Client, members []string) (box string, err error) {
	if len(members) == 0 {
		return "", nil
	}
	members = slices.SortedFunc(slices.Values(members), ByNumber)
	to := letterOf(members[(b.first+b.sent)%len(members)])
	order := b.me + " to " + to
	b.sent++
	if b.to[to]++; b.to[to] > 1 {
		order += " " + strconv.Itoa(b.to[to])
	}
	box, err = c.Create(b.box(to), []byte(order), zoo.Persistent)
	switch {
	case errors.Is(err, zoo.ErrNodeExists):
		return "", nil
	case Unknown(err):
		c.Note("The reply is lost: whether " + to + " got the order is unknown.")
		box = b.box(to)
	case err != nil:
		return "", err
	}
	return box, Order(c, order)
}

func (b *OrderBoxes) box(letter string) string { return b.dir + "/for-" + letter }

// Handle does a member's orders until none has come for a while.
func (b *OrderBoxes) Handle(c zoo.Client, hold time.Duration) error {
	box := b.box(b.me)
	for {
		there, _, changed, err := c.ExistsW(box)
		if Unknown(err) {
			continue
		}
		if err == nil && !there {
			if _, err = c.Await(recipe.Patience+max(hold, 0), changed); errors.Is(err, zoo.ErrTimeout) {
				return nil
			}
		}
		if err == nil {
			err = b.handle(c, box, hold)
		}
		if err != nil {
			return err
		}
	}
}

// handle does the order in a box and empties it.
func (b *OrderBoxes) handle(c zoo.Client, box string, hold time.Duration) error {
	var order []byte
	err := Insist(func() (err error) {
		order, _, err = c.Get(box)
		return err
	})
	if errors.Is(err, zoo.ErrNoNode) {
		return nil
	}
	if err == nil {
		err = Handle(c, string(order), hold)
	}
	if err == nil {
		err = Remove(c, box)
	}
	return err
}

// Lasts works for hold, and reports whether the watch didn't fire meanwhile.
func Lasts(c zoo.Client, hold time.Duration, changed zoo.Watch) (bool, error) {
	if hold == program.UntilSettled {
		return true, c.Work(hold)
	}
	_, err := c.Await(hold, changed)
	if errors.Is(err, zoo.ErrTimeout) {
		return true, nil
	}
	return false, err
}
