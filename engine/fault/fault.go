// Package fault is the table of what can be done to clients, servers and what is between them, and how it is written
// down.
//
// It only describes: engine/sim, engine/live and engine/contend carry faults out.
package fault

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/sentence"
)

// Server is the Client of a fault that is done to the server.
const Server = 0

// Fault is one thing done to one client, or to the server.
type Fault struct {
	Kind   Kind
	Client int           // from 1, or Server
	At     time.Duration // since the run's start
	For    time.Duration // of a kind that lasts, else 0

	// Of a kind for an ensemble.
	Server int     // from 1, of ToOneServer and ToClientAt
	A, B   Servers // of ToSides

	// Of a kind for other systems.
	Node int // from 1, of ToNode
}

// Scope is what there is in a run that something can be done to.
type Scope struct {
	Clients int
	Servers int // of a ZooKeeper, observers among them; 0 without one
	Nodes   int // of other systems
}

// Servers is a group of servers of an ensemble: bit n stands for server-n.
type Servers uint16

// MaxServer is the highest server of an ensemble, MaxNode the highest node of other systems.
const (
	MaxServer = 9
	MaxNode   = 20
)

// Has reports whether server-n is in the group.
func (s Servers) Has(n int) bool { return s&(1<<n) != 0 }

// MaxAt bounds At and For: a day.
const MaxAt = 24 * time.Hour

// Form says how a fault is written, in what follows "like" in a sentence.
func Form() string {
	return "'pause client-1 at 2s for 15s' (" + Words(of(Kinds(), ToClient, false), " or ") + "; " +
		Words(of(Kinds(), ToClient, true), " and ") +
		" take 'for') or 'restart server at 2s for 1s'"
}

// Parse reads a written fault: KIND client-N at DURATION [for DURATION], with server for the client of a kind that is
// done to the server, or server-N for one that is done to one of several. A partition has two groups of them with a |
// in between, a link to one of them client-N from server-N.
func Parse(s string) (Fault, error) {
	f, err := parse(strings.Fields(s))
	if err != nil {
		return Fault{}, misspelt(s, err, 1)
	}
	return f, nil
}

// misspelt is the error of a written fault, with how one is written where there are so many servers. What is meant for
// one of several is told how that is written, wherever it is.
func misspelt(s string, why error, servers int) error {
	it, cause := sentence.Quote(s), sentence.Cause(why)
	list := func(kinds []Kind, to Target, lasting bool) sentence.Arg {
		return sentence.Text(Words(of(kinds, to, lasting), ", "))
	}
	clients, lasting := list(Kinds(), ToClient, false), list(Kinds(), ToClient, true)
	members, lastingMembers := list(EnsembleKinds(), ToOneServer, false), list(EnsembleKinds(), ToOneServer, true)
	switch {
	case isForMembers(strings.Fields(s)):
		return sentence.Error("bad.fault.servers", it, cause, members, lastingMembers)
	case servers > 1:
		return sentence.Error("bad.fault.ensemble", it, cause, clients, lasting, members, lastingMembers)
	}
	return sentence.Error("bad.fault", it, cause, clients, lasting)
}

// isForMembers reports whether a written fault names a server of an ensemble, or what is done to such servers alone.
func isForMembers(words []string) bool {
	for i, w := range words {
		if strings.HasPrefix(w, memberWord) || w == sideWord {
			return true
		}
		if _, alone := ParseKind(w); i == 0 && isKind(w) && !alone {
			return true
		}
	}
	return false
}

// ParseAll reads a list of faults, written for a run with so many servers.
func ParseAll(texts []string, servers int) ([]Fault, error) {
	var list []Fault
	for _, text := range texts {
		f, err := parse(strings.Fields(text))
		if err != nil {
			return nil, misspelt(text, err, servers)
		}
		list = append(list, f)
	}
	return list, nil
}

// parse reads the words of a fault. The error says what is wrong with them, but not with which.
func parse(w []string) (f Fault, err error) {
	at := 2 // where "at" should be
	if i := slices.Index(w, "at"); i > 2 {
		at = i
	}
	if len(w) != at+2 && len(w) != at+4 {
		return f, sentence.Error("bad.fault.words")
	}
	if err = f.setKind(w[0], w[1:at]); err != nil {
		return Fault{}, err
	}
	if w[at] != "at" {
		return f, sentence.Error("bad.fault.at")
	}
	if f.At, err = time.ParseDuration(w[at+1]); err != nil || f.At < 0 || f.At > MaxAt {
		return f, sentence.Error("bad.fault.time", sentence.Quote(w[at+1]))
	}
	return f, f.setLength(w[0], w[at+2:])
}

