package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
)

// What a page can ask for: Message.Do.
const (
	doOpen    = "open"
	doObserve = "observe"
	doZoo     = "zoo"
	doContend = "contend"
	doFault   = "fault"
	doResume  = "resume"
)

// Where a run happens: Message.Host.
const (
	hostSim      = event.Simulated
	hostLive     = event.Cluster
	hostObserved = event.Observed // only in what the server says
	hostZoo      = event.Embedded // likewise
)

// Message is what a page asks for. Which fields count is decided by Do.
type Message struct {
	Do      string               `json:"do"`
	Lesson  string               `json:"lesson"`  // open: a lesson's slug, or a Recipe with its parameters, or a Query
	Recipe  string               `json:"recipe"`  // open
	Clients int                  `json:"clients"` // open, recipe; contend: how many there shall be
	Rounds  int                  `json:"rounds"`  // open, recipe
	Seed    uint64               `json:"seed"`    // open, recipe
	HoldMS  int64                `json:"hold_ms"` // open, recipe; 0 for the default
	Faults  []string             `json:"faults"`  // open, recipe: as engine/fault writes them
	Query   string               `json:"query"`   // open: all of a recipe's scenario, as run.ParseQuery reads it
	Host    event.Host           `json:"host"`    // open: "sim", "live" or empty for sim
	Path    string               `json:"path"`    // observe, zoo: the subtree
	Branch  int                  `json:"branch"`  // fault: what it is done to
	Fault   string               `json:"fault"`   // fault, as engine/fault writes it
	Run     string               `json:"run"`     // resume
	From    map[string]event.Seq `json:"from"`    // resume: by branch, the first event that is wanted
}

const sample = `send one JSON object such as {"do":"open","lesson":"03-the-herd","host":"sim"}`

// ParseMessage reads what a page sent. It trusts nothing in it; the error is a sentence for the page.
func ParseMessage(text []byte) (Message, error) {
	if len(text) > MaxMessage {
		return Message{}, fmt.Errorf("a message has at most %d bytes, not %d", MaxMessage, len(text))
	}
	if !utf8.Valid(text) {
		return Message{}, errors.New("the message is not UTF-8; " + sample)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var m Message
	if err := d.Decode(&m); err != nil {
		return Message{Do: clip(m.Do)}, fmt.Errorf("the message was not understood: %s; %s", clip(plain(err)), sample)
	}
	if _, err := d.Token(); err != io.EOF {
		return Message{Do: clip(m.Do)}, errors.New("there is more after the message's object; send one object in each message")
	}
	if err := m.validate(); err != nil {
		return Message{Do: clip(m.Do)}, err
	}
	return m, nil
}

func plain(err error) string { return strings.TrimPrefix(err.Error(), "json: ") }

// clip keeps what somebody else wrote short enough for a sentence.
func clip(s string) string { return clipTo(s, 120) }

func clipTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

func (m Message) validate() error {
	switch m.Do {
	case doOpen:
		return m.validateOpen()
	case doObserve, doZoo:
		return validatePath(m.Path)
	case doContend:
		if m.Clients < 0 || m.Clients > MaxContenders {
			return fmt.Errorf(`"clients" is 0 to %d, not %d`, MaxContenders, m.Clients)
		}
		return nil
	case doFault:
		_, err := fault.Parse(m.Fault)
		return clipped(err)
	case doResume:
		_, err := m.cursors()
		return err
	}
	return fmt.Errorf(`there is no "do":%q; there are open, observe, zoo, contend, fault and resume`, clip(m.Do))
}

func clipped(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(clip(err.Error()))
}

func (m Message) validateOpen() error {
	switch {
	case !onlyOne(m.Lesson, m.Recipe, m.Query):
		return errors.New(`"open" takes either a "lesson" or a "recipe" or a "query"`)
	case m.Host != "" && m.Host != hostSim && m.Host != hostLive:
		return fmt.Errorf(`"host" is "sim" or "live", not %q`, clip(string(m.Host)))
	case m.HoldMS < 0 || m.HoldMS > time.Hour.Milliseconds():
		return fmt.Errorf(`"hold_ms" is 0 to %d, not %d`, time.Hour.Milliseconds(), m.HoldMS)
	case len(m.Faults) > MaxOpenFaults:
		return fmt.Errorf("a run from a page takes up to %d faults, not %d", MaxOpenFaults, len(m.Faults))
	case m.Recipe == "" && (m.Clients != 0 || m.Rounds != 0 || m.Seed != 0 || m.HoldMS != 0 || len(m.Faults) > 0):
		return errors.New(`parameters such as "clients" go with a "recipe"; a lesson and a query have their own`)
	}
	for _, text := range m.Faults {
		if _, err := fault.Parse(text); err != nil {
			return clipped(err)
		}
	}
	return nil
}

// onlyOne reports whether exactly one of the texts is not empty.
func onlyOne(texts ...string) bool {
	given := 0
	for _, s := range texts {
		if s != "" {
			given++
		}
	}
	return given == 1
}

// validatePath checks a path by ZooKeeper's rules, before a cluster is asked.
func validatePath(p string) error {
	bad := func(why string) error {
		return fmt.Errorf("%q is not the path of a znode: %s", clip(p), why)
	}
	switch {
	case len(p) > MaxPath:
		return bad(fmt.Sprintf("it has more than %d bytes", MaxPath))
	case !strings.HasPrefix(p, "/"):
		return bad("it does not begin with /")
	case p == "/":
		return nil
	case strings.HasSuffix(p, "/"):
		return bad("it ends in /")
	}
	for name := range strings.SplitSeq(p[1:], "/") {
		if name == "" || name == "." || name == ".." {
			return bad(fmt.Sprintf("it has the part %q", name))
		}
	}
	for _, r := range p {
		if r < 0x20 || r >= 0x7f && r <= 0x9f || r >= 0xd800 && r <= 0xf8ff || r >= 0xfff0 && r <= 0xffff {
			return bad(fmt.Sprintf("it has the character %U", r))
		}
	}
	return nil
}

// cursors are From by branch number.
func (m Message) cursors() (map[int]event.Seq, error) {
	next := make(map[int]event.Seq, len(m.From))
	for key, seq := range m.From {
		id, err := strconv.Atoi(key)
		if err != nil || id < 0 {
			return nil, fmt.Errorf(`"from" has the branch %q, which is no number`, clip(key))
		}
		next[id] = seq
	}
	return next, nil
}
