//go:build js && wasm

package bridge

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/zkviz/zkviz/engine/run/protocol"
)

// engine is the program wasm/engine in a worker. It starts with the first line to it. If it dies, it starts again, and
// its lines open again. If it can't be loaded, or dies again soon, the lines fail, and their next request tries again.
// Once nothing has been under way for a while, its worker ends, and with it the memory that it has taken. The next
// request starts another.
type engine struct {
	say   func(key string, args ...string) string
	mark  func(state string) // shows the page what there is of it
	again func()             // called when it has to start again

	worker js.Value // undefined before it is needed
	state  engineState
	lines  map[int]*line
	count  int           // lines and files so far
	died   time.Duration // when it was last started again; 0 for never
	quiet  silence       // since it last said something, or was asked for something
}

type engineState uint8

const (
	engineIdle    engineState = iota // it isn't needed yet
	engineLoading                    // it is being loaded
	engineReady
)

const (
	// againAfter is how long the engine must have run to be started again after it was started again.
	againAfter = time.Minute
	// stuckAfter is how long the engine may say nothing after a request. Rooms answer sooner, if only how far they are.
	stuckAfter = 60 * time.Second
	// quietAfter is stuckAfter once the engine has said how far a computation is, as it does twice a second.
	quietAfter = 10 * time.Second
	// parkAfter is how long nothing has been under way before the worker ends.
	parkAfter = 30 * time.Second
	// engineBeat is how often the page looks after the engine.
	engineBeat = 5 * time.Second
)

// line is a transport over messages to the engine.
type line struct {
	receiver
	engine *engine
	id     int
	open   bool
	saved  func(kind string, data js.Value) // takes a trace file: saving
	most   time.Duration                    // how long the engine may say nothing; 0 if nobody waits for it
}

// dial returns a transport that opens once the engine is ready. Its callbacks only leave work for later.
func (e *engine) dial(later func(work func()), r receiver) transport {
	l := &line{engine: e}
	frame := r.frame
	r.frame = func(b []byte) {
		frame(b)
		l.took()
	}
	return dial(later, r, func(r receiver) transport {
		l.receiver = r
		e.join(l)
		return l
	})
}

func (e *engine) join(l *line) {
	e.count++
	l.id = e.count
	if e.lines == nil {
		e.lines = map[int]*line{}
	}
	e.lines[l.id] = l
	e.start()
	after(0, e.openAll)
}

// openAll opens the lines that wait for the engine.
func (e *engine) openAll() {
	for _, l := range e.all() {
		if e.state == engineReady && !l.open {
			l.open = true
			e.post("open", l.id, nil)
			l.opened()
		}
	}
}

// all returns the lines, in the order in which they began.
func (e *engine) all() (lines []*line) {
	for _, id := range slices.Sorted(maps.Keys(e.lines)) {
		lines = append(lines, e.lines[id])
	}
	return lines
}

// prepare leaves the engine in the browser's cache, so that it can start when there is no server.
func (e *engine) prepare() {
	if !e.worker.IsUndefined() || js.Global().Get("navigator").Get("connection").Truthy() &&
		js.Global().Get("navigator").Get("connection").Get("saveData").Truthy() {
		return
	}
	if e.create() {
		e.command("prepare")
	}
}

// start loads the engine unless it has been started.
func (e *engine) start() {
	if e.state != engineIdle {
		return
	}
	e.state = engineLoading
	if e.worker.IsUndefined() && !e.create() {
		after(0, func() { e.fail(e.say("engine.failed", e.say("engine.none"))) })
		return
	}
	e.command("load")
	e.mark("loading")
	w := e.worker
	e.quiet = silence{every: engineBeat, then: Now()}
	after(engineBeat, func() { e.beat(w) })
}

// create makes the worker. It reports false if the browser has none, or refuses one for a page on a disk.
func (e *engine) create() (ok bool) {
	of := js.Global().Get("Worker")
	if !of.Truthy() {
		return false
	}
	defer func() { ok = recover() == nil }()
	w := of.New(js.Global().Get("document").Get("documentElement").Get("dataset").Get("worker"))
	e.worker = w
	// A worker that has been replaced may have left messages.
	listen(w, "message", false, func(m js.Value) {
		if w.Equal(e.worker) {
			e.receive(m.Get("data"))
		}
	})
	listen(w, "error", false, func(m js.Value) {
		switch why := m.Get("message"); {
		case !w.Equal(e.worker):
		case e.state == engineIdle: // there is another try when the engine is needed
			e.worker = js.Value{}
		case why.Truthy():
			e.die(why.String())
		default: // its script isn't there
			e.die(e.say("engine.fetch", m.Get("type").String(), "worker.js"))
		}
	})
	return true
}

