package fault

import (
	"slices"
	"strings"
)

// Kind tells what a fault does.
type Kind uint8

const (
	Crash    Kind = iota + 1 // the process ends at once; its session lives until it expires
	Pause                    // the whole process stops for a while, including heartbeats
	Cut                      // nothing gets through between the client and the server for a while
	Expire                   // the server ends the session at once
	Drop                     // the next reply to the client is lost, and so is its connection
	Delay                    // messages between the client and the server take ten times as long for a while
	Restart                  // the server stops, and later starts again with all that it had committed
	SetClock                 // the server's time of day is set forward or back, but not to before the run

	// Faults of an ensemble's servers.

	CrashServer   // its process ends at once, and stays down
	RestartServer // its process ends at once, and later starts again with all that it had written
	PauseServer   // its process stops for a while
	PowerLoss     // its machine stops, and later starts again with what was on its disk
	SlowDisk      // its disk is slow for a while
	Partition     // nothing gets through between two sets of servers for a while
	CutServer     // nothing gets through between a client and one server for a while
	StartServer   // its process starts again after it had ended
	SetOneClock   // its machine's time of day is set, as by SetClock

	// Faults of a message on its way between two servers, or between a client and what it talks to. Their connection
	// keeps the order.

	DropMessage    // the connection breaks, and all that is on its way there is lost
	DelayMessage   // it comes later by a while, and all that is behind it waits for it
	DeliverMessage // it comes at once, after all that is ahead of it

	// Faults in runs on other systems.

	Stall       // the program is paused for a while, but its timers run
	Vanish      // the process's machine is gone, and nobody is notified
	RestartNode // a node stops, and later starts again without what it had only in memory
	Lag         // a node's messages to its replicas are delayed for a while
	Failover    // a node's replica takes over, with what it has received by then
	Jump        // a node's clock is set forward or back, but not to before the run
	kinds
)

// lastAlone is the last kind that needs no ensemble. The kinds up to lastZooKeeper need ZooKeeper or strike clients of
// any system.
const (
	lastAlone     = SetClock
	lastZooKeeper = DeliverMessage
)

// Target tells what a kind of fault strikes.
type Target uint8

const (
	ToClient    Target = iota
	ToServer           // the only server, or all of them
	ToOneServer        // one server of an ensemble
	ToSides            // two sets of servers
	ToClientAt         // a client and one server
	ToNode             // a node of another system
	ToMessage          // a message on its way from one server to another
)

// Hold is the set of resources that a host can control. A fault needs one of them, and hosts differ.
type Hold uint16

const (
	Process  Hold = 1 << iota // the client's process: it can be stopped
	Link                      // the link between client and server: it can be cut
	Messages                  // messages on that link: each can be lost or delayed
	Session                   // the session on the server: it can be ended
	Machine                   // the server's machine: it can be stopped
	Machines                  // each server of an ensemble, with its disk and the links between them
	Lines                     // the links between each client and each server of an ensemble
	Threads                   // the client's program: it can be stopped while its timers run
	Nodes                     // nodes of other systems, with their clocks and links
	Clocks                    // the servers' time of day, which only a simulator can set

	Everything = Process | Link | Messages | Session | Machine
)

// Can reports whether a host with these resources can carry out faults of kind k.
func (h Hold) Can(k Kind) bool { return h&k.traits().needs != 0 }

// Kinds returns the kinds that a host with these resources can carry out, simplest first.
func (h Hold) Kinds() []Kind {
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { return !h.Can(k) })
}

type kindTraits struct {
	word   string
	target Target
	lasts  bool // it takes a duration
	by     bool // the duration is an amount, not a length of time
	needs  Hold
	behind bool   // it involves a node's replicas, so the node must have some
	key    string // the viewer's key for it
}

// traits is the table of kinds: all that other code knows about a kind, except the hosts that carry it out.
var traits = [kinds]kindTraits{
	Crash:   {word: "crash", target: ToClient, needs: Process, key: "c"},
	Pause:   {word: "pause", target: ToClient, lasts: true, needs: Process, key: "p"},
	Cut:     {word: "cut", target: ToClient, lasts: true, needs: Link, key: "x"},
	Expire:  {word: "expire", target: ToClient, needs: Session, key: "e"},
	Drop:    {word: "drop", target: ToClient, needs: Messages, key: "d"},
	Delay:   {word: "delay", target: ToClient, lasts: true, needs: Messages, key: "l"},
	Restart: {word: "restart", target: ToServer, lasts: true, needs: Machine},

	SetClock: {word: "jump", target: ToServer, lasts: true, by: true, needs: Clocks},

	CrashServer:   {word: "crash", target: ToOneServer, needs: Machines},
	RestartServer: {word: "restart", target: ToOneServer, lasts: true, needs: Machines},
	PauseServer:   {word: "pause", target: ToOneServer, lasts: true, needs: Machines},
	PowerLoss:     {word: "power", target: ToOneServer, lasts: true, needs: Machines},
	SlowDisk:      {word: "slow", target: ToOneServer, lasts: true, needs: Machines},
	Partition:     {word: "partition", target: ToSides, lasts: true, needs: Machines},
	CutServer:     {word: "cut", target: ToClientAt, lasts: true, needs: Lines},
	StartServer:   {word: "start", target: ToOneServer, needs: Machines},
	SetOneClock:   {word: "jump", target: ToOneServer, lasts: true, by: true, needs: Clocks},

	DropMessage:    {word: "drop", target: ToMessage, needs: Machines},
	DelayMessage:   {word: "delay", target: ToMessage, lasts: true, needs: Machines},
	DeliverMessage: {word: "deliver", target: ToMessage, needs: Machines},

	Stall:       {word: "stall", target: ToClient, lasts: true, needs: Threads, key: "z"},
	Vanish:      {word: "vanish", target: ToClient, needs: Threads, key: "v"},
	RestartNode: {word: "restart", target: ToNode, lasts: true, needs: Nodes},
	Lag:         {word: "lag", target: ToNode, lasts: true, needs: Nodes, behind: true},
	Failover:    {word: "failover", target: ToNode, needs: Nodes, behind: true},
	Jump:        {word: "jump", target: ToNode, lasts: true, by: true, needs: Nodes},
}

