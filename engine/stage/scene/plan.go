package scene

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// Plan is a picture in plain values: what is drawn, and where, before it becomes shapes. Layout makes it, Frame paints
// it. All lengths are CSS px, from the picture's upper left corner. Each list is painted in its order.
type Plan struct {
	Width, Height float64
	// Moving reports whether the same State would look different later.
	Moving bool

	l *Layout
}

// label is a text in its place: x and y are on the baseline, at the anchor; room is its maximum width.
type label struct {
	text       string
	x, y, room float64
	face       face
	anchor     Anchor
	ink        ink
	alpha      float64
}

// ink is the colour of a text in the theme.
type ink uint8

const (
	inkPlain ink = iota
	inkSoft
	inkSignal
	inkOnSignal
	inkOnAccent
)

// tag is a text on a coloured background.
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

// boxPlan is ZooKeeper's box: its name, and the zxid of its last transaction or that it is out of reach.
type boxPlan struct {
	rect
	lost       bool
	name, note label
}

// nodePlan is a znode, or the place of a missing one.
type nodePlan struct {
	_ view.Incomparable
	rect
	path               string
	hit                rect
	look               nodeLook
	dashed             bool // the znode is ephemeral
	held               bool // the znode lets its owner be inside
	stressed, selected bool
	owner              int     // owner whose colour the edge has, -1 for none
	alpha              float64 // opacity
	flash              float64 // opacity of the flash for a change
	struck             float64 // opacity of the line through it, 0 for none
	name, second       label   // second is below the name, or after it on a row
	third              label
	back               bool // for words that lead to a page: it is the previous one
	tie                rect // below second: another znode has the same creation time
	tab                tabPlan
}

type nodeLook uint8

const (
	asCard nodeLook = iota
	asRoot
	asMissing
	asMore // words that lead to another page
)

// tabPlan is the tab on top of a card that says who is inside, or a bar without room for words.
type tabPlan struct {
	shown bool
	bar   bool
	tag
}

// tickPlan is a znode too small for a name.
type tickPlan struct {
	path     string
	x, y     float32 // upper left corner
	selected bool
}

// A tick's size, in parts of its square.
const (
	tickWidth  = 0.62
	tickHeight = 0.72
)

// linkPlan is a client's connection, whole or broken.
type linkPlan struct {
	x, top, bottom float64
	broken         bool    // nothing gets through
	back           bool    // it has reconnected
	stem           float64 // height of the client's own znode that it reaches, 0 for none
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
	left                    float64 // part of its session, from 0 to 1
	disc, sign              sign
	letter                  label
	belief                  tag // wrong belief that it is inside, continued in second; zero width for none
	word, second            label
	wrong                   spotMark
	note                    tag // its latest note; zero width for none
	pending                 tag // number of unprocessed events; zero width for none
	timer                   spotMark
	timerPart               float64  // part of a wait that is over; -1 for a timer that runs while the program stalls
	pips                    pipsPlan // number of nodes at which it has its entry
}

type ringLook uint8

const (
	noSession ringLook = iota
	unknownLeft
	partLeft
)

// spotMark is a round mark; a zero radius means none.
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
	dotWrong // wrongly believes that it is inside
	dotWoken
	dotDead
	dotStopped
	dotAbsent
	dotThere // connected, waits for nothing
)

// watchPlan is a watch: its line from the client to the znode, its eye there, and the notification on its way back.
type watchPlan struct {
	way      path
	client   int
	look     watchLook
	alpha    float64
	selected bool
	eye      float64 // radius of the eye, 0 for none
	x, y     float64 // position of the pulse
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
	count tag // next to its eye; zero width means no eye
}

// messagePlan is a request to or a reply for a client, under way.
type messagePlan struct {
	x, y           float64
	client         int
	name           string // name of the client
	seq            event.Seq
	look           messageLook
	up, reply, bad bool
	alpha          float64
	word           tag
	eye            spotMark // for a request that sets a watch; zero radius for none
	bang           float64  // radius of a pushed message
	under          bool     // it lies under other messages
}

type messageLook uint8

const (
	worded messageLook = iota
	wordless
	ping
	lostMessage
	pushed // sent by a node on its own
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
	inside      tag // who is inside; zero width for nobody
	left, right label
}
