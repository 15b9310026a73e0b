package link

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Limits of a link.
const (
	Max       = 2048 // bytes of its parameters: short enough for every browser and chat
	MaxFaults = 50   // that lead to a branch of a lesson: each is a request to the server
	maxName   = 80   // characters of a file's name
	maxDigits = 16   // of a hash
)

// Moment is what a link says beside what is run.
type Moment struct {
	Place
	Select string // the client, znode or other thing that is selected
	Trace  string // the name of the file that it is a moment of, "" for a run
	Beside Beside
	// Unknown names parameters that this version doesn't know.
	Unknown []string
}

// Beside describes the run beside a link's own.
type Beside struct {
	What   string // a recipe, or a query with the differences; "" for none
	Seed   string // "" for the same seed
	InStep string // what keeps the two in step, as engine/stage/player names it
	Seq    event.Seq
	Sum    string // of the run beside it, up to Seq
}

// MomentNames lists the parameters of a Moment.
var MomentNames = []string{"at", "event", "sum", "select", "trace", "beside", "beside-seed", "in-step", "beside-event",
	"beside-sum", "unknown"}

// TaskNames lists the parameters of a task in a link to the Lab. The Lab's page reads them.
var TaskNames = []string{"title", "text", "rule", "par"}

// FrameNames lists the parameters that say how a page shows itself in a frame of another one.
var FrameNames = []string{"embed", "theme"}

// Parse reads a link's parameters. Those without a value aren't there: the Lab's form sends its empty fields. Nor are
// those for a frame, which say nothing of what is run.
func Parse(query string) (url.Values, error) {
	if len(query) > Max {
		return nil, sentence.Error("bad.link.long", sentence.Number(Max), sentence.Number(len(query)))
	}
	q, err := url.ParseQuery(query)
	if err != nil {
		return nil, sentence.Wrap(err, "bad.link")
	}
	for name, values := range q {
		if values = slices.DeleteFunc(values, func(v string) bool { return strings.TrimSpace(v) == "" }); len(values) == 0 {
			q.Del(name)
		} else {
			q[name] = values
		}
	}
	for _, name := range FrameNames {
		q.Del(name)
	}
	return q, nil
}

// Take takes the moment out of a link's parameters. Its errors are sentences.
func Take(q url.Values) (m Moment, err error) {
	get := q.Get
	m.Beside = Beside{What: get("beside"), Seed: get("beside-seed"), InStep: get("in-step")}
	m.Select, m.Trace = get("select"), get("trace")
	for _, name := range q["unknown"] {
		m.addUnknown(name)
	}
	if at := get("at"); at != "" {
		if m.At, err = time.ParseDuration(at); err != nil || m.At < 0 {
			return Moment{}, sentence.Error("bad.link.at", sentence.Quote(at))
		}
		m.Set = true
	}
	if m.Seq, err = seqIn(q, "event"); err != nil {
		return Moment{}, err
	}
	m.Set = m.Set || m.Seq > 0
	if m.Sum, err = sumIn(q, "sum"); err != nil {
		return Moment{}, err
	}
	if m.Beside.Seq, err = seqIn(q, "beside-event"); err != nil {
		return Moment{}, err
	}
	if m.Beside.Sum, err = sumIn(q, "beside-sum"); err != nil {
		return Moment{}, err
	}
	if m.Seq == 0 {
		m.Sum = "" // there is nothing that it is of
	}
	if m.Beside.Seq == 0 {
		m.Beside.Sum = ""
	}
	if !plain(m.Select) {
		return Moment{}, sentence.Error("bad.link.select", sentence.Quote(m.Select))
	}
	if !plain(m.Trace) || utf8.RuneCountInString(m.Trace) > maxName {
		return Moment{}, sentence.Error("bad.link.trace", sentence.Quote(m.Trace))
	}
	for _, name := range MomentNames {
		q.Del(name)
	}
	return m, nil
}

// seqIn returns the number of an event, 0 for none.
func seqIn(q url.Values, name string) (event.Seq, error) {
	text := q.Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n == 0 {
		return 0, sentence.Error("bad.link.event", sentence.Text(name), sentence.Quote(text))
	}
	return event.Seq(n), nil
}

// sumIn returns a hash, "" for none.
func sumIn(q url.Values, name string) (string, error) {
	text := q.Get(name)
	if _, err := strconv.ParseUint(text, 16, 64); text != "" && (err != nil || len(text) > maxDigits) {
		return "", sentence.Error("bad.link.sum", sentence.Text(name), sentence.Quote(text))
	}
	return text, nil
}

// plain reports whether a name is text without control characters.
func plain(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl)
}

// PutApart moves parameters that nobody knows from the query of a link to Unknown, if the link is of a moment: a newer
// version has made it. Those that somebody wrote by hand stay, to be refused.
func (m *Moment) PutApart(q url.Values, known func(name string) bool) {
	if !m.Set {
		return
	}
	for name := range q {
		if !known(name) {
			m.addUnknown(name)
			q.Del(name)
		}
	}
	slices.Sort(m.Unknown)
}

func (m *Moment) addUnknown(name string) {
	if name != "" {
		m.Unknown = append(m.Unknown, name)
	}
}

// LeftOut says which parameters this version doesn't know.
func (m Moment) LeftOut() sentence.Sentence {
	return sentence.Of("link.unknown", sentence.Quote(strings.Join(m.Unknown, ", ")))
}

// Query writes the moment in the form that Take reads; "" for none.
func (m Moment) Query() string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+"="+url.QueryEscape(value))
		}
	}
	if m.Set {
		parts = append(parts, m.Place.Query())
	}
	add("select", m.Select)
	add("trace", m.Trace)
	add("beside", m.Beside.What)
	add("beside-seed", m.Beside.Seed)
	add("in-step", m.Beside.InStep)
	if m.Beside.Seq > 0 {
		add("beside-event", strconv.FormatUint(uint64(m.Beside.Seq), 10))
	}
	add("beside-sum", m.Beside.Sum)
	for _, name := range m.Unknown {
		add("unknown", name)
	}
	return strings.Join(parts, "&")
}

// Of returns the address of the Lab, from the server's root on, for a scenario's query with a moment.
func Of(scenario string, m Moment) string { return "/lab?" + Join(scenario, m.Query()) }

// Join joins parts of a query.
func Join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "&")
}