// Kinds returns the kinds that need no ensemble, simplest first.
func Kinds() []Kind { return from(Crash, lastAlone) }

// EnsembleKinds returns the kinds that strike an ensemble's servers and their messages, simplest first.
func EnsembleKinds() []Kind { return from(lastAlone+1, lastZooKeeper) }

// SystemKinds returns the kinds for runs on other systems: those for clients of any system, and those specific to
// them.
func SystemKinds() []Kind {
	return append([]Kind{Crash, Pause, Cut, Drop, Delay}, from(lastZooKeeper+1, kinds-1)...)
}

func from(first, last Kind) (all []Kind) {
	for k := first; k <= last; k++ {
		all = append(all, k)
	}
	return all
}

// Where tells in which runs a fault is possible.
type Where string

// Any run, runs with ZooKeeper, and runs on other systems.
const (
	Anywhere    Where = ""
	OnZooKeeper Where = "zookeeper"
	OnOthers    Where = "others"
)

// WhereOn returns the sort of a run, given what it runs on. A run on both allows all faults.
func WhereOn(zookeeper, others bool) Where {
	switch {
	case !others:
		return OnZooKeeper
	case zookeeper:
		return Anywhere
	}
	return OnOthers
}

// Where tells in which runs the kind is possible. For ToMessage, that's a message between servers: any run has those of
// its clients.
func (k Kind) Where() Where {
	switch {
	case k > lastZooKeeper:
		return OnOthers
	case slices.Contains(SystemKinds(), k):
		return Anywhere
	}
	return OnZooKeeper
}

// ToClients returns the kinds that strike a single client in such runs. Anywhere returns all of them.
func ToClients(there Where) []Kind {
	return slices.DeleteFunc(from(Crash, kinds-1), func(k Kind) bool {
		return k.Target() != ToClient || there != Anywhere && k.Where() != Anywhere && k.Where() != there
	})
}

// ToMessages returns the kinds that strike a message.
func ToMessages() []Kind { return from(DropMessage, DeliverMessage) }

// ToNodes returns the kinds that strike a node.
func ToNodes() []Kind {
	return slices.DeleteFunc(SystemKinds(), func(k Kind) bool { return k.Target() != ToNode })
}

// Sets reports whether the kind's duration is the amount by which a clock is set, instead of the fault's length.
func (k Kind) Sets() bool { return k.traits().by }

// Span returns the word before the kind's duration, "for" or "by", or "" if it takes none.
func (k Kind) Span() string {
	if !k.Lasts() {
		return ""
	}
	return k.span()
}

// span returns the word before a duration.
func (k Kind) span() string {
	if k.Sets() {
		return "by"
	}
	return "for"
}

// ParseKind returns the kind that a word means for a client, or for a single server.
func ParseKind(word string) (Kind, bool) {
	for _, k := range append(ToClients(Anywhere), Restart, SetClock) {
		if word == traits[k].word {
			return k, true
		}
	}
	return 0, false
}

func (k Kind) known() bool { return k > 0 && k < kinds }

func (k Kind) traits() kindTraits {
	if k.known() {
		return traits[k]
	}
	return kindTraits{word: "none"}
}

// String returns the kind's word in a written fault.
func (k Kind) String() string { return k.traits().word }

// Lasts reports whether the kind takes a duration.
func (k Kind) Lasts() bool { return k.traits().lasts }

// TakesReplicas reports whether the kind involves a node's replicas, so that the node must have some.
func (k Kind) TakesReplicas() bool { return k.traits().behind }

// Key returns the key that a viewer presses for the kind, or "" if viewers can't use it.
func (k Kind) Key() string { return k.traits().key }

// Target returns what the kind strikes.
func (k Kind) Target() Target { return k.traits().target }

// Words joins the words of kinds by commas, and the last two by last.
func Words(list []Kind, last string) string {
	words := make([]string, len(list))
	for i, k := range list {
		words[i] = k.String()
	}
	if n := len(words) - 1; n > 0 {
		return strings.Join(words[:n], ", ") + last + words[n]
	}
	return strings.Join(words, "")
}

// of returns the kinds in list that have target t. If lasting is set, it leaves out kinds that don't last.
func of(list []Kind, t Target, lasting bool) []Kind {
	return slices.DeleteFunc(list, func(k Kind) bool { return k.Target() != t || lasting && !k.Lasts() })
}
