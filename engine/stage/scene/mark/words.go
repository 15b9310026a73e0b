package mark

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
	"github.com/zkviz/zkviz/static/strings/words"
)

// About returns the client or the znode that a mark is about.
func (m *Mark) About() string {
	if m.Kind == Message || m.Kind == Reply {
		who, _, _ := strings.Cut(m.Value, " ")
		return who
	}
	return m.Subject
}

// Wholly describes a mark of the whole picture, or returns "".
func Wholly(m Mark, w words.Words) string {
	switch m.Kind {
	case Unreachable:
		return w.Say("told.unreachable")
	case Zxid, Whose, Cost, Unserved:
		return w.Say("told.name", m.Said)
	case Ahead:
		if _, ok := event.ParseActor(m.Subject); !ok { // the only server's
			return w.Say("told.clock", m.Subject, m.Said)
		}
	case Summary, Totals:
		return w.Say("told.name", m.Subject)
	}
	return ""
}

// Words returns the words for a mark: those in the picture, or else the sentence for its kind.
func (m *Mark) Words(w words.Words) string {
	switch m.Kind {
	case State:
		return m.Said
	case Back, Refused, Has, Unread, Patience, Session, Head, Kept, Tries, Ends,
		Nodes, Tx, Lease, Gone, Wakeups:
		if m.Said != "" {
			return m.Said
		}
	case Doubt:
		return w.Say("scene.uncommitted")
	case Restarted:
		return w.Say("scene.node.restarted")
	case Mode, Missing:
		if m.Said != "" {
			return m.Said
		}
		return w.Say("scene." + cmp.Or(m.Value, "not-there"))
	case Made, Czxid:
		return w.Say("scene."+string(m.Kind), m.Value)
	case Counter:
		return w.Say("scene.next", m.Value)
	case Unwatched:
		return w.Say("told.unwatched", NodeName(m.Value))
	case Watch, Told:
		return w.Say("told."+string(m.Kind), cmp.Or(m.Said, NodeName(m.Value)))
	case Data:
		return w.Say("told.data", string(text.Clean(nil, m.Value)))
	case Message, Reply:
		return m.request(w)
	case Said:
		return w.Say("told.said", m.Said)
	case Write:
		return m.written(w)
	case Halves:
		return m.halves(w)
	}
	return w.Say("told."+string(m.Kind), m.Value)
}

// request describes a request or a reply.
func (m *Mark) request(w words.Words) string {
	what := w.Say("scene.op." + m.Subject)
	_, rest, _ := strings.Cut(m.Value, " ")
	switch {
	case m.Kind == Reply && m.Said != "":
		return w.Say("told.reply", what, m.Said)
	case m.Kind == Reply:
		return w.Say("told.reply.wordless", what)
	case m.Said != "": // the whole command
		return w.Say("told.message", m.Said)
	case rest == "watch":
		return w.Say("told.message.watch", what)
	case rest != "": // with its condition
		return w.Say("told.message", rest)
	}
	return w.Say("told.message", what)
}

// written describes what a store got from a client.
func (m *Mark) written(w words.Words) string {
	switch key := "told." + strings.ReplaceAll(m.Value, " ", "."); {
	case strings.HasPrefix(m.Value, "page") && w.Has(key):
		return w.Say(key, m.Subject)
	case m.Subject == "-":
		return m.Value
	}
	return w.Say("told.write", m.Subject, m.Value)
}

// halves describes the halves of a document, or of a client's copy.
func (m *Mark) halves(w words.Words) string {
	key, versions := "told.copy", strings.Fields(m.Value)
	if m.Subject == "-" {
		key = "told.document"
	}
	switch {
	case len(versions) > 2:
		key += ".torn"
	case versions[0] != versions[1]:
		key += ".halves"
	}
	return w.Say(key, m.Subject, versions[0], versions[1])
}

// NodeName returns the name of a znode without the session that a recipe puts into it, and with at most two zeros
// before its number.
func NodeName(path string) string {
	name := text.Base(path)
	n := event.Number(name)
	if n < 0 {
		return string(text.Clean(nil, cmp.Or(name, path)))
	}
	stem := text.Clean(nil, event.Stem(name))
	if len(stem) > 0 {
		stem = append(stem, '-')
	}
	digits := strconv.FormatInt(n, 10)
	return string(stem) + strings.Repeat("0", max(0, 3-len(digits))) + digits
}
