//go:build js && wasm

package bridge

import (
	"time"

	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/engine/stage/scene"
)

// Bridge connects a player to the server and to the page.
type Bridge struct {
	player *player.Player  // of the first run
	wake   func()          // called when Update and Draw have something to do
	theme  func(dark bool) // called when the page changes its colours
	frame  *scene.Frame    // the frame on the stage

	inbox  inbox
	page   *page
	engine engine
	source source
	Beside Beside // the second run
	task   task

	exploration exploration
}

// New takes commands from the page and opens what the address requests. Call it once, before the game. It calls wake
// when Update and Draw have something to do, and theme when the page changes its colours. It reads the frame that is
// drawn.
func New(p *player.Player, w Address, wake func(), theme func(dark bool), frame *scene.Frame) *Bridge {
	page := newPage()
	b := &Bridge{player: p, wake: wake, theme: theme, frame: frame, page: page}
	b.engine = engine{
		say: page.panes.Say, mark: func(state string) { page.mark("engine", state) },
		again: func() { page.remark, page.stale = page.panes.Say("engine.restarted"), true },
	}
	b.source = source{
		page: page, address: w, beside: &b.Beside, exploration: &b.exploration, engine: &b.engine, post: b.post,
		added: b.added, unchecked: w.Run == "",
	}
	b.source.player, b.source.damaged, b.source.ask = p, page.damaged, b.source.askNow
	b.Beside = Beside{source: &b.source, page: page, wake: wake, inStep: player.ByTime}
	b.Beside.setInStep(w.InStep)
	b.exploration = exploration{source: &b.source, page: page}
	b.task = task{player: p, page: page, attempt: w.Attempt}
	if w.Still {
		p.Do("motion", "reduced")
	}
	b.source.sayLink()
	b.source.undone = b.task.undo
	b.takeCommands()
	b.followDetails()
	b.source.connect()
	if w.File || w.Reopens {
		page.tell("zkviz-wanted", nil)
	}
	return b
}

// Follow judges the reader's attempt, and moves the second run along with the first. Call it before drawing.
func (b *Bridge) Follow() {
	b.task.judge()
	b.Beside.keep()
}

// post leaves work for Update.
func (b *Bridge) post(work func()) {
	b.inbox.put(work)
	b.wake()
}

// added shows what has come without an Update.
func (b *Bridge) added() {
	b.Flush(false)
	b.wake()
}

// drainFor is the minimum time that a frame may spend on the inbox. It may take as long as drawing a frame takes, but
// not more than drainMost, since that time includes this. A long log arrives over many frames. Before the first picture
// nothing moves, so each may take drainMost.
const drainFor, drainMost = 8 * time.Millisecond, 50 * time.Millisecond

// Drain does the work left since the last call.
func (b *Bridge) Drain() {
	most := drainMost
	if b.page.ready() {
		most = min(max(drainFor, b.page.took), drainMost)
	}
	until := Now() + most
	if !b.inbox.empty(func() bool { return Now() < until }) {
		b.wake()
	}
}

// flushEvery is the minimum time between two updates of the page while playing.
const flushEvery = 100 * time.Millisecond

// flushAlways is the maximum of that time, even if updates are slow.
const flushAlways = time.Second
