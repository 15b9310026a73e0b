package message

import (
	"math"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
	"github.com/zkviz/zkviz/engine/stage/scene/watch"
)

// Messages plans the messages under way between clients and servers.
type Messages struct {
	f        *floor.Floor
	watches  *watch.Watches
	List     []Plan
	Requests []Particle      // messages of the dots
	slowed   view.Flight     // flight of the visitor's request that is being planned
	departs  []time.Duration // departure of each visitor's last drawn request
	worded   []wordAt        // messages with words
	lastWord []int32         // by client: the last element of worded on its link, as an index from 1
	late     []latePlan      // messages that meet lost ones
}

// Connect lets it find what it refers to.
func (ms *Messages) Connect(f *floor.Floor, w *watch.Watches) { ms.f, ms.watches = f, w }

// Begin forgets the last plan and keeps its memory.
func (ms *Messages) Begin() {
	ms.List, ms.Requests, ms.worded = ms.List[:0], ms.Requests[:0], ms.worded[:0]
	ms.late = ms.late[:0]
	ms.lastWord = append(ms.lastWord[:0], make([]int32, len(ms.f.State.Clients))...)
}

// Each calls plan for each message under way, in the form in which it is drawn.
func (ms *Messages) Each(plan func(*view.Flight)) {
	f := ms.f
	if f.Visitors {
		ms.slow(plan)
		return
	}
	for k := range f.State.Flights.List {
		plan(&f.State.Flights.List[k])
	}
}

// PlanMessage plans a message between a client and ZooKeeper.
func (ms *Messages) PlanMessage(m *view.Flight) {
	f := ms.f
	part, seen := f.Progress(m)
	if !seen {
		return
	}
	i, up := f.Sender(m)
	if i < 0 || f.Spots[i].R <= 0 || f.Spots[i].Dot {
		return
	}
	if m.Notify && !m.Dropped {
		return // the watch's own line shows it
	}
	beat := m.Op == event.Ping || m.Op == event.NoOp
	if m.Dropped && (beat && f.State.Clients[i].Ended != view.Alive || ms.repeated(m)) {
		return // it matters to nobody any more
	}
	p := Plan{
		Client: i, Name: f.State.Clients[i].Name, Seq: m.Seq, Up: up, Reply: m.Reply,
		Bad: m.Reply && m.Code != 0, Alpha: 1,
	}
	p.X, p.Y = ms.onLink(&f.Spots[i], part, up, m)
	switch {
	case m.Dropped:
		if !m.Notify && !beat && ms.planWord(m, &p) {
			return // the other one says it
		}
		p.Look = LostMessage
		if !f.Options.Still {
			f.Moving = true
			p.Alpha = 1 - f.Passed(m.OverAt, floor.CrossFor)
		}
	case beat && !ms.counts(&f.State.Clients[i]):
		if f.Options.Still {
			return
		}
		p.Look = Beat
	default:
		if ms.planWord(m, &p) {
			ms.late = append(ms.late, latePlan{*m, p})
			return
		}
	}
	if p.Look != Beat {
		ms.messageMark(m, &p)
	}
	ms.List = append(ms.List, p)
}

// repeated reports whether the client of a lost message has asked for the same since, and been answered.
func (ms *Messages) repeated(m *view.Flight) bool {
	list := ms.f.State.Flights.List
	for k := len(list) - 1; k >= 0 && list[k].Seq > m.Seq; k-- {
		g := &list[k]
		if g.Reply && g.Over && !g.Dropped && g.Op == m.Op && (g.To == m.From || g.To == m.To) {
			return true
		}
	}
	return false
}

// counts reports whether a client's heartbeats have words: it is in focus, and its server answers them without the
// leader.
func (ms *Messages) counts(c *view.Client) bool { return ms.f.Stressed(c.Name) && ms.f.Behind(c) }

// onLink returns the position of a message on its client's link, or on the watch's line for a notification.
func (ms *Messages) onLink(p *floor.Spot, part float64, up bool, m *view.Flight) (x, y float64) {
	f := ms.f
	if m.Notify {
		var way geom.Path
		i := f.Client(m.To)
		if to, ok := ms.watches.Goal(i, m.Path, true); ok && ms.watches.Route(i, to, &way) {
			return way.At(1 - part)
		}
	}
	if up {
		part = 1 - part
	}
	top, bottom := max(f.Box.Bottom(), p.Top), p.Y-floor.RingOf(p.R)-p.R*0.35
	half := f.MessageH() / 2
	return p.X + p.Gap, geom.Mix(top+half, max(bottom-half, top+half), part)
}

