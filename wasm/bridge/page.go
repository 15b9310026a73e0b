//go:build js && wasm

package bridge

import (
	"cmp"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// page is the document that contains the stage. Its root element carries marks (data-seq, …) for the style sheet, for
// the page's script and for tests.
type page struct {
	document js.Value
	marks    js.Value // the root element's dataset
	set      map[string]string
	step     string        // last announced step
	shown    uint64        // player's version at the last flush
	heard    uint64        // player's news at the last flush
	clock    time.Duration // player's time at the last flush
	flushed  time.Duration // wall time of the last flush
	stale    bool          // something else has changed since
	panes    *panes.Document
	later    bool          // a flush is scheduled
	cost     time.Duration // duration of the last flush
	told     bool          // nothing will come: the server refused
	drawn    int           // number of frames
	painted  [2]uint64     // versions of the runs in the last of them
	took     time.Duration // average duration of recent frames
	layout   scene.Layout  // for the picture in words
	details  bool          // the reader wants technical details
	link     string        // what is wrong with the connections, or ""
	remark   string        // remark on the last command: why it was refused, or its side effects
	wanted   string        // the file that the link is of, until the reader opens one
}

func newPage() *page {
	document := js.Global().Get("parent").Get("document")
	p := &page{
		document: document,
		marks:    document.Get("documentElement").Get("dataset"),
		set:      map[string]string{},
		panes:    panes.Open(document),
		stale:    true,
	}
	p.details = p.marks.Get("details").Truthy()
	return p
}

// followDetails redraws the stage when the reader turns technical details on or off.
func (b *Bridge) followDetails() {
	listen(b.page.document, "zkviz-panels", false, func(js.Value) {
		b.page.details = b.page.marks.Get("details").Truthy()
		b.wake()
	})
}

// Without returns the figures that the stage omits: in a lesson, those that its step isn't about, unless the reader
// wants details.
func (b *Bridge) Without() mark.Figures {
	if !b.player.Log.Run().Lesson || b.page.details {
		return 0
	}
	return mark.FiguresBut(b.player.Step().Shows)
}

// Options returns the options of the picture, without its size and colours.
func (b *Bridge) Options() scene.Options {
	p := b.player
	return scene.Options{
		Words: b.page.panes.Words, Selected: p.Selected(), Still: p.Pace.Still(), Stood: p.Head.Stood(), Focus: p.Focus(),
		Without: b.Without(),
	}
}

// The size of the picture that is described in words: a stage with room for everything. So the words don't depend on
// the window's size.
const (
	toldWidth  = 1400
	toldHeight = 788
)

// told returns the picture, or both pictures, in words.
func (b *Bridge) told() []scene.Entry {
	all := b.tell(b.player, b.Options())
	if there, _ := b.Beside.Apart(); !there {
		return all
	}
	x, say := b.Beside.second, b.page.panes.Say
	names, _ := b.Beside.names()
	for _, e := range b.tell(x.player, b.Options()) {
		all = append(all, scene.Entry{ID: x.pair.Here(e.ID), Text: say("beside.told", names[1], e.Text)})
	}
	return all
}

func (b *Bridge) tell(p *player.Player, o scene.Options) []scene.Entry {
	o.Width, o.Height, o.Stood = toldWidth, toldHeight, p.Head.Stood()
	return b.page.layout.Plan(p.State(), p.Drawn(), o).Tell()
}

// reading returns the step that the reader has turned to before the stage was there, and what stands beside the run
// there, as a query; empty for none.
func (p *page) reading() string { return p.marked("reading") }

// marked returns one of the page's own marks, "" if it isn't set.
func (p *page) marked(name string) string {
	if at := p.marks.Get(name); at.Truthy() {
		return at.String()
	}
	return ""
}

// ready reports whether the page shows the stage.
func (p *page) ready() bool { return p.set["stage"] != "" }

// mark sets a mark if it has changed: each change makes the browser apply the whole style sheet again.
func (p *page) mark(name, value string) {
	if old, ok := p.set[name]; !ok || old != value {
		p.set[name] = value
		p.marks.Set(name, value)
	}
}

func (p *page) damaged(err error) { p.setLink(p.panes.Say("link.damaged", err.Error())) }

func (p *page) setLink(text string) { p.link, p.stale = text, true }

// addRemark adds to a remark: a link that can't be shown whole may say why.
func (p *page) addRemark(text string) {
	p.remark, p.stale = strings.TrimSpace(p.remark+" "+text), true
}

// announce tells the page which step is shown. Without one, the page goes to the first by itself.
func (p *page) announce(anchor string) {
	if anchor == p.step {
		return
	}
	p.step = anchor
	if anchor != "" {
		p.tell("zkviz", map[string]any{"anchor": anchor})
	}
}

// Drawn counts a drawn frame and the time that it took in Go.
func (b *Bridge) Drawn(took time.Duration) {
	b.page.drawn++
	b.page.took += (took - b.page.took) / 16
	b.page.stale, b.page.painted = true, b.versions()
}

// versions returns those of the runs on the stage.
func (b *Bridge) versions() [2]uint64 {
	_, second := b.Beside.Apart()
	return [2]uint64{b.player.Version(), second}
}

// shows reports whether the stage shows what was requested.
func (b *Bridge) shows() bool {
	return b.page.drawn > 0 && b.page.painted == b.versions() && b.player.Log.Shown().History() != nil &&
		!b.player.Waiting() && !b.Beside.awaited()
}

// Now returns the wall time since the frame was opened.
func Now() time.Duration { return millis(js.Global().Get("performance").Call("now").Float()) }

// Flush updates the page if anything has changed: at once, or at most once each flushEvery. A changed page makes the
// browser lay it out again, which takes longer than a frame. The first picture doesn't wait for that.
func (b *Bridge) Flush(atOnce bool) {
	p, now := b.page, Now()
	if !p.stale && p.shown == b.player.Version() && p.heard == b.player.Log.News() && p.clock == b.player.Head.At() {
		return
	}
	first := !p.ready() && b.shows()
	if pause := b.pause(); !atOnce && !first && now-p.flushed < pause {
		b.flushLater(pause)
		return
	}
	p.flushed, p.shown, p.clock, p.stale = now, b.player.Version(), b.player.Head.At(), false
	p.heard = b.player.Log.News()
	b.marks()
	b.verify()
	b.Beside.verify()
	shows := p.told || b.shows()
	// What is beside a still picture stays until then.
	if shows || p.link != "" || len(b.computing()) > 0 || p.reading() == "" {
		p.panes.Update(b.facts())
	}
	if b.source.back == nil {
		p.announce(b.player.Step().Anchor)
	}
	if shows {
		p.mark("stage", "ready")
	}
	p.cost = Now() - now
}

// pause returns the minimum time between two updates of the page while playing: updates must take only a small part of
// the time, since the picture goes on meanwhile.
func (b *Bridge) pause() time.Duration { return min(max(flushEvery, 8*b.page.cost), flushAlways) }

func (b *Bridge) flushLater(pause time.Duration) {
	if b.page.later {
		return
	}
	b.page.later = true
	after(pause, func() {
		b.page.later = false
		b.Flush(true)
	})
}

func (b *Bridge) marks() {
	p, pl := b.page, b.player
	p.mark("seq", strconv.Itoa(int(pl.Head.Seq())))
	p.mark("atMs", strconv.FormatFloat(float64(pl.Head.At().Microseconds())/1000, 'f', -1, 64))
	if b.source.back == nil { // else the run is being reopened
		p.mark("step", pl.Step().Anchor)
	}
	p.mark("going", pl.Heading())
	p.mark("branch", strconv.Itoa(pl.Log.Branch()))
	p.mark("branches", strconv.Itoa(len(pl.Log.Branches())))
	p.mark("host", string(pl.Log.Run().Header.Host))
	p.mark("systems", cmp.Or(string(where(pl.State())), "both"))
	p.mark("file", b.source.ofFile())
	b.Beside.mark()
	p.mark("computing", b.progress())
	p.mark("playing", strconv.FormatBool(pl.Head.Playing()))
	p.mark("selected", pl.Selected())
	p.mark("selectedRole", b.role(pl.Selected()))
	p.mark("ended", strconv.FormatBool(pl.Ended()))
	p.mark("drawn", strconv.Itoa(p.drawn))
	p.mark("frameUs", strconv.Itoa(int(p.took.Microseconds())))
	names := rules(upTo(pl.Head.Seq(), pl.Log.Shown().Verdict().Violations))
	p.mark("violations", strconv.Itoa(len(names)))
	p.mark("broken", strings.Join(names, " "))
	p.mark("verdict", append(names, "ok")[0])
	b.task.mark()
}

// role returns the role of the selected client, or "".
func (b *Bridge) role(selected string) string {
	a, ok := panes.ParseClient(selected)
	if c := b.player.State().Clients.Get(a); ok && c != nil {
		return c.Role
	}
	return ""
}

// facts returns what the panes are filled from.
func (b *Bridge) facts() panes.Facts {
	p, t := b.player, b.player.Log.Shown()
	f := panes.Facts{
		State: p.State(), At: p.Head.At(), End: t.End(), Seq: p.Head.Seq(), History: t.History(), All: t.All(),
		Branch:   p.Log.Branch(),
		Selected: p.Selected(), Playing: p.Head.Playing(), Speed: p.Pace.Speed(), Fast: p.Fast(),
		Host:      p.Log.Run().Header.Host,
		Link:      cmp.Or(b.page.link, b.page.remark, b.page.wanted),
		Computing: b.progress(),
		Promises:  p.Log.Run().Header.Rules(), Verdict: t.Verdict(), Lags: t.Lags(),
		Foreign: b.source.ofFile() == otherFile,
		Beside:  b.Beside.facts(),
		Told:    b.told,
	}
	if b.task.at {
		f.Task = b.task.attempt.Task.String()
		f.Forbids = func(kind string) string { return b.task.forbidden(kind + " " + p.Selected()) }
	}
	for _, br := range p.Log.Branches() {
		f.Branches = append(f.Branches, panes.Branch{ID: br.ID, Parent: br.Parent, From: br.From, At: br.At, Fault: br.Fault})
	}
	for _, s := range t.Steps() {
		if s.Again == "" {
			f.Steps = append(f.Steps, s.At)
		}
	}
	for _, q := range p.Quiet() {
		f.Quiet = append(f.Quiet, panes.Stretch(q))
	}
	return f
}