func (f *Fault) setLength(kind string, w []string) (err error) {
	switch {
	case f.Kind.Lasts() && len(w) == 0:
		return sentence.Error("bad.fault.endless", sentence.Text(kind))
	case !f.Kind.Lasts() && len(w) > 0:
		return sentence.Error("bad.fault.lasts", sentence.Text(kind))
	case len(w) == 0:
		return nil
	}
	if f.For, err = time.ParseDuration(w[1]); w[0] != f.Kind.span() || err != nil || f.For <= 0 || f.For > MaxAt {
		return sentence.Error("bad.fault.for", sentence.Quote(w[0]+" "+w[1]))
	}
	return nil
}

const (
	serverWord = "server"
	clientWord = "client-"
	memberWord = "server-"
	nodeWord   = "node-"
	fromWord   = "from"
	sideWord   = "|"
)

// setKind reads what is done and to whom.
func (f *Fault) setKind(word string, to []string) error {
	target := targetOf(word, to)
	for k := Crash; k < kinds; k++ {
		if traits[k].word == word && traits[k].target == target {
			f.Kind = k
		}
	}
	switch {
	case f.Kind == 0 && !isKind(word):
		return sentence.Error("bad.fault.kind", sentence.Quote(word))
	case f.Kind == 0 && (target == ToOneServer || target == ToServer && word != Restart.String()):
		return sentence.Error("bad.fault.client", sentence.Quote(to[0]))
	case f.Kind == 0:
		return sentence.Error("bad.fault.target", sentence.Text(word), sentence.Quote(strings.Join(to, " ")))
	}
	return f.setTarget(to)
}

func isKind(word string) bool {
	return slices.ContainsFunc(traits[:], func(t kindTraits) bool { return t.word == word && word != "" })
}

// targetOf is what kind of target is written there.
func targetOf(kind string, to []string) Target {
	switch {
	case kind == Partition.String():
		return ToSides
	case len(to) == 3 && to[1] == fromWord:
		return ToClientAt
	case len(to) == 1 && strings.HasPrefix(to[0], memberWord):
		return ToOneServer
	case len(to) == 1 && strings.HasPrefix(to[0], nodeWord):
		return ToNode
	case kind == PowerLoss.String() || kind == SlowDisk.String():
		return ToOneServer
	case kind == Restart.String() || len(to) == 1 && to[0] == serverWord:
		return ToServer
	}
	return ToClient
}

func (f *Fault) setTarget(to []string) error {
	switch target := f.Kind.Target(); {
	case target == ToSides:
		return f.setSides(to)
	case target == ToClientAt:
		if err := f.setServer(to[2]); err != nil {
			return err
		}
		return f.setClient(to[0])
	case len(to) != 1:
		return sentence.Error("bad.fault.words")
	case target == ToOneServer:
		return f.setServer(to[0])
	case target == ToNode:
		return f.setNode(to[0])
	case target == ToClient:
		return f.setClient(to[0])
	case to[0] != serverWord:
		return sentence.Error("bad.fault.server", sentence.Quote(to[0]))
	}
	return nil
}

func (f *Fault) setClient(word string) error {
	n, ok := numbered(clientWord, word)
	if !ok {
		return sentence.Error("bad.fault.client", sentence.Quote(word))
	}
	f.Client = n
	return nil
}

func (f *Fault) setServer(word string) error {
	n, ok := numbered(memberWord, word)
	if !ok || n > MaxServer {
		return sentence.Error("bad.fault.member", sentence.Quote(word))
	}
	f.Server = n
	return nil
}

func (f *Fault) setNode(word string) error {
	n, ok := numbered(nodeWord, word)
	if !ok || n > MaxNode {
		return sentence.Error("bad.fault.node", sentence.Quote(word))
	}
	f.Node = n
	return nil
}

// numbered reads a name that ends in a number from 1 on.
func numbered(prefix, word string) (int, bool) {
	num, has := strings.CutPrefix(word, prefix)
	n, err := strconv.Atoi(num)
	return n, has && err == nil && n >= 1
}

// setSides reads two groups of servers with a bar in between.
func (f *Fault) setSides(words []string) error {
	side, bars := &f.A, 0
	for _, w := range words {
		if w == sideWord {
			side, bars = &f.B, bars+1
			continue
		}
		var one Fault
		if err := one.setServer(w); err != nil {
			return err
		}
		if (f.A | f.B).Has(one.Server) {
			return sentence.Error("bad.fault.twice", sentence.Quote(w))
		}
		*side |= 1 << one.Server
	}
	if bars != 1 || f.A == 0 || f.B == 0 {
		return sentence.Error("bad.fault.sides")
	}
	return nil
}