// planWord gives a message its word if there is room. Otherwise the message is a dot, next to the word of another
// message that it would overlap. It reports whether that is a lost message.
func (ms *Messages) planWord(m *view.Flight, p *Plan) (struck bool) {
	f := ms.f
	a, word := f.Sizes.Small, ms.messageWord(m)
	w, h := a.Width(word)+10*max(f.Sizes.K, 0.7), f.MessageH()
	sign := 0.0 // before the word: an eye, or the cross of a refusal
	if m.Watch != event.NoWatch || p.Bad {
		sign = h * 0.9
	}
	if m.Op == event.Set && !m.Reply && w+sign > f.Routes.Pitch-4 {
		word = f.OpWord(m.Op)
		w = a.Width(word) + 10*max(f.Sizes.K, 0.7)
	}
	if room := f.Routes.Pitch - 4; p.Bad && w > room { // the cross says enough
		word, w = "", h*0.5
	} else if p.Bad && w+sign > room { // the edge says enough
		sign = 0
	}
	w += sign
	met := ms.meets(p.Client, p.Y, h)
	struck = met != nil && met.lost
	cutOff := p.X-w/2 < 0 || p.X+w/2 > f.Options.Width
	none := word == "" && sign == 0 || w > f.Routes.Pitch-4 || cutOff || f.Spots[p.Client].Gap > 0
	if none || met != nil && !struck {
		p.Look = Wordless
		if met != nil && !struck {
			r := max(3, 4*f.Sizes.K)
			p.X = met.right + r + 2
			ms.joinLink(p, p.X+r, m.Dropped)
		}
		return struck
	}
	if !struck {
		ms.joinLink(p, p.X+w/2, m.Dropped)
	}
	p.Word = text.Tag{Rect: geom.R(p.X-w/2, p.Y-h/2, w, h), Radius: h / 2,
		Text: text.Centred(word, p.X+sign/2, p.Y, a, text.InkPlain, w)}
	if sign > 0 {
		p.Eye = geom.Round{X: p.X - w/2 + h*0.7, Y: p.Y, R: h * 0.24}
	}
	return struck
}

// joinLink records how far to the right a message on a client's link reaches.
func (ms *Messages) joinLink(p *Plan, right float64, lost bool) {
	ms.worded = append(ms.worded, wordAt{y: p.Y, right: right, lost: lost, before: ms.lastWord[p.Client]})
	ms.lastWord[p.Client] = int32(len(ms.worded))
}

// messageMark records the mark of a message.
func (ms *Messages) messageMark(m *view.Flight, p *Plan) {
	f := ms.f
	r := p.Word.Rect
	if r.W == 0 {
		r = geom.Around(p.X, p.Y, max(3, 4*f.Sizes.K))
	}
	value := text.Letter(p.Client)
	switch {
	case p.Look == LostMessage:
		if p.Alpha > 0.02 {
			if p.Word.W == 0 {
				r = geom.Around(p.X, p.Y, max(5, 7*f.Sizes.K))
			}
			f.Shows(mark.Lost, value, "", r)
		}
		return
	case p.Reply:
		f.Say(value, " ")
		value = f.Say(zoo.Code(m.Code).Error()).Label()
		f.Shows(mark.Reply, m.Op.String(), value, r)
		f.Saying(len(f.Marks)-1, p.Word.Text.Text)
		return
	case p.Look == Worded && m.If:
		value = f.Say(value, " ", p.Word.Text.Text).Label()
	case p.Look == Worded && m.Watch != event.NoWatch:
		value = f.Say(value, " watch").Label()
	}
	f.Shows(mark.Message, m.Op.String(), value, r)
}

// wordAt is the place of a message with its word.
type wordAt struct {
	y, right float64
	lost     bool
	before   int32 // the previous one on the same link, as an index in messages.worded from 1; 0 for none
}

// meets returns the word that a message of client i, h px high, would overlap, or nil.
func (ms *Messages) meets(i int, y, h float64) *wordAt {
	for k := ms.lastWord[i]; k > 0; k = ms.worded[k-1].before {
		if p := &ms.worded[k-1]; math.Abs(p.y-y) < h+1 {
			return p
		}
	}
	return nil
}

// messageWord returns the word for a message.
func (ms *Messages) messageWord(m *view.Flight) string {
	f := ms.f
	if !m.Reply {
		word := f.OpWord(m.Op)
		if m.Op == event.Set && m.Text != "" && len(m.Text) <= 8 {
			data := f.Cut(m.Text, f.Sizes.Small, f.Sizes.Small.Size*6)
			word = f.Say(word, " ", data).Label()
		}
		if m.If && word != "" {
			word = f.Phrase("scene.if-version", word, f.Num(int64(m.Expects)).Label())
		}
		return word
	}
	switch zoo.Code(m.Code) {
	case zoo.OK:
		return f.Phrase("scene.ok")
	case zoo.ErrNodeExists:
		return f.Phrase("scene.node-exists")
	case zoo.ErrNoNode:
		return f.Phrase("scene.no-node")
	case zoo.ErrBadVersion:
		return f.Phrase("scene.bad-version")
	case zoo.ErrSessionExpired:
		return f.Phrase("scene.expired")
	}
	return f.Phrase("scene.error")
}

// mostWords is the maximum number of messages checked for an overlap.
const mostWords = 96

// OnWord reports whether a word at r would overlap another message.
func (ms *Messages) OnWord(r geom.Rect) bool { return ms.onWord(r, -1) }

// onWord is OnWord for a word of message own.
func (ms *Messages) onWord(r geom.Rect, own int) bool {
	list := ms.List
	if len(list) > mostWords {
		list, own = list[len(list)-mostWords:], own-len(list)+mostWords
	}
	dot := max(3, 4*ms.f.Sizes.K)
	for i := range list {
		if i == own {
			continue
		}
		o := list[i].Word.Rect
		if o.W == 0 {
			o = geom.R(list[i].X-dot, list[i].Y-dot, 2*dot, 2*dot)
		}
		if r.X < o.Right()+1 && o.X < r.Right()+1 && r.Y < o.Bottom()+1 && o.Y < r.Bottom()+1 {
			return true
		}
	}
	return false
}
