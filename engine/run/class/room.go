package class

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/hub"
)

// Room is a class with its viewers. It is safe for concurrent use.
//
// As in engine/run/room, a viewer gets how things stand, not a queue of what has happened: one that was slow gets the
// latest, and costs nobody memory.
type Room struct {
	bell hub.Bell

	mu       sync.Mutex
	state    State
	presence Presence
	shown    Place  // where the teacher is: the state's place, or one that was only told
	turn     uint64 // of what is shown
	leader   string // the page that led there, as Order.By has it; empty if that isn't known
	apart    Apart
	changed  changes

	// Views that many get, encoded once: for learners and for teachers, until they change.
	about  [2][]byte
	boards [2]map[string][]byte
	place  []byte
}

// changes counts the changes of each kind of view.
type changes struct{ about, place, dots, board, apart int }

// NewRoom returns the room of a class without entries.
func NewRoom() *Room { return &Room{} }

// Apply adds the log's next entry.
func (r *Room) Apply(e Entry) {
	r.mu.Lock()
	r.state.Apply(e)
	switch e.Kind {
	case Led:
		r.show(e.Turn, "", *e.Place)
	case Done:
		r.changed.board++
		for i := range r.boards {
			delete(r.boards[i], e.Deed.Task)
		}
	case Renamed:
		r.changed.about++ // one's own name
	default:
		r.touch()
	}
	if e.Kind == Begun {
		r.show(0, "", *e.Place)
	}
	r.mu.Unlock()
	r.bell.Ring()
}

// Show shows where the teacher is, before it is in the log or without, and which page has led there: see Order.By.
// Places come from the log and from the owner at the same time, so each has a turn: one whose turn is over changes
// nothing. Without turns, each is the next.
func (r *Room) Show(turn uint64, by string, at Place) {
	r.mu.Lock()
	r.show(turn, by, at)
	r.mu.Unlock()
	r.bell.Ring()
}

// show is Show for callers who hold r.mu.
func (r *Room) show(turn uint64, by string, at Place) {
	if turn > 0 && turn <= r.turn {
		return
	}
	r.turn, r.leader, r.shown, r.place = turn, by, at, nil
	r.changed.place++
}

// Shown returns where the teacher is, and the turn of that.
func (r *Room) Shown() (at Place, turn uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shown, r.turn
}

// touch says that what everybody sees has changed, and the dots. Callers hold r.mu.
func (r *Room) touch() {
	r.changed.about++
	r.changed.dots++
	r.about = [2][]byte{}
}

// Take returns the entry that a command makes: see State.Take.
func (r *Room) Take(who Party, c Command, now time.Time) (Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	state := r.state
	state.Place = r.shown
	return state.Take(who, c, now)
}

// settle returns the entry that puts what is shown into the log, or one without a kind.
func (r *Room) settle(now time.Time) (Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.shown
	e, err := r.state.Take(Party{Teacher: true}, Command{Do: Lead, Place: &at}, now)
	e.Turn = r.turn
	return e, err
}

// Has reports whether an order has made an entry.
func (r *Room) Has(by string, n uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state.orders.has(by, n)
}

// IsLate reports whether who gave an order has had something else done since.
func (r *Room) IsLate(o Order) bool {
	who := o.Who.Learner
	if slices.Contains(ofTeachers, o.Do) {
		who = 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return o.Do != Join && r.state.orders.isLate(o.By, who, o.Seen)
}

// IsOvertaken reports whether another page has led the class on since this one was told to lead it: an order that was
// under way for long, perhaps while its server was cut off. To carry it out now would take the class back.
func (r *Room) IsOvertaken(o Order) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.turn > o.Turn && r.leader != "" && r.leader != o.By
}

// Seen returns how many entries there are: see Order.Seen.
func (r *Room) Seen() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state.Entries
}

// SetOther says who is connected to another server: see Presence.SetOther.
func (r *Room) SetOther(server string, pages int, where string) {
	r.mu.Lock()
	if r.presence.SetOther(server, pages, where) {
		r.touch()
	}
	r.mu.Unlock()
	r.bell.Ring()
}

// SetApart says whether the other servers are out of reach.
func (r *Room) SetApart(apart bool) { r.part(func(a *Apart) { a.Apart = apart }) }

