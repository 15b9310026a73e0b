package story

import (
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Margins in px: for names and times, which lie on other sides if time runs down.
const (
	topAcross    = 36
	bottomAcross = 26
	leftAcross   = 92
	rightAcross  = 12
	topDown      = 30
	bottomDown   = 26
	leftDown     = 62
	rightDown    = 6
)

// Sizes in px: half the height of a bar, how far a belief lies from its lane, and the size of a mark.
const (
	barHalf   = 4.5
	beliefOff = 9
	markHalf  = 4.5
)

// lostAfter is how far towards the other lane a lost message gets.
const lostAfter = 0.6

// nameFace is the face of the lanes' names.
var nameFace = text.Face{Size: 11, Bold: true}

// ends returns where the axis begins and ends.
func (p *Plan) ends() (start, end float64) {
	if p.Down {
		return topDown + 10, p.Height - bottomDown
	}
	return leftAcross, p.Width - rightAcross
}

// placeAll gives everything its place.
func (p *Plan) placeAll() {
	p.placeLanes()
	for i := range p.Bars {
		b := &p.Bars[i]
		b.A, b.B = p.along(b.From), p.along(b.To)
	}
	for i := range p.Messages {
		p.placeMessage(&p.Messages[i])
	}
	for i := range p.Marks {
		m := &p.Marks[i]
		m.X, m.Y = p.point(p.along(m.At), p.Lanes[m.Lane].At)
	}
	p.placeAxis()
}

// placeLanes spreads the lanes over the picture.
func (p *Plan) placeLanes() {
	first, last, most := float64(topAcross), p.Height-bottomAcross, 88.0
	if p.Down {
		first, last, most = leftDown, p.Width-rightDown, 96
	}
	n := float64(max(len(p.Lanes), 1))
	pitch := min((last-first)/n, most)
	if p.Down {
		first += (last - first - n*pitch) / 2
	} else {
		p.Height = first + n*pitch + bottomAcross
	}
	p.across = first
	for i := range p.Lanes {
		l := &p.Lanes[i]
		l.At = first + (float64(i)+0.5)*pitch
		room := leftAcross - 14.0
		if p.Down {
			room = p.roomForName(i, pitch)
		}
		name := string(nameFace.ElideEnd(nil, l.Whole, room))
		x, y := p.point(8, l.At)
		if p.Down {
			x, y = l.At, 14
			l.Name = text.Centred(name, x, y, nameFace, text.InkPlain, room)
			if i == 0 && l.Index < 0 { // the names of times leave room beside it
				right := l.At + min(room, nameFace.Width(l.Name.Text))/2
				l.Name.Text, l.Name.X, l.Name.Anchor = string(nameFace.ElideEnd(nil, l.Whole, right-4)), right, text.End
			}
			continue
		}
		if l.Index >= 0 {
			l.Name = text.Centred(name, 8+nameFace.Size, y, nameFace, text.InkPlain, room)
			continue
		}
		l.Name = text.CentredFrom(name, x, y, nameFace, text.InkPlain, room)
	}
}

// roomForName returns how wide the name of a column may be. Letters of clients leave room to their neighbours.
func (p *Plan) roomForName(i int, pitch float64) float64 {
	if p.Lanes[i].Index >= 0 {
		return pitch - 4
	}
	free := pitch - 14
	for _, n := range [...]int{i - 1, i + 1} {
		switch {
		case n >= 0 && n < len(p.Lanes) && p.Lanes[n].Index < 0:
			free = pitch/2 - 2
		case n == len(p.Lanes):
			free = min(free, pitch/2+rightDown-2)
		}
	}
	return 2 * free
}

// between returns where the sign of a cut link lies: near the lower-numbered server, and on no lane.
func (p *Plan) between(b *Bar) float64 {
	at, other := p.Lanes[b.Lane].At, p.Lanes[p.lane(b.Peer)].At
	lanes := float64(max(p.lane(b.Peer)-b.Lane, 1))
	return at + (other-at)/lanes*min(0.26+0.16*lanes, 0.9)
}

// placeMessage gives a message its line. What was under way before the window, or arrives after it, is cut there.
func (p *Plan) placeMessage(m *Message) {
	from, to := p.Lanes[p.lane(m.From)].At, p.Lanes[p.lane(m.To)].At
	if m.Lost {
		to = from + (to-from)*lostAfter
	}
	at := func(t time.Duration) float64 {
		if m.Got <= m.Sent {
			return from
		}
		return from + (to-from)*float64(t-m.Sent)/float64(m.Got-m.Sent)
	}
	begin, end := max(m.Sent, p.From), min(max(m.Got, m.Sent), p.To)
	ends := at(end)
	if m.Got <= m.Sent {
		ends = to
	}
	m.X0, m.Y0 = p.point(p.along(begin), at(begin))
	m.X1, m.Y1 = p.point(p.along(end), ends)
}

// placeAxis plans the times at the axis, and what was left out.
func (p *Plan) placeAxis() {
	for i := range p.Pieces {
		x := &p.Pieces[i]
		if !x.Folded {
			continue
		}
		if p.Down {
			x.Says = text.At(x.Says.Text, leftDown-6, (x.A+x.B)/2+foldFace.Size*0.36, foldFace, text.End, text.InkSoft, leftDown)
		} else {
			x.Says = text.At(x.Says.Text, (x.A+x.B)/2, 12, foldFace, text.Middle, text.InkSoft, x.B-x.A)
		}
	}
	if p.Hidden > 0 {
		says := p.words.Say("scene.more", sentence.Grouped(p.Hidden))
		p.Labels = append(p.Labels, text.At(says, 8, 12, foldFace, text.Start, text.InkSoft, leftAcross))
	}
	p.placeTicks()
}

// leastTick is the least distance of two times on the axis, in px.
const leastTick = 58

// placeTicks puts round times on the axis, at the same distance in all stretches that aren't folded.
func (p *Plan) placeTicks() {
	scale := 0.0 // px in a nanosecond
	for i := range p.Pieces {
		if x := &p.Pieces[i]; !x.Folded && x.To > x.From {
			scale = max(scale, (x.B-x.A)/float64(x.To-x.From))
		}
	}
	if scale <= 0 {
		return
	}
	least := float64(leastTick)
	if p.Down {
		least = 40
	}
	step := roundStep(time.Duration(least / scale))
	last := -least
	for i := range p.Pieces {
		x := &p.Pieces[i]
		if x.Folded {
			continue
		}
		for t := (x.From + step - 1) / step * step; t <= x.To; t += step {
			at := x.A + float64(t-x.From)*scale
			if at-last < least-1 {
				continue
			}
			if k := p.tick(at, t); foldFace.Width(k.Text.Text) < k.Text.Room {
				last = at
				p.Ticks = append(p.Ticks, k)
			}
		}
	}
}

func (p *Plan) tick(at float64, t time.Duration) Tick {
	says := sentence.Spell(t)
	if p.Down {
		return Tick{at, text.At(says, leftDown-6, at+foldFace.Size*0.36, foldFace, text.End, text.InkPlain, leftDown-8)}
	}
	anchor := text.Middle
	if at+foldFace.Width(says)/2 > p.Width {
		anchor = text.End
	}
	return Tick{at, text.At(says, at, 25, foldFace, anchor, text.InkPlain, leastTick-4)}
}

// roundStep returns the first round time that isn't shorter.
func roundStep(d time.Duration) time.Duration {
	for unit := time.Microsecond; unit < time.Hour; unit *= 10 {
		for _, n := range [...]time.Duration{1, 2, 5} {
			if n*unit >= d {
				return n * unit
			}
		}
	}
	return (d + time.Hour - 1) / time.Hour * time.Hour
}