// command tells static/worker.js what to do with the engine's files.
func (e *engine) command(kind string) {
	document := js.Global().Get("document")
	files := document.Get("documentElement").Get("dataset")
	address := func(of string) any {
		return js.Global().Get("URL").New(files.Get(of), document.Get("baseURI")).Get("href")
	}
	e.worker.Call("postMessage", map[string]any{"kind": kind, "program": address("program"), "script": address("script")})
}

// receive handles a message of the engine.
func (e *engine) receive(m js.Value) {
	e.quiet.end()
	for _, l := range e.lines {
		l.most = 0
	}
	switch kind := m.Get("kind").String(); kind {
	case "prepared":
		e.mark("kept")
	case "ready":
		e.state = engineReady
		e.mark("ready")
		e.openAll()
	case "failed":
		why := m.Get("why").String()
		e.die(e.say("engine."+why, m.Get("data").String(), m.Get("address").String()))
	default:
		if l := e.lines[m.Get("id").Int()]; l != nil {
			l.receive(kind, m.Get("data"))
		}
	}
}

func (l *line) receive(kind string, data js.Value) {
	switch kind {
	case "text":
		text := data.String()
		if strings.HasPrefix(text, protocol.SaysProgress) {
			l.most = quietAfter
		}
		l.text([]byte(text))
	case "frame":
		l.frame(bytesOf(data))
	case "piece", "saved":
		l.most = quietAfter
		l.saved(kind, data)
	case "close": // the engine has ended it
		l.again()
	}
}

// die ends the worker, and starts another unless the engine never was there or has died again soon.
func (e *engine) die(why string) {
	was, last := e.state, e.died
	e.terminate()
	switch {
	case was != engineReady:
		e.fail(e.say("engine.failed", why))
		return
	case last > 0 && Now()-last < againAfter:
		e.fail(e.say("engine.twice", strconv.Itoa(int(againAfter.Seconds())), why))
		return
	}
	e.died = Now()
	for _, l := range e.all() {
		if l.open {
			l.open = false
			l.closed()
		}
	}
	e.start()
	e.again()
}

func (e *engine) terminate() {
	e.worker.Call("terminate")
	e.worker, e.state = js.Value{}, engineIdle
}

// beat looks after a worker, until that is another one: it ends one that says nothing though somebody waits, and one
// that has nothing to do.
func (e *engine) beat(w js.Value) {
	if !w.Equal(e.worker) {
		return
	}
	after(engineBeat, func() { e.beat(w) })
	long, rest := e.quiet.beat(Now()), e.state == engineReady
	for _, l := range e.all() {
		if l.most > 0 && long >= l.most {
			e.die(e.say("engine.stuck", strconv.Itoa(int(l.most.Seconds()))))
			return
		}
		rest = rest && l.most == 0 && l.rests != nil && l.rests()
	}
	if rest && long >= parkAfter {
		e.park()
	}
}

// park ends the worker. The lines go on with the next one.
func (e *engine) park() {
	e.terminate()
	for _, l := range e.lines {
		l.open = false
	}
	e.mark("parked")
}

// fail tells all lines that there is no engine. The next line tries again, and so does the next request of these.
func (e *engine) fail(why string) {
	e.state = engineIdle
	e.mark("failed")
	for _, l := range e.all() {
		delete(e.lines, l.id)
		l.open = false
		l.failed(why)
	}
}

func (e *engine) post(kind string, id int, data any) {
	e.worker.Call("postMessage", map[string]any{"kind": kind, "id": id, "data": data})
}

// handOver gives the engine a file, and returns its name for protocol.File. The buffer changes hands.
func (e *engine) handOver(buffer js.Value) (name string) {
	e.count++
	name = strconv.Itoa(e.count)
	e.worker.Call("postMessage", map[string]any{"kind": "file", "name": name, "data": buffer}, []any{buffer})
	return name
}

func (l *line) send(r protocol.Request) bool {
	if !l.open {
		return false
	}
	l.ask("text", string(protocol.AppendRequest(nil, r)))
	return true
}

// ask sends something to which the engine must say something.
func (l *line) ask(kind, data string) {
	l.engine.post(kind, l.id, data)
	l.most = stuckAfter
	l.engine.quiet.end()
}

// reach starts the engine, also after it has failed.
func (l *line) reach() bool {
	if e := l.engine; e.lines[l.id] != l {
		e.join(l)
	} else {
		e.start()
	}
	return true
}

// took tells the engine that a frame has been handled.
func (l *line) took() {
	if l.open {
		l.engine.post("took", l.id, nil)
	}
}

func (l *line) again() {
	l.end()
	l.closed()
	l.engine.join(l)
}

func (l *line) end() {
	if l.open {
		l.open = false
		l.engine.post("close", l.id, nil)
	}
	delete(l.engine.lines, l.id)
}
