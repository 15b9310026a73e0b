//go:build js && wasm

package bridge

import (
	"net/url"
	"strconv"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// saving has the engine write the log that is shown as a trace file, where no server can. It has a line of its own, so
// the stage goes on meanwhile. It isn't left for Update, since a stage out of sight draws no frames.
type saving struct {
	source *source
	line   *line
	takes  js.Value
	quiet  bool // the reader isn't told
	pieces int  // of the file so far, a megabyte each
}

// saves reports whether that isn't for the server.
func (s *source) saves() bool {
	_, files := onFiles()
	return files || s.alone || s.file || s.leaving != nil
}

// save begins to save the log, and hands takes what comes of it, with its kind: "begin" whenever the file begins,
// "piece" with each part of it until takes answers that it has enough, and "saved" with its name or "failed" with why.
// It reports false if that is for the server.
func (s *source) save(takes js.Value, quiet bool) bool {
	if !s.saves() {
		return false
	}
	if s.unanswered() {
		takes.Invoke("failed", "")
		return true
	}
	x := &saving{source: s, takes: takes, quiet: quiet}
	query := x.query()
	l := &line{engine: s.engine}
	l.receiver = receiver{
		opened: func() {
			x.pieces = 0
			takes.Invoke("begin")
			l.ask("save", query)
		},
		text: x.take, frame: func([]byte) {}, closed: func() {}, failed: x.fail,
	}
	l.saved = func(kind string, data js.Value) {
		if takes.Invoke(kind, data).Truthy() || kind == "saved" {
			x.end("")
			return
		}
		x.pieces++
		x.say(s.page.panes.Say("log.saving.writes", strconv.Itoa(x.pieces)))
	}
	x.line = l
	x.say(s.page.panes.Say("log.saving"))
	s.engine.join(l)
	return true
}

// query says which log it is. Whatever the engine doesn't have it computes again.
func (x *saving) query() string {
	s, p := x.source, x.source.player
	q := url.Values{"run": {p.Log.Run().ID}, "branch": {strconv.Itoa(p.Log.Branch())}}
	if s.computed() {
		q.Set("scenario", s.query)
		q["fault"] = faultsOf(p.Log.Branches(), p.Log.Branch())
	}
	return q.Encode()
}

// take handles a message. It ignores one that it can't parse.
func (x *saving) take(text []byte) {
	m, err := protocol.ParseMessage(text)
	if err != nil {
		return
	}
	say := x.source.page.panes
	switch m := m.(type) {
	case *protocol.Progress:
		x.say(say.Say("log.saving.computes", sentence.Grouped(m.Events)))
	case *protocol.Refusal:
		x.fail(say.Says(m.Why))
	}
}

// fail ends it, and says why.
func (x *saving) fail(why string) {
	x.end(x.source.page.panes.Say("log.saving.failed", why))
	x.takes.Invoke("failed", why)
}

func (x *saving) end(said string) {
	x.line.end()
	x.say(said)
}

func (x *saving) say(said string) {
	if x.quiet {
		return
	}
	x.source.page.remark, x.source.page.stale = said, true
	x.source.added()
}
