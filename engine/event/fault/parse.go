package fault

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Form describes how to write a fault, to follow "like" in a sentence.
func Form() string {
	return "'pause client-1 at 2s for 15s' (" + Words(of(Kinds(), ToClient, false), " or ") + "; " +
		Words(of(Kinds(), ToClient, true), " and ") +
		" take 'for'), 'restart server at 2s for 1s' or 'jump server at 2s by -5s'; " +
		"on other systems than ZooKeeper a client can also " +
		Words(slices.DeleteFunc(ToClients(OnOthers), func(k Kind) bool { return k.Where() == Anywhere }), " or ") +
		", and a node " + Words(ToNodes(), " or ") + ", as in 'jump node-1 at 2s by 10s'; " +
		"a message of a client can be lost, delayed or delivered next, as in " +
		"'drop create 1 from client-1 to server at 2s'; " +
		"'in hold 3' before 'at' is so long after the client got in for the third time"
}

// Parse reads a written fault: KIND client-N [in hold N] at DURATION [for DURATION]. In place of the client it has
// server for a kind that strikes the server, server-N for one of several servers, or node-N for a node of another
// system. A partition has two sets of servers with a | between them, a link to a server is client-N from server-N, and
// a message OP N from server-N to server-N, or with client-N and server or node-N. A clock is set by DURATION, not for
// DURATION.
func Parse(s string) (Fault, error) {
	f, err := parse(strings.Fields(s))
	if err != nil {
		return Fault{}, misspelt(s, err, Scope{Servers: 1})
	}
	return f, nil
}

// misspelt returns the error for a malformed fault, with the way to write faults in such a run. For a fault that names
// a server of an ensemble or another system, it shows the form for those, whatever the run.
func misspelt(s string, why error, in Scope) error {
	it, cause, words := sentence.Quote(s), sentence.Cause(why), strings.Fields(s)
	list := func(kinds []Kind, to Target, lasting bool) sentence.Arg {
		return sentence.Text(Words(of(kinds, to, lasting), ", "))
	}
	clients, lasting := list(Kinds(), ToClient, false), list(Kinds(), ToClient, true)
	members, lastingMembers := list(EnsembleKinds(), ToOneServer, false), list(EnsembleKinds(), ToOneServer, true)
	switch {
	case isForOthers(words) || in.Servers == 0 && !isForMembers(words):
		there := WhereOn(in.Servers > 0 && in.Nodes > 0, true)
		nodes := slices.DeleteFunc(ToNodes(), func(k Kind) bool { return k == Jump })
		return sentence.Error("bad.fault.nodes", it, cause, list(ToClients(there), ToClient, false),
			list(ToClients(there), ToClient, true), list(nodes, ToNode, false), list(nodes, ToNode, true))
	case isForMembers(words):
		return sentence.Error("bad.fault.servers", it, cause, members, lastingMembers)
	case in.Servers > 1:
		return sentence.Error("bad.fault.ensemble", it, cause, clients, lasting, members, lastingMembers)
	}
	return sentence.Error("bad.fault", it, cause, clients, lasting)
}

// isForOthers reports whether a written fault names a node of another system, or a kind that exists only there.
func isForOthers(words []string) bool {
	if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, nodeWord) }) {
		return true
	}
	atServer := slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, serverWord) })
	return len(words) > 0 && slices.ContainsFunc(from(Crash, kinds-1), func(k Kind) bool {
		return k.Where() == OnOthers && k != RestartNode && !(k == Jump && atServer) && k.String() == words[0]
	})
}

// isForMembers reports whether a written fault names a server of an ensemble, or a kind that exists only there.
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

// ParseAll reads a list of faults for a run with this scope. Validate checks whether they can happen there.
func ParseAll(texts []string, in Scope) ([]Fault, error) {
	var list []Fault
	for _, text := range texts {
		f, err := parse(strings.Fields(text))
		if err != nil {
			return nil, misspelt(text, err, in)
		}
		list = append(list, f)
	}
	return list, nil
}

// parse reads the words of a fault. Its error says what is wrong but doesn't quote the fault.
func parse(w []string) (f Fault, err error) {
	at := 2 // where "at" should be
	if i := slices.Index(w, "at"); i > 2 {
		at = i
	}
	if len(w) != at+2 && len(w) != at+4 {
		return f, sentence.Error("bad.fault.words")
	}
	to := w[1:at]
	if len(to) == 4 && to[1] == inWord && to[2] == holdWord {
		f.Hold, err = strconv.Atoi(to[3])
		if to = to[:1]; err != nil || f.Hold < 1 {
			return Fault{}, errHold()
		}
	}
	if err = f.setKind(w[0], to); err != nil {
		return Fault{}, err
	}
	if !f.holdFits() {
		return Fault{}, errHold()
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
	by := f.Kind.Sets()
	switch {
	case by && len(w) == 0:
		return sentence.Error("bad.fault.unset", sentence.Text(kind))
	case f.Kind.Lasts() && len(w) == 0:
		return sentence.Error("bad.fault.endless", sentence.Text(kind))
	case !f.Kind.Lasts() && len(w) > 0:
		return sentence.Error("bad.fault.lasts", sentence.Text(kind))
	case len(w) == 0:
		return nil
	}
	f.For, err = time.ParseDuration(w[1])
	switch ok := err == nil && w[0] == f.Kind.span() && f.For != 0 && f.isShort(); {
	case by && !ok:
		return sentence.Error("bad.fault.by", sentence.Quote(w[0]+" "+w[1]))
	case !ok:
		return sentence.Error("bad.fault.for", sentence.Quote(w[0]+" "+w[1]))
	}
	return nil
}

// setKind sets the kind and the target.
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

// targetOf returns the sort of target that the words describe.
func targetOf(kind string, to []string) Target {
	switch {
	case kind == Partition.String():
		return ToSides
	case len(to) == 6 && to[2] == fromWord && to[4] == toWord:
		return ToMessage
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

func (f *Fault) setTarget(to []string) (err error) {
	switch target := f.Kind.Target(); {
	case target == ToMessage:
		f.Message, err = parseMessage(to)
		return err
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

// numbered reads a name that ends in a number of at least 1.
func numbered(prefix, word string) (int, bool) {
	num, has := strings.CutPrefix(word, prefix)
	n, err := strconv.Atoi(num)
	return n, has && err == nil && n >= 1
}

// setSides reads two sets of servers with a bar between them.
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

// WithTime adds a time to a written fault unless it has one.
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
