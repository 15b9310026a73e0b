package program

// Contender is the role of a client of ours that queues beside the reader's programs.
const Contender = "contender"

// Roles of clients that do not all do the same, by which they are known in any recipe that has them.
const (
	Reader   = "reader" // of what is locked to read or to write
	Writer   = "writer"
	Producer = "producer" // of what is in a queue
	Consumer = "consumer"
)

// Phase is where a recipe has got to.
type Phase string

const (
	Waiting  Phase = "waiting"  // queued, not yet let in
	Holding  Phase = "holding"  // inside, as the client believes
	Released Phase = "released" // left of its own will
	Lost     Phase = "lost"     // learnt that the session is over
	Produced Phase = "produced" // put an item into a queue
	Consumed Phase = "consumed" // took an item from a queue
	Passed   Phase = "passed"   // went through a barrier

	// Leading is inside as Holding is: the client believes that it is the leader.
	Leading Phase = "leading"
	// Reading and Writing are inside a read-write lock.
	Reading Phase = "reading"
	Writing Phase = "writing"
	// GaveUp is that it stopped waiting of its own will. Nothing of it may stay behind.
	GaveUp Phase = "gave-up"

	Leaving Phase = "leaving" // has done its part and waits for the others to do theirs: a double barrier
	Left    Phase = "left"    // went out of a double barrier

	Named   Phase = "named"   // got the unique id Subject.Fence, or the unique name Subject.Path
	Counted Phase = "counted" // raised a counter to Subject.Fence

	Published Phase = "published" // set Subject.Path (a topic, a configuration, a group) to Subject.Fence
	Saw       Phase = "saw"       // its view of Subject.Path is now Subject.Fence: a version, or how many members

	Committed Phase = "committed" // the transaction Subject.Path is carried out
	Aborted   Phase = "aborted"   // it is not

	Began Phase = "began" // works on the task or the item Subject.Path
	Done  Phase = "done"  // has finished it
)

// Access is how a client believes that it is inside what is to be protected.
type Access uint8

const (
	Outside Access = iota
	Alone          // nobody else may be inside
	ToRead         // others may be inside to read
	ToWrite        // nobody else may be inside, to read or to write
)

// Shares reports whether the access is to a read-write lock.
func (a Access) Shares() bool { return a == ToRead || a == ToWrite }

// Traits are what a phase means to anyone who counts, judges or shows it.
type Traits struct {
	Access Access
	Gets   bool // the client has got what it came for: who follows a value comes for its news
	Item   bool // Subject.Path is the item or the task that it is about
	Takes  bool // it has taken that
	Over   bool // it has had what it came for, or does without
}

// phases are all phases. Its words and its reason have the name in their keys: believes.waiting, why.phase.waiting.
// It is a table, never written to.
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

// Traits returns what p means; the zero value for what is no phase, as in a foreign log.
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

// Inside reports whether a client with this phase believes that it is inside what is to be protected.
func (p Phase) Inside() bool { return p.Traits().Access != Outside }

// Gets reports whether the client has got what it came for.
func (p Phase) Gets() bool { return p.Traits().Gets }
