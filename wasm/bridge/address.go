//go:build js && wasm

package bridge

import (
	"strconv"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/protocol"
	"github.com/zkviz/zkviz/lessons/challenge"
)

// Address is what the stage's address asks for.
type Address struct {
	Lesson string           // a lesson's slug, or else
	Query  string           // a recipe with its parameters, as the server reads them
	Zoo    string           // or else a subtree of what is inside the server
	System event.SystemKind // of Zoo: another system that is inside the server
	Path   string           // or else a subtree to observe
	// Cluster is whose Path is, by its name; empty for the one without.
	Cluster string
	// Window is from when to when that is in the past of files, empty for what goes on.
	Window string
	// File is that the page opens a trace, and the server is asked for nothing.
	File bool
	// Host is simulated, or a cluster once the reader has chosen that: no address makes anything run on a real
	// ZooKeeper.
	Host  event.Host
	Dark  bool
	Still bool // reduced motion
	Place Place
	// Moment is what the page shows of a log that tells when it began, with Select selected.
	Moment Moment
	Select string
	// Faults lead to the branch of a lesson that the place is on. They are as anybody wrote them.
	Faults []string
	// Beside is what stands beside it, and InStep what they have in step, as the page's commands take them.
	Beside, InStep string

	// Where the frame was before it had to be loaded again; Run is empty if it was not.
	Run      string
	Branch   string
	Was      Place
	Selected string
	Attempt  *challenge.Attempt // nil if there was none
}

// ReadAddress reads the address: the query says what, the fragment where it was.
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
	w.Attempt, _ = challenge.ParseAttempt(was("attempt")) // what is none is left out
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

// valuesOf are all values of a parameter.
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

// request is how the server is asked for it. What makes no sense in the address is left to the server's default.
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
