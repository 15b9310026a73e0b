package scene

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/static/strings/words"
)

// Plan is what is drawn where: a picture in plain values, before any of it is a shape. Layout makes it, Frame paints
// it. All lengths are CSS px, from the picture's upper left corner. What is in a list is painted in its order.
type Plan struct {
	Width, Height float64
	// Moving reports whether a later time with the same State would look different.
	Moving bool

	theme    *Theme
	words    words.Words
	m        metrics
	fine     bool // many watches: thin lines, small pulses
	texts    []label
	wires    []wire
	box      boxPlan
	rows     []nodePlan // znodes that watches' lines end at
	cards    []nodePlan // znodes that they pass under
	before   []tickPlan // of znodes that come before the cards do
	ticks    []tickPlan
	paged    bool    // which are cards and which are ticks goes by what is selected
	tickCell float64 // the side of the square in which a tick answers to the pointer; the tick is a part of it
	links    []linkPlan
	servers  []serverPlan
	details  []detailPlan // of servers, below the entries
	entries  []entryPlan
	visits   []visitPlan
	refused  []visitPlan
	fences   []rect // between servers
	cuts     []cutPlan
	silences []silencePlan
	letters  []letterPlan
	remotes  []remotePlan // nodes of systems that are not ZooKeeper
	keys     []keyPlan    // entries at them
	lineUps  []lineUpPlan // who waits at them, one behind the other
	brackets []bracketPlan
	kept     []visitPlan
	leases   []leasePlan
	ways     []wayPlan // between them and clients
	clients  []clientPlan
	dots     []dotPlan
	watches  []watchPlan
	bundles  []bundlePlan
	messages []messagePlan
	requests []particle // messages of the dots
	events   []particle // watch events on their way to the dots
	store    storePlan
	summary  stripPlan
	marks    []Mark
}

// reset empties the plan and keeps its memory.
func (p *Plan) reset(o *Options) {
	*p = Plan{
		Width: o.Width, Height: o.Height, theme: &o.Theme, words: o.Words,
		servers: p.servers[:0], details: p.details[:0], entries: p.entries[:0], visits: p.visits[:0],
		refused: p.refused[:0], letters: p.letters[:0], fences: p.fences[:0], cuts: p.cuts[:0],
		silences: p.silences[:0], texts: p.texts[:0], remotes: p.remotes[:0], keys: p.keys[:0], lineUps: p.lineUps[:0],
		brackets: p.brackets[:0], kept: p.kept[:0], leases: p.leases[:0], ways: p.ways[:0],
		wires: p.wires[:0], rows: p.rows[:0], cards: p.cards[:0],
		before: p.before[:0], ticks: p.ticks[:0],
		links: p.links[:0], clients: p.clients[:0], dots: p.dots[:0], watches: p.watches[:0], bundles: p.bundles[:0],
		messages: p.messages[:0], requests: p.requests[:0], events: p.events[:0],
		store: p.store.emptied(), marks: p.marks[:0],
	}
}

// label is a text in its place: x and y are on the baseline, at the anchor; room is how wide it may be.
type label struct {
	text       string
	x, y, room float64
	face       face
	anchor     Anchor
	ink        ink
	alpha      float64
}

// ink is which of a theme's colours a text has.
type ink uint8

const (
	inkPlain ink = iota
	inkSoft
	inkSignal
	inkOnSignal
	inkOnAccent
)

// tag is a coloured ground with a text on it.
type tag struct {
	rect
	radius float64
	text   label
}

// wire is a line of the tree of znodes, or between two groups of clients.
type wire struct {
	cubic
	look wireLook
}

type wireLook uint8

const (
	straightWire wireLook = iota
	bentWire
	rowWire // from a row of a tree to one below it
	divider
)

// boxPlan is ZooKeeper: its name, and the number of its last transaction or that it is out of reach.
type boxPlan struct {
	rect
	lost       bool
	name, note label
}

