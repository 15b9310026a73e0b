package client

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// linkPlan is a client's connection: whole, broken or dead.
type linkPlan struct {
	x, top, bottom float64
	broken         bool     // nothing gets through
	dead           bool     // its session has expired or its server is down, so it's of no use any more
	back           bool     // it has reconnected
	stem           float64  // height of the client's own znode that it reaches, 0 for none
	apart          bool     // it leads to another server than the one whose znodes the box has
	server         text.Tag // the name of that server; zero width for none
	client         int
	name           string
}

// clientPlan is a client with its letter.
type clientPlan struct {
	_                       view.Incomparable
	Index                   int
	Name                    string
	x, y, r                 float64
	lit, stressed, Selected bool
	ring                    ringLook
	calm                    bool    // nothing is wrong with its session
	left                    float64 // part of its session, from 0 to 1
	disc, sign              floor.Sign
	letter                  text.Label
	belief                  text.Tag // wrong belief that it is inside, continued in second; zero width for none
	word, second            text.Label
	wrong                   geom.Round
	note                    text.Tag // its latest note; zero width for none
	pending                 text.Tag // number of unprocessed events; zero width for none
	timer                   geom.Round
	timerPart               float64  // part of a wait that is over; -1 for a timer that runs while the program stalls
	pips                    pipsPlan // number of nodes at which it has its entry
}

type ringLook uint8

const (
	noSession ringLook = iota
	unknownLeft
	partLeft
	noRing
)

// dotPlan is a client too small for a letter.
type dotPlan struct {
	Index    int
	Name     string
	x, y, r  float32
	Look     dotLook
	Selected bool
}

type dotLook uint8

const (
	DotWaits dotLook = iota
	DotInside
	DotWrong // wrongly believes that it is inside
	DotWoken
	DotDead
	DotStopped
	DotAbsent
	DotThere // connected, waits for nothing
)
