package bridge

import (
	"net/url"
	"strconv"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// Address is what the stage's address requests.
type Address struct {
	Lesson string           // a lesson's slug, or
	Query  string           // a recipe with its parameters, as the server reads them, or
	Zoo    string           // a subtree of the embedded server,
	Class  string           // the class whose clients are in it, perhaps inside another server,
	System event.SystemKind // or of another embedded system, or
	Path   string           // a subtree to observe
	// Cluster names the cluster of Path; "" for the unnamed one.
	Cluster string
	// Window is the interval of a recording, "" for the live cluster.
	Window string
	// File means that the page opens a trace, and nothing is requested from the server.
	File bool
	// Reopens means that the frame showed a file before it had to be reloaded. The page opens it again.
	Reopens bool
	// Host is simulated, or a cluster once the reader has chosen that: no address can start a run on a real ZooKeeper.
	Host  event.Host
	Dark  bool
	Still bool // reduced motion
	// Link says what to show, and Bad why it can't be read.
	Link link.Moment
	Bad  error
	// Moment is the moment to show in a log that has a starting time.
	Moment Moment
	// Faults lead to the lesson's branch that the place is on. They are untrusted text.
	Faults []string
	// Beside is the second run, and InStep how the two are kept in step, in the form of the page's commands.
	Beside, InStep string

	// Where the frame was before it had to be reloaded; Run is "" if it wasn't.
	Run      string
	Branch   string
	Was      player.Place
	Selected string
	// WasFaults lead to the branch where it was.
	WasFaults []string
	Attempt   *challenge.Attempt // nil for none
}

// AddressOf reads the parameters of the frame's address: the query has the request, the fragment the last position.
func AddressOf(query, fragment string) Address {
	q, _ := url.ParseQuery(query) // what can't be read isn't there
	was, _ := url.ParseQuery(fragment)
	get := q.Get
	w := Address{
		Lesson: get("lesson"), Zoo: get("zoo"), Class: get("class"), System: event.SystemKind(get("system")),
		Path: get("path"), Cluster: get("cluster"), Window: get("window"), File: get("file") != "", Host: event.Simulated,
		Query: get("query"),
		Dark:  get("theme") == "dark", Still: get("motion") == "reduced",
		Run: was.Get("run"), Branch: was.Get("branch"), Selected: was.Get("selected"),
	}
	w.Attempt, _ = challenge.ParseAttempt(was.Get("attempt")) // an invalid one is ignored
	if w.Lesson != "" {
		w.Faults = q["fault"]
	}
	if n, err := strconv.Atoi(get("bytes")); err == nil && n > link.Max { // too long to be passed on
		w.Bad = sentence.Error("bad.link.long", sentence.Number(link.Max), sentence.Number(n))
	} else if n := len(w.Faults); n > link.MaxFaults {
		w.Bad = sentence.Error("bad.link.faults", sentence.Number(link.MaxFaults), sentence.Number(n))
	} else {
		w.Link, w.Bad = link.Take(q)
	}
	if get("lab") != "" && w.Bad == nil {
		w.Link.Beside, w.Bad = w.beside()
	}
	if w.Bad != nil {
		w.Faults = nil
	}
	w.Beside, w.InStep = w.Link.Beside.What, w.Link.Beside.InStep
	w.Reopens = was.Get("file") != ""
	if w.Run != "" {
		w.Beside, w.InStep = was.Get("beside"), was.Get("in-step")
		last, _ := link.Take(was)
		w.WasFaults = was["fault"]
		w.Was = player.Place{At: last.At, Seq: last.Seq, Step: was.Get("step"), Playing: was.Has("playing"),
			Tells: was.Has("tells")}
	} else if ms, err := strconv.ParseInt(get("moment"), 10, 64); err == nil && ms > 0 {
		w.Moment = Moment(ms)
	}
	return w
}

// beside returns the run beside the Lab's in a link that no server has read: whole, in place of what differs.
func (w Address) beside() (link.Beside, error) {
	b := w.Link.Beside
	other, err := b.Scenario(WithFaults(w.Query, nil))
	if other == nil || err != nil {
		return link.Beside{}, err
	}
	b.What, b.Seed = other.Encode(), ""
	return b, nil
}

// request returns the request to the server. Invalid parts of the address get the server's defaults.
func (w Address) request() protocol.Request {
	switch {
	case w.Lesson != "":
		return protocol.Request{Do: protocol.Open, Lesson: w.Lesson, Host: w.Host}
	case w.Query != "":
		return protocol.Request{Do: protocol.Open, Query: w.Query, Host: w.Host}
	case w.Zoo != "":
		return protocol.Request{Do: protocol.Zoo, Path: w.Zoo, Class: w.Class, System: w.System}
	case w.Window != "":
		return protocol.Request{Do: protocol.Past, Path: w.Path, Window: w.Window}
	default:
		return protocol.Request{Do: protocol.Observe, Path: w.Path, Cluster: w.Cluster}
	}
}
