package program

// Contender is the role of our own clients that queue together with the user's programs.
const Contender = "contender"

// Roles of clients in recipes whose clients differ. Every such recipe uses these names.
const (
	Reader   = "reader" // reads or writes what is locked
	Writer   = "writer"
	Producer = "producer" // fills or empties a queue
	Consumer = "consumer"
)

// Phase is a client's progress in its recipe.
type Phase string

const (
	Waiting  Phase = "waiting"  // queued, not in yet
	Holding  Phase = "holding"  // inside, as far as the client knows
	Released Phase = "released" // left voluntarily
	Lost     Phase = "lost"     // learned that its session is over
	Produced Phase = "produced" // put an item into a queue
	Consumed Phase = "consumed" // took an item from a queue
	Passed   Phase = "passed"   // went through a barrier

	// Leading means inside, like Holding: the client believes that it is the leader.
	Leading Phase = "leading"
	// Reading and Writing mean inside a read-write lock.
	Reading Phase = "reading"
	Writing Phase = "writing"
	// GaveUp means that the client stopped waiting of its own accord. It must leave nothing behind.
	GaveUp Phase = "gave-up"

	Leaving Phase = "leaving" // did its part and waits for the others at a double barrier
	Left    Phase = "left"    // left a double barrier

	Named   Phase = "named"   // got the unique ID Subject.Fence, or the unique name Subject.Path
	Counted Phase = "counted" // raised a counter to Subject.Fence

	Published Phase = "published" // set Subject.Path (a topic, a configuration, a group) to Subject.Fence
	Saw       Phase = "saw"       // its view of Subject.Path is now Subject.Fence: a version, or a number of members

	Committed Phase = "committed" // the transaction Subject.Path was committed
	Aborted   Phase = "aborted"   // the transaction was aborted

	Began Phase = "began" // works on the task or item Subject.Path
	Done  Phase = "done"  // finished it
)

// Access tells how a client believes that it is inside a critical section.
type Access uint8

const (
	Outside Access = iota
	Alone          // nobody else may be inside
	ToRead         // other readers may be inside
	ToWrite        // no other reader or writer may be inside
)

// Shares reports whether the access is to a read-write lock.
func (a Access) Shares() bool { return a == ToRead || a == ToWrite }

// Traits tells what a phase means to code that counts, judges or shows it.
type Traits struct {
	Access Access
	Gets   bool // the client got what it came for: if it follows a value, the news
	Item   bool // Subject.Path is the item or task concerned
	Takes  bool // the client took that item or task
	Over   bool // the client has finished, or does without
}

// phases is the table of all phases, and is never written to. The keys of a phase's texts contain its name:
// believes.waiting, why.phase.waiting.
var phases = [...]struct {
	phase Phase
	Traits
}{
	{Waiting, Traits{}},
	{Holding, Traits{Access: Alone, Gets: true}},
	{Released, Traits{Over: true}},
	{Lost, Traits{Over: true}},
	{Produced, Traits{Item: true}},
	{Consumed, Traits{Gets: true, Item: true, Takes: true}},
	{Passed, Traits{Gets: true, Over: true}},
	{Leading, Traits{Access: Alone, Gets: true}},
	{Reading, Traits{Access: ToRead, Gets: true}},
	{Writing, Traits{Access: ToWrite, Gets: true}},
	{GaveUp, Traits{Over: true}},
	{Leaving, Traits{}},
	{Left, Traits{Over: true}},
	{Named, Traits{Gets: true, Over: true}},
	{Counted, Traits{Gets: true}},
	{Published, Traits{}},
	{Saw, Traits{Gets: true}},
	{Committed, Traits{Over: true}},
	{Aborted, Traits{Over: true}},
	{Began, Traits{Gets: true, Item: true, Takes: true}},
	{Done, Traits{Item: true}},
}

// Phases returns all phases.
func Phases() []Phase {
	all := make([]Phase, len(phases))
	for i := range phases {
		all[i] = phases[i].phase
	}
	return all
}

// Traits returns the traits of p, or the zero value if p is not a phase, as in a foreign log.
func (p Phase) Traits() Traits {
	t, _ := p.find()
	return t
}

// Known reports whether p is a phase.
func (p Phase) Known() bool {
	_, ok := p.find()
	return ok
}

func (p Phase) find() (Traits, bool) {
	if p == "" {
		return Traits{}, false
	}
	for i := range phases {
		if phases[i].phase == p {
			return phases[i].Traits, true
		}
	}
	return Traits{}, false
}

// Inside reports whether a client in this phase believes that it is inside the critical section.
func (p Phase) Inside() bool { return p.Traits().Access != Outside }

// Gets reports whether the client got what it came for.
func (p Phase) Gets() bool { return p.Traits().Gets }