// SetElsewhere says whether another server owns the class.
func (r *Room) SetElsewhere(elsewhere bool) { r.part(func(a *Apart) { a.Elsewhere = elsewhere }) }

func (r *Room) isElsewhere() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.apart.Elsewhere
}

func (r *Room) part(do func(*Apart)) {
	r.mu.Lock()
	was := r.apart
	if do(&r.apart); r.apart != was {
		r.changed.apart++
	}
	r.mu.Unlock()
	r.bell.Ring()
}

// Follow says that a learner's page is connected, and whether it follows.
func (r *Room) Follow(page string, learner int, follows bool) {
	r.mu.Lock()
	if r.presence.Set(page, learner, follows) {
		r.touch()
	}
	r.mu.Unlock()
	r.bell.Ring()
}

// Drop says that a learner's page isn't connected any more.
func (r *Room) Drop(page string) {
	r.mu.Lock()
	if r.presence.Drop(page) {
		r.touch()
	}
	r.mu.Unlock()
	r.bell.Ring()
}

// Read calls f with the state, which f must not keep.
func (r *Room) Read(f func(s *State, p *Presence)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.state, &r.presence)
}

// Next returns a channel that is closed when there is news. Call it before News.
func (r *Room) Next() <-chan struct{} { return r.bell.Next() }

// Known is what a viewer has seen. Its zero value has seen nothing.
type Known struct {
	changes
	you   []byte
	names int
	tasks map[string]int // how many entries of the log there were when it saw the board
	who   Party
	begun bool
}

// News returns the views that have changed for somebody since they last saw them.
func (r *Room) News(who Party, k *Known) (views [][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.Name == "" {
		return nil
	}
	afresh := !k.begun || k.who != who
	if afresh {
		k.names, k.tasks = 0, nil
	}
	if afresh || k.about != r.changed.about {
		views = append(views, r.sayAbout(who.Teacher))
		if you := say(r.state.You(who)); afresh || !bytes.Equal(you, k.you) {
			views, k.you = append(views, you), you
		}
	}
	if !k.begun || k.place != r.changed.place {
		views = append(views, r.sayPlace())
	}
	if k.apart != r.changed.apart {
		views = append(views, r.sayApart())
	}
	if who.Teacher {
		if afresh || k.dots != r.changed.dots {
			views = append(views, say(r.state.Dots(&r.presence)))
		}
		if k.names < len(r.state.Named) {
			views = append(views, say(r.state.NamesFrom(k.names)))
			k.names = len(r.state.Named)
		}
	}
	if afresh || k.board != r.changed.board {
		views = append(views, r.newBoards(k, who.Teacher)...)
	}
	k.changes, k.who, k.begun = r.changed, who, true
	return views
}

// sayAbout returns what everybody sees, encoded once for all. Callers hold r.mu.
func (r *Room) sayAbout(teacher bool) []byte {
	of := forWhom(teacher)
	if r.about[of] == nil {
		r.about[of] = say(r.state.About(&r.presence, teacher))
	}
	return r.about[of]
}

// forWhom returns the index of views for learners or for teachers.
func forWhom(teacher bool) int {
	if teacher {
		return 1
	}
	return 0
}

func (r *Room) sayApart() []byte {
	a := r.apart
	a.Say = "apart"
	return say(a)
}

func (r *Room) sayPlace() []byte {
	if r.place == nil {
		r.place = say(PlaceView{"place", r.shown})
	}
	return r.place
}

func (r *Room) sayBoard(task string, teacher bool) []byte {
	of := forWhom(teacher)
	if r.boards[of] == nil {
		r.boards[of] = map[string][]byte{}
	}
	if r.boards[of][task] == nil {
		r.boards[of][task] = say(r.state.Board(task, teacher))
	}
	return r.boards[of][task]
}

// newBoards returns the boards that have changed since a viewer saw them. Callers hold r.mu.
func (r *Room) newBoards(k *Known, teacher bool) (views [][]byte) {
	if k.tasks == nil {
		k.tasks = map[string]int{}
	}
	for _, task := range r.state.Tasks {
		if at := r.state.doneAt[task]; k.tasks[task] != at {
			k.tasks[task] = at
			views = append(views, r.sayBoard(task, teacher))
		}
	}
	return views
}