// nodePlan is a znode, or the place of one that is not there.
type nodePlan struct {
	_ view.Incomparable
	rect
	path               string
	hit                rect
	look               nodeLook
	dashed             bool // it is ephemeral
	held               bool // it lets its owner be inside
	stressed, selected bool
	owner              int     // whose colour its edge has, -1 for nobody's
	alpha              float64 // how much of it is to be seen
	flash              float64 // how much of its change is to be seen
	struck             float64 // how much of the line through it is to be seen, 0 for none
	name, second       label   // second is below the name, or after it on a row
	third              label
	back               bool // of words that lead to more: to what comes before
	tie                rect // below second: another znode was made at the same time
	tab                tabPlan
}

type nodeLook uint8

const (
	asCard nodeLook = iota
	asRoot
	asMissing
	asMore // words that lead to what there is no room for
)

// tabPlan says on the top of a card who is inside; without room for words it is a bar.
type tabPlan struct {
	shown bool
	bar   bool
	tag
}

// tickPlan is a znode too small for a name.
type tickPlan struct {
	path     string
	x, y     float32 // of its upper left corner
	selected bool
}

// A tick's size, as parts of its square.
const (
	tickWidth  = 0.62
	tickHeight = 0.72
)

// linkPlan is a client's connection, whole or broken.
type linkPlan struct {
	x, top, bottom float64
	broken         bool    // nothing gets through
	back           bool    // it is whole again
	stem           float64 // up to the client's own znode at this height, 0 without
	client         int
	name           string
}

// clientPlan is a client with its letter.
type clientPlan struct {
	_                       view.Incomparable
	index                   int
	name                    string
	x, y, r                 float64
	lit, stressed, selected bool
	ring                    ringLook
	left                    float64 // of its session, from 0 to 1
	disc, sign              sign
	letter                  label
	belief                  tag // that it wrongly thinks it is inside, which goes on in second; without width for none
	word, second            label
	wrong                   spotMark
	note                    tag // what it said; without width for none
	pending                 tag // how many events it has not taken; without width for none
	timer                   spotMark
	timerPart               float64  // of a wait, that is over; -1 for a timer that goes on while the program does not
	pips                    pipsPlan // at how many nodes it has what it wants
}

type ringLook uint8

const (
	noSession ringLook = iota
	unknownLeft
	partLeft
)

// spotMark is a round mark; without radius it is none.
type spotMark struct{ x, y, r float64 }

// dotPlan is a client too small for a letter.
type dotPlan struct {
	index    int
	name     string
	x, y, r  float32
	look     dotLook
	selected bool
}

type dotLook uint8

const (
	dotWaits dotLook = iota
	dotInside
	dotWrong // it believes that it is inside, and is not
	dotWoken
	dotDead
	dotStopped
	dotAbsent
	dotThere // it is there, and waits for nothing
)

// watchPlan is a watch: its line from the client to the znode, its eye there, and the event on its way back.
type watchPlan struct {
	way      path
	client   int
	look     watchLook
	alpha    float64
	selected bool
	eye      float64 // the eye's radius, 0 for none
	x, y     float64 // of the pulse
	pulse    bool
}

type watchLook uint8

const (
	armedWatch watchLook = iota
	firedWatch
	removedWatch
)

// bundlePlan is one line for the watches of many dots.
type bundlePlan struct {
	way   path
	fired bool
	alpha float64
	count tag // beside its eye; without width there is no eye
}

// messagePlan is a request or a reply of a client on its way.
type messagePlan struct {
	x, y           float64
	client         int
	name           string // the client's
	seq            event.Seq
	look           messageLook
	up, reply, bad bool
	alpha          float64
	word           tag
	eye            spotMark // of a request that leaves a watch; without radius for none
	bang           float64  // the radius of what was pushed
	under          bool     // it lies under other messages
}

type messageLook uint8

const (
	worded messageLook = iota
	wordless
	ping
	lostMessage
	pushed // by a node that was not asked
)

// particle is a message or an event of a client that is a dot.
type particle struct {
	x, y, r float32
	look    particleLook
}

type particleLook uint8

const (
	eventParticle particleLook = iota
	requestParticle
	replyParticle
	lostParticle
)

// stripPlan is the line of figures at the foot.
type stripPlan struct {
	rect
	inside      tag // who is inside; without width for nobody
	left, right label
}
