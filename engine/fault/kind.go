package fault

import (
	"slices"
	"strings"
)

// Kind is what is done.
type Kind uint8

const (
	Crash   Kind = iota + 1 // the process ends at once; its session lives on until it expires
	Pause                   // the whole process stops for a while, heartbeats included
	Cut                     // nothing gets through between the client and the server for a while
	Expire                  // the server ends the session at once
	Drop                    // the next reply to the client is lost, and its connection with it
	Delay                   // messages between the client and the server take ten times as long for a while
	Restart                 // the server stops, and starts again after a while with all that it had committed

	// On the servers of an ensemble.

	CrashServer   // its process ends at once, and stays away
	RestartServer // its process ends at once, and starts again after a while with all that it had written
	PauseServer   // its process stops for a while
	PowerLoss     // its machine stops, and starts again after a while with what was on its disk
	SlowDisk      // its disk takes long for a while
	Partition     // nothing gets through between two groups of servers for a while
	CutServer     // nothing gets through between a client and one of the servers for a while
	StartServer   // its process starts again that was over

	// In a run on systems that are not ZooKeeper.

	Stall       // the program is paused for a while, its timers are not
	Vanish      // the process's machine is gone, and nobody is told
	RestartNode // a node stops, and starts again after a while with what it had not only in memory
	Lag         // what a node tells its replicas is held up for a while
	Failover    // a node's replica takes over, with what it has heard of by then
	Jump        // a node's clock is set forward, or back, though not to before the run
	kinds
)

// lastAlone is the last kind that needs no ensemble, lastZooKeeper the last that needs a ZooKeeper or is done to
// clients of any system.
const (
	lastAlone     = Restart
	lastZooKeeper = StartServer
)

// Target is what a kind of fault is done to.
type Target uint8

const (
	ToClient    Target = iota
	ToServer           // the only one, or all of them
	ToOneServer        // of an ensemble
	ToSides            // two groups of them
	ToClientAt         // a client and one of them
	ToNode             // of a system that is not ZooKeeper
)

// Hold is what a host must have a hold of to do something. Hosts differ in it.
type Hold uint16

const (
	Process  Hold = 1 << iota // of the client: it can be stopped
	Link                      // between client and server: nothing gets through
	Messages                  // on that link: each can be lost or held up
	Session                   // at the server: it can be ended
	Machine                   // of the server: it can be stopped
	Machines                  // of each server of an ensemble, with its disk and the links between them
	Lines                     // between each client and each server of an ensemble
	Threads                   // of the client: its program can be stopped without its timers
	Nodes                     // of systems that are not ZooKeeper, with their clocks and what is between them

	Everything = Process | Link | Messages | Session | Machine
)

// Can reports whether a host with this hold can do faults of the kind.
func (h Hold) Can(k Kind) bool { return h&k.traits().needs != 0 }

// Kinds are the kinds that a host with this hold can do, the simplest first.
func (h Hold) Kinds() []Kind {
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { return !h.Can(k) })
}

type kindTraits struct {
	word   string
	target Target
	lasts  bool // it takes a duration
	by     bool // that is by how much, not for how long
	needs  Hold
	behind bool   // it is about a node's replicas, so there must be some
	key    string // which a viewer presses for it
}

// traits is the table of the kinds: all that is known of one by others than those who carry it out.
var traits = [kinds]kindTraits{
	Crash:   {word: "crash", target: ToClient, needs: Process, key: "c"},
	Pause:   {word: "pause", target: ToClient, lasts: true, needs: Process, key: "p"},
	Cut:     {word: "cut", target: ToClient, lasts: true, needs: Link, key: "x"},
	Expire:  {word: "expire", target: ToClient, needs: Session, key: "e"},
	Drop:    {word: "drop", target: ToClient, needs: Messages, key: "d"},
	Delay:   {word: "delay", target: ToClient, lasts: true, needs: Messages, key: "l"},
	Restart: {word: "restart", target: ToServer, lasts: true, needs: Machine},

	CrashServer:   {word: "crash", target: ToOneServer, needs: Machines},
	RestartServer: {word: "restart", target: ToOneServer, lasts: true, needs: Machines},
	PauseServer:   {word: "pause", target: ToOneServer, lasts: true, needs: Machines},
	PowerLoss:     {word: "power", target: ToOneServer, lasts: true, needs: Machines},
	SlowDisk:      {word: "slow", target: ToOneServer, lasts: true, needs: Machines},
	Partition:     {word: "partition", target: ToSides, lasts: true, needs: Machines},
	CutServer:     {word: "cut", target: ToClientAt, lasts: true, needs: Lines},
	StartServer:   {word: "start", target: ToOneServer, needs: Machines},

	Stall:       {word: "stall", target: ToClient, lasts: true, needs: Threads, key: "z"},
	Vanish:      {word: "vanish", target: ToClient, needs: Threads, key: "v"},
	RestartNode: {word: "restart", target: ToNode, lasts: true, needs: Nodes},
	Lag:         {word: "lag", target: ToNode, lasts: true, needs: Nodes, behind: true},
	Failover:    {word: "failover", target: ToNode, needs: Nodes, behind: true},
	Jump:        {word: "jump", target: ToNode, lasts: true, by: true, needs: Nodes},
}

