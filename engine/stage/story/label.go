package story

import (
	"cmp"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// rank orders the words that want room: the first get it first.
type rank uint8

const (
	broken  rank = iota // what went wrong
	turning             // what changed the course
	inside              // who is inside, who leads
	woken
	reports
	asked // what a request asks for
)

// mostWords is how many words are tried for room.
const mostWords = 300

// word is a text that wants room beside a point.
type word struct {
	rank  rank
	text  string
	short string // instead, if there's no room
	x, y  float64
	off   float64 // how far from the point it begins
	ink   text.Ink
}

// wordFace is the face of the words in the picture.
var wordFace = text.Face{Size: 10.5}

// label writes words where there is room for them, those that matter most first.
func (p *Plan) label() {
	var all []word
	for i := range p.Marks {
		all = p.wordOfMark(all, &p.Marks[i])
	}
	cut := time.Duration(-1)
	for i := range p.Bars {
		b := &p.Bars[i]
		if b.Kind == Apart && b.From == cut { // several links at once
			continue
		}
		if all = p.wordOfBar(all, b); b.Kind == Apart {
			cut = b.From
		}
	}
	all = p.wordsOfMessages(all)
	for i := range p.Pieces {
		if x := &p.Pieces[i]; x.Polls > 0 {
			along, across := (x.A+x.B)/2, p.across+14
			px, py := p.point(along, across)
			says := p.words.Say("story.tries", sentence.Grouped(x.Polls))
			all = append(all, word{rank: reports, text: says, x: px, y: py, ink: text.InkSoft})
		}
	}
	slices.SortStableFunc(all, func(a, b word) int { return cmp.Compare(a.rank, b.rank) })
	taken := p.taken()
	for i := range all[:min(len(all), mostWords)] {
		w := &all[i]
		b, ok := p.room(w, taken)
		if !ok && w.short != "" {
			w.text = w.short
			b, ok = p.room(w, taken)
		}
		if ok {
			p.Labels = append(p.Labels, b)
			taken = append(taken, b.Bounds())
		}
	}
}

// taken lists what words must not cover.
func (p *Plan) taken() (list []geom.Rect) {
	for i := range p.Lanes {
		list = append(list, p.Lanes[i].Name.Bounds())
	}
	for i := range p.Labels {
		list = append(list, p.Labels[i].Bounds())
	}
	for i := range p.Ticks {
		list = append(list, p.Ticks[i].Text.Bounds())
	}
	for i := range p.Pieces {
		list = append(list, p.Pieces[i].Says.Bounds())
	}
	for i := range p.Marks {
		list = append(list, geom.Around(p.Marks[i].X, p.Marks[i].Y, markHalf))
	}
	for i := range p.Bars {
		switch b := &p.Bars[i]; b.Kind {
		case Inside, Leads, Paused, Stalled:
			list = append(list, p.barRect(b))
		}
	}
	return list
}

// room returns the word in the first place beside its point where it covers nothing.
func (p *Plan) room(w *word, taken []geom.Rect) (text.Label, bool) {
	up, under := w.y-w.off-2, w.y+w.off+wordFace.Size*0.9+1
	mid := w.y + wordFace.Size*0.36
	places := [...]struct {
		x, y   float64
		anchor text.Anchor
	}{
		{w.x - 2, up, text.Start}, {w.x + 2, up, text.End}, {w.x - 2, under, text.Start}, {w.x + 2, under, text.End},
		{w.x + w.off + 3, mid, text.Start}, {w.x - w.off - 3, mid, text.End},
		{w.x - 2, up - 11, text.Start}, {w.x - 2, under + 11, text.Start},
	}
	if p.Down {
		slices.Reverse(places[:6])
		places[0], places[1] = places[1], places[0]
		places[6].x, places[6].y = w.x+w.off+3, mid+11
		places[7].x, places[7].y = w.x+w.off+3, mid-11
	}
	for _, at := range places {
		b := text.At(w.text, at.x, at.y, wordFace, at.anchor, w.ink, p.Width)
		r := b.Bounds()
		if r.X < 2 || r.Right() > p.Width-2 || r.Y < p.top() || r.Bottom() > p.Height-1 || overlaps(taken, r.Grown(1.5)) {
			continue
		}
		return b, true
	}
	return text.Label{}, false
}

// top returns where the picture begins, below the axis or the names.
func (p *Plan) top() float64 {
	if p.Down {
		return topDown
	}
	return topAcross - 4
}

func overlaps(list []geom.Rect, r geom.Rect) bool {
	return slices.ContainsFunc(list, func(o geom.Rect) bool {
		return o.W > 0 && r.X < o.Right() && o.X < r.Right() && r.Y < o.Bottom() && o.Y < r.Bottom()
	})
}

func (p *Plan) wordOfMark(all []word, m *Mark) []word {
	w := word{rank: turning, x: m.X, y: m.Y, off: markHalf + 1, ink: text.InkPlain, text: p.saysMark(m)}
	switch m.Kind {
	case Crashed, Torn, Twice, Refused, Expired, Vanished:
		w.rank, w.ink = broken, text.InkSignal
	case Reports:
		w.rank, w.off = reports, barHalf+2
	case Commits:
		w.rank, w.ink = reports, text.InkSoft
	}
	if w.text == "" {
		return all
	}
	if m.Kind == Expired {
		w.short = p.words.Say("scene.expired")
	}
	return append(all, w)
}

// markKeys are the keys of words that are the same for all marks of a kind.
var markKeys = [markKinds]string{Crashed: "scene.crashed", Vanished: "scene.vanished", Torn: "scene.torn.short",
	Twice: "scene.twice", Refused: "scene.refused", Commits: "scene.phase.committed"}

// saysMark returns what happened at a mark, in a word or two, or "" if something else says it.
func (p *Plan) saysMark(m *Mark) string {
	s := p.words
	switch m.Kind {
	case Expired:
		if m.Actor.Kind() == event.ANode {
			return s.Say("story.lapsed", m.Peer.Letter())
		}
		return s.Say("story.expired", m.Peer.Letter())
	case Crashed:
		if m.Actor.Kind() != event.AClient { // it may have stopped on purpose; its bar says that it's down
			return ""
		}
	case Cut:
		return s.Say("story.cut-off", m.Peer.Letter())
	case Jumped:
		if m.N < 0 {
			return s.Say("scene.clock.behind", sentence.Spell(time.Duration(-m.N)))
		}
		return s.Say("scene.clock.ahead", sentence.Spell(time.Duration(m.N)))
	case Reports:
		return p.saysPhase(m.Text, m.N)
	case Written:
		return ""
	}
	return s.Say(markKeys[m.Kind])
}

// saysPhase returns a client's phase in words.
func (p *Plan) saysPhase(phase string, n int64) string {
	if key := "story.phase." + phase; p.words.Has(key) {
		return p.words.Say(key)
	}
	if key := "scene.phase." + phase; p.words.Has(key) {
		return p.words.Say(key, sentence.Grouped(int(n)))
	}
	return ""
}

// saysBar returns what lasts, in a word or two, or "".
func (p *Plan) saysBar(b *Bar) string {
	switch b.Kind {
	case Inside:
		return p.saysPhase(b.Phase, 0)
	case Thinks:
		if key := "story.thinks." + b.Phase; p.words.Has(key) {
			return p.words.Say(key)
		}
		return p.words.Say("story.thinks")
	case Paused:
		return p.words.Say("scene.paused")
	case Stalled:
		return p.words.Say("scene.stalled")
	case Leads:
		if b.Actor.Kind() == event.ANode {
			return p.words.Say("scene.node.primary")
		}
		return p.words.Say("scene.leads")
	case Down:
		return p.words.Say("scene.node.down")
	case Apart:
		return p.words.Say("story.cut-off", p.Lanes[p.lane(b.Peer)].Whole)
	}
	return ""
}

func (p *Plan) wordOfBar(all []word, b *Bar) []word {
	says := p.saysBar(b)
	if says == "" {
		return all
	}
	w := word{rank: inside, text: says, off: barHalf + 1, ink: text.InkPlain}
	across := p.Lanes[b.Lane].At
	switch b.Kind {
	case Thinks:
		w.rank, w.ink, across = broken, text.InkSignal, across+beliefOff
	case Paused, Stalled, Apart:
		w.rank = turning
	case Down:
		w.rank, w.ink = broken, text.InkSignal
	}
	if b.Kind == Apart {
		across = p.between(b)
	}
	at := b.A
	if p.Down {
		at += 6
	}
	w.x, w.y = p.point(at, across)
	return append(all, w)
}

// wordsOfMessages says what messages are about, each thing once for each sender. It counts whom one event wakes.
func (p *Plan) wordsOfMessages(all []word) []word {
	type said struct {
		who  event.Actor
		text string
	}
	known, woke, counted := map[said]bool{}, map[event.Seq]int{}, map[event.Seq]bool{}
	for i := range p.Messages {
		if m := &p.Messages[i]; m.Look == Notice {
			woke[m.Cause]++
		}
	}
	for i := range p.Messages {
		m, n := &p.Messages[i], len(all)
		if m.Look == Notice && woke[m.Cause] > 1 {
			if says := p.words.Say("scene.woken-clients", sentence.Grouped(woke[m.Cause])); !counted[m.Cause] {
				all = append(all, word{rank: woken, text: says, x: m.X0, y: m.Y0, off: 3})
			}
			counted[m.Cause] = true
			continue
		}
		all = p.wordOfMessage(all, m)
		if len(all) == n || m.Look == Notice && !m.Lost {
			continue
		}
		key := said{m.From, all[n].text}
		if m.Look == Between {
			key.who = 0
		}
		if known[key] {
			all = all[:n]
		}
		known[key] = true
	}
	return all
}

// saysRequest returns what a message asks for, in a word, or "" if that goes without saying.
func (p *Plan) saysRequest(m *Message) string {
	w := text.Writer{Words: p.words}
	says := w.OpWord(m.Op)
	switch {
	case m.Poll || m.heartbeat || m.Op == event.Connect || m.Op == event.CloseSession:
		return ""
	case m.Op == event.Command && m.Text != "":
		long, short := w.Command(m.Text)
		return wordFace.Fit(90, long, short)
	case m.Look != Request && says == m.Op.String(): // a word of the protocol
		return ""
	}
	return says
}

func (p *Plan) wordOfMessage(all []word, m *Message) []word {
	if m.Lost && !m.heartbeat {
		return append(all, word{rank: turning, text: p.words.Say("scene.phase.lost"), x: m.X1, y: m.Y1, off: markHalf,
			ink: text.InkSignal})
	}
	switch m.Look {
	case Notice:
		return append(all, word{rank: woken, text: p.words.Say("scene.woken"), x: m.X1, y: m.Y1, off: 3, ink: text.InkSoft})
	case Request, Between:
		if says := p.saysRequest(m); says != "" {
			x, y := (m.X0+m.X1)/2, (m.Y0+m.Y1)/2
			return append(all, word{rank: asked, text: says, x: x, y: y, off: 1, ink: text.InkSoft})
		}
	}
	return all
}