// target is the words for what the fault is done to.
func (f Fault) target() string {
	switch f.Kind.Target() {
	case ToServer:
		if f.Client == Server {
			return serverWord
		}
	case ToOneServer:
		return memberWord + strconv.Itoa(f.Server)
	case ToNode:
		return nodeWord + strconv.Itoa(f.Node)
	case ToSides:
		return f.A.String() + " " + sideWord + " " + f.B.String()
	case ToClientAt:
		return clientWord + strconv.Itoa(f.Client) + " " + fromWord + " " + memberWord + strconv.Itoa(f.Server)
	}
	if f.Client == Server {
		return serverWord
	}
	return clientWord + strconv.Itoa(f.Client)
}

// String names the servers, with spaces in between.
func (s Servers) String() string {
	var names []string
	for n := range 16 {
		if s.Has(n) {
			names = append(names, memberWord+strconv.Itoa(n))
		}
	}
	return strings.Join(names, " ")
}

// String writes the fault so that Parse reads it back.
func (f Fault) String() string {
	s := f.Kind.String() + " " + f.target() + " at " + f.At.String()
	if f.Kind.Lasts() {
		s += " " + f.Kind.span() + " " + f.For.String()
	}
	return s
}

// Validate says why the fault cannot happen in a run with these, or returns nil.
func (f Fault) Validate(in Scope) error {
	it := sentence.Quote(f.String())
	target := f.Kind.Target()
	clients, servers := in.Clients, in.Servers
	switch {
	case !f.Kind.known():
		return sentence.Error("bad.fault.unknown", it)
	case servers == 0 && !slices.Contains(SystemKinds(), f.Kind):
		return sentence.Error("bad.fault.no-zookeeper", it, sentence.Text(Words(SystemKinds(), ", ")))
	case f.Kind > lastZooKeeper && in.Nodes == 0:
		return sentence.Error("bad.fault.zookeeper", it)
	case target == ToNode && (f.Node < 1 || f.Node > in.Nodes):
		return sentence.Error("bad.fault.among-nodes", it, sentence.Number(f.Node), sentence.Number(in.Nodes))
	case f.Kind > lastAlone && f.Kind <= lastZooKeeper && servers < 2:
		return sentence.Error("bad.fault.alone", it)
	case (target == ToClient || target == ToClientAt) && (f.Client < 1 || f.Client > clients):
		return sentence.Error("bad.fault.among", it, sentence.Number(f.Client), sentence.Number(clients))
	case target != ToClient && target != ToClientAt && f.Client != Server:
		return sentence.Error("bad.fault.to-client", it)
	case (target == ToOneServer || target == ToClientAt) && (f.Server < 1 || f.Server > servers):
		return sentence.Error("bad.fault.among-servers", it, sentence.Number(f.Server), sentence.Number(servers))
	case target == ToSides:
		if err := f.validateSides(it, servers); err != nil {
			return err
		}
	}
	switch {
	case f.At < 0 || f.At > MaxAt || f.For < 0 || f.For > MaxAt:
		return sentence.Error("bad.fault.times", it, sentence.Span(MaxAt))
	case f.Kind.Lasts() != (f.For > 0):
		return sentence.Error("bad.fault.length", it, sentence.Span(f.For))
	}
	return nil
}

func (f Fault) validateSides(it sentence.Arg, servers int) error {
	all := f.A | f.B
	switch {
	case f.A == 0 || f.B == 0 || f.A&f.B != 0 || all.Has(0):
		return sentence.Error("bad.fault.cause", it, sentence.Cause(sentence.Error("bad.fault.sides")))
	case all >= 1<<(servers+1):
		highest := bits.Len16(uint16(all)) - 1
		return sentence.Error("bad.fault.among-servers", it, sentence.Number(highest), sentence.Number(servers))
	}
	return nil
}

// WithTime is a written fault that says when: at this time, unless it says so already.
func WithTime(text string, at time.Duration) string {
	words := strings.Fields(text)
	if len(words) < 2 || slices.Contains(words, "at") {
		return text
	}
	end := slices.IndexFunc(words, func(w string) bool { return w == "for" || w == "by" })
	if end < 0 {
		end = len(words)
	}
	return strings.Join(slices.Insert(words, end, "at", at.String()), " ")
}