// Kinds are the kinds that need no ensemble, the simplest first.
func Kinds() []Kind { return from(Crash, lastAlone) }

// EnsembleKinds are the others, those that are done to servers of an ensemble, the simplest first.
func EnsembleKinds() []Kind { return from(lastAlone+1, lastZooKeeper) }

// SystemKinds are those of runs on systems that are not ZooKeeper: what can be done to any client, and what is done
// there alone.
func SystemKinds() []Kind {
	return append([]Kind{Crash, Pause, Cut, Drop, Delay}, from(lastZooKeeper+1, kinds-1)...)
}

func from(first, last Kind) (all []Kind) {
	for k := first; k <= last; k++ {
		all = append(all, k)
	}
	return all
}

// Where says in which runs something can be done.
type Where string

// The runs: any, those with a ZooKeeper, and those on other systems.
const (
	Anywhere    Where = ""
	OnZooKeeper Where = "zookeeper"
	OnOthers    Where = "others"
)

// WhereOn says of which sort a run is with a ZooKeeper, or with other systems. One that has both can have all.
func WhereOn(zookeeper, others bool) Where {
	switch {
	case !others:
		return OnZooKeeper
	case zookeeper:
		return Anywhere
	}
	return OnOthers
}

// Where says in which runs the kind can be done.
func (k Kind) Where() Where {
	switch {
	case k > lastZooKeeper:
		return OnOthers
	case slices.Contains(SystemKinds(), k):
		return Anywhere
	}
	return OnZooKeeper
}

// ToClients are the kinds that are done to a client alone in runs there: all of them for Anywhere.
func ToClients(there Where) []Kind {
	return slices.DeleteFunc(from(Crash, kinds-1), func(k Kind) bool {
		return k.Target() != ToClient || there != Anywhere && k.Where() != Anywhere && k.Where() != there
	})
}

// ToNodes are the kinds that are done to a node.
func ToNodes() []Kind {
	return slices.DeleteFunc(SystemKinds(), func(k Kind) bool { return k.Target() != ToNode })
}

// Sets reports whether the duration that the kind takes is by how much something is set, forward or back, and not how
// long the fault lasts.
func (k Kind) Sets() bool { return k.traits().by }

// Span is the word before the duration that a kind takes: for how long, or by how much; empty if it takes none.
func (k Kind) Span() string {
	if !k.Lasts() {
		return ""
	}
	return k.span()
}

// span is the word before the duration that a kind takes.
func (k Kind) span() string {
	if k.Sets() {
		return "by"
	}
	return "for"
}

// ParseKind reads the word for a kind that is done to clients, or to a server alone.
func ParseKind(word string) (Kind, bool) {
	for _, k := range append(ToClients(Anywhere), Restart) {
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

// String is the word for the kind in a written fault.
func (k Kind) String() string { return k.traits().word }

// Lasts reports whether the kind takes a duration.
func (k Kind) Lasts() bool { return k.traits().lasts }

// TakesReplicas reports whether the kind is about a node's replicas, so that there must be some.
func (k Kind) TakesReplicas() bool { return k.traits().behind }

// Key is the key that a viewer presses for the kind, empty if viewers are not offered it.
func (k Kind) Key() string { return k.traits().key }

// Target is what the kind is done to.
func (k Kind) Target() Target { return k.traits().target }

// Words are the words of kinds, as an enumeration in a sentence whose last comma is a word.
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

// of are those kinds of a list that have a target, or only those of them that last.
func of(list []Kind, t Target, lasting bool) []Kind {
	return slices.DeleteFunc(list, func(k Kind) bool { return k.Target() != t || lasting && !k.Lasts() })
}
