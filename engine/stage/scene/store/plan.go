package store

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// storePlan is what a lock protects: its name, its description, and what was written to it.
type storePlan struct {
	geom.Rect   // zero height for none
	stressed    bool
	name, about text.Label
	trays       []geom.Rect // if there are several
	papers      []geom.Rect // the sheets that hold the pages
	pages       []pagePlan
	tears       []tearPlan
	chips       []chipPlan
	halves      []halvesPlan // the document and its copies
	more        []text.Label // numbers of hidden items
	verdict     text.Tag     // what is wrong with it; zero width for nothing
	arrivals    []arrivalPlan
}

// emptied returns an empty plan that reuses the memory of s.
func (s *storePlan) emptied() storePlan {
	return storePlan{trays: s.trays[:0], papers: s.papers[:0], pages: s.pages[:0], tears: s.tears[:0],
		chips: s.chips[:0], halves: s.halves[:0], more: s.more[:0], arrivals: s.arrivals[:0]}
}

// pagePlan is a page in the colour of its client, with its letter.
type pagePlan struct {
	geom.Rect
	client  int
	letter  text.Label
	late    geom.Round // its client wrongly believed that it was inside
	refused bool
}

// tearPlan is a jagged edge between pages of different clients on one sheet.
type tearPlan struct{ x, top, bottom float64 }

// chipPlan is a write, a number or a task: its client's letter in its colour, and a text.
type chipPlan struct {
	geom.Rect
	look   chipLook
	client int // -1 for none
	badge  geom.Rect
	letter text.Label
	text   text.Label
	says   string     // the text in full
	mark   geom.Round // done; zero radius for none
	late   geom.Round // its client wrongly believed that it was inside
	rank   chipRank
	write  *view.Write // that may be arriving; nil for none
}

// sayAs gives it the text of another.
func (c *chipPlan) sayAs(other chipPlan) { c.text, c.W = other.text, other.W }

// chipRank orders the chips: those of a lower rank are hidden first.
type chipRank uint8

const (
	repeated chipRank = iota // another client uses the same value
	plain
	wanted // wrong, open or outdated
	chipRanks
)

type chipLook uint8

const (
	asWritten chipLook = iota
	asWrong            // refused or wrong
	asOpen             // nobody's, or outdated
	asDone
)

// arrivalPlan is the path of a write that has just reached the store.
type arrivalPlan struct {
	_       view.Incomparable
	client  int
	way     geom.Path
	paper   geom.Rect // the write under way; zero width once it has arrived
	refused bool
	x, y    float64 // where it arrived
}
