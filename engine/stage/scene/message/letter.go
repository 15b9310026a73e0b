package message

import (
	"math"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Letters has the messages between two servers, and between two nodes of another system. No word covers another one.
type Letters struct {
	f    *floor.Floor
	List []Letter
}

// Connect lets it find what it refers to.
func (l *Letters) Connect(f *floor.Floor) { l.f = f }

// Begin forgets the last plan and keeps its memory.
func (l *Letters) Begin() { l.List = l.List[:0] }

// Letter is a message between two servers of an ensemble, or two nodes.
type Letter struct {
	text.Tag
	X, Y    float64    // centre
	Right   bool       // travels to the right, or down if it's upright
	Upright bool       // travels up or down
	Way     geom.Cubic // straight, from the middle of its sender's row to that of its receiver; zero for none
	Look    LetterLook
	Lost    bool
	Alpha   float64
	From    string    // the ID of its sender, if something can be done to it,
	Seq     event.Seq // and the event that sent it
}

// LetterLook is the kind of a message between servers.
type LetterLook uint8

const (
	LetterVote   LetterLook = iota // in an election
	LetterTerms                    // between a learner and its leader, before the learner serves
	LetterAsks                     // a proposal
	LetterAgrees                   // an ack or a commit
)

// TipLength is the distance of a message's tip from its word.
const TipLength = 4

// LetterDot returns the radius of a message without room for its word.
func (l *Letters) LetterDot() float64 { return max(3, 3.6*l.f.Sizes.K) }

// LetterW returns the width of a message with its word.
func (l *Letters) LetterW(word string) float64 {
	f := l.f
	return f.Sizes.Small.Width(word) + 12*max(f.Sizes.K, 0.7)
}

// WordLetter gives a message its word, unless it would overlap another message.
func (l *Letters) WordLetter(p *Letter, word string) {
	f := l.f
	a, h, w := f.Sizes.Small, f.MessageH(), l.LetterW(word)
	r := geom.R(min(max(p.X-w/2, TipLength+1), f.Options.Width-w-TipLength-1), p.Y-h/2, w, h)
	for i := range l.List {
		o := &l.List[i]
		left, right := o.X-l.LetterDot(), o.X+l.LetterDot()
		if o.W > 0 {
			left, right = o.Rect.X, o.Rect.Right()
		}
		if math.Abs(o.Y-p.Y) < h && r.X < right+2 && r.Right() > left-2 {
			return
		}
	}
	p.Tag = text.Tag{Rect: r, Radius: h / 2, Text: text.Centred(word, r.MidX(), p.Y, a, text.InkPlain, w)}
}
