//go:build js && wasm

package bridge

import (
	"strconv"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// Address is what the stage's address requests.
type Address struct {
	Lesson string           // a lesson's slug, or
	Query  string           // a recipe with its parameters, as the server reads them, or
	Zoo    string           // a subtree of the embedded server,
	System event.SystemKind // or of another embedded system, or
	Path   string           // a subtree to observe
	// Cluster names the cluster of Path; "" for the unnamed one.
	Cluster string
	// Window is the interval of a recording, "" for the live cluster.
	Window string
	// File means that the page opens a trace, and nothing is requested from the server.
	File bool
	// Host is simulated, or a cluster once the reader has chosen that: no address can start a run on a real ZooKeeper.
	Host  event.Host
	Dark  bool
	Still bool // reduced motion
	Place Place
	// Moment is the moment to show in a log that has a starting time, with Select selected.
	Moment Moment
	Select string
	// Faults lead to the lesson's branch that the place is on. They are untrusted text.
	Faults []string
	// Beside is the second run, and InStep how the two are kept in step, in the form of the page's commands.
	Beside, InStep string

	// Where the frame was before it had to be reloaded; Run is "" if it wasn't.
	Run      string
	Branch   string
	Was      Place
	Selected string
	Attempt  *challenge.Attempt // nil for none
}

// ReadAddress reads the address: the query has the request, the fragment the last position.
func ReadAddress() Address {
	location := js.Global().Get("location")
	get := reader(location.Get("search").String())
	was := reader(location.Get("hash").String())
	w := Address{
		Lesson: get("lesson"), Zoo: get("zoo"), System: event.SystemKind(get("system")), Path: get("path"),
		Cluster: get("cluster"), Window: get("window"), File: get("file") != "",
		Host:  event.Simulated,
		Query: get("query"), Place: ReadPlace(get),
		Dark:   get("theme") == "dark" || get("theme") == "" && media("(prefers-color-scheme: dark)"),
		Still:  get("motion") == "reduced" || get("motion") == "" && media("(prefers-reduced-motion: reduce)"),
		Beside: get("beside"), InStep: get("in-step"),
		Run: was("run"), Branch: was("branch"), Was: ReadPlace(was), Selected: was("selected"),
	}
	if w.Lesson != "" {
		w.Faults = valuesOf(location.Get("search").String(), "fault")
	}
	if w.Run != "" {
		w.Beside, w.InStep = was("beside"), was("in-step")
	}
	if ms, err := strconv.ParseInt(get("moment"), 10, 64); err == nil && ms > 0 && w.Run == "" {
		w.Moment, w.Select = Moment(ms), get("select")
	}
	w.Attempt, _ = challenge.ParseAttempt(was("attempt")) // an invalid one is ignored
	return w
}

func reader(query string) func(key string) string {
	if query != "" {
		query = query[1:]
	}
	params := js.Global().Get("URLSearchParams").New(query)
	return func(key string) string {
		if v := params.Call("get", key); v.Type() == js.TypeString {
			return v.String()
		}
		return ""
	}
}

// valuesOf returns all values of a parameter.
func valuesOf(query, key string) (values []string) {
	all := js.Global().Get("URLSearchParams").New(query).Call("getAll", key)
	for i := range all.Length() {
		values = append(values, all.Index(i).String())
	}
	return values
}

func media(query string) bool {
	return js.Global().Call("matchMedia", query).Get("matches").Bool()
}

// request returns the request to the server. Invalid parts of the address get the server's defaults.
func (w Address) request() protocol.Request {
	switch {
	case w.Lesson != "":
		return protocol.Request{Do: protocol.Open, Lesson: w.Lesson, Host: w.Host}
	case w.Query != "":
		return protocol.Request{Do: protocol.Open, Query: w.Query, Host: w.Host}
	case w.Zoo != "":
		return protocol.Request{Do: protocol.Zoo, Path: w.Zoo, System: w.System}
	case w.Window != "":
		return protocol.Request{Do: protocol.Past, Path: w.Path, Window: w.Window}
	default:
		return protocol.Request{Do: protocol.Observe, Path: w.Path, Cluster: w.Cluster}
	}
}
