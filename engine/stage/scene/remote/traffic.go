package remote

import (
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/message"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
	"github.com/zkviz/zkviz/engine/stage/scene/watch"
)

// traffic plans the messages from and to the nodes.
type traffic struct {
	*Holdings
	ways     *ways
	messages *message.Messages
	letters  *message.Letters
}

// remoteOf returns the node at one end of a message and the client at the other, or -1.
func (t *traffic) remoteOf(m *view.Flight) (node, client int, up bool) {
	f := t.f
	if node, _ = t.drawn(m.To); node >= 0 {
		return node, f.Client(m.From), true
	}
	if node, _ = t.drawn(m.From); node >= 0 {
		return node, f.Client(m.To), false
	}
	return -1, -1, false
}

// planRemoteMessage plans a message between a client and a node.
func (t *traffic) planRemoteMessage(m *view.Flight) {
	f := t.f
	part, seen := f.Progress(m)
	node, i, up := t.remoteOf(m)
	if !seen || node < 0 || i < 0 || f.Spots[i].R <= 0 || f.Spots[i].Dot {
		return
	}
	if f.Severed(&f.State.Clients[i]) { // it stops at the scissors
		limit := cutFrom * 0.6
		if !up {
			limit = (1 - cutFrom) * 0.85
		}
		part = min(part, limit)
	}
	p := message.Plan{Client: i, Name: f.State.Clients[i].Name, Seq: m.Seq, Up: up, Reply: !up,
		Bad: m.Reply && m.Code != 0, Alpha: 1}
	p.X, p.Y = t.onWay(i, node, part, up)
	if f.Kind != floor.RemoteKind {
		p.Up = !up // the node is below
	}
	if renews(m) && !m.Dropped {
		if !f.Options.Still {
			p.Look = message.Beat
			t.messages.List = append(t.messages.List, p)
		}
		return
	}
	long, short := t.remoteWords(m)
	if m.Notify && !m.Dropped {
		p.Look, p.Bang = message.Pushed, watch.PulseR(&f.Sizes, f.Routes.Fine)
		noted := len(f.Marks)
		f.Shows(mark.Told, text.Letter(i), m.Path, geom.Around(p.X, p.Y, p.Bang))
		f.Saying(noted, t.fullName(m.Path))
		t.messages.List = append(t.messages.List, p)
		return
	}
	t.wordRemote(&p, long, short, m.Watch != event.NoWatch)
	p.Under = p.Look == message.Wordless
	if m.Dropped {
		p.Look = message.LostMessage
		if !f.Options.Still {
			f.Moving = true
			p.Alpha = 1 - f.Passed(m.OverAt, floor.CrossFor)
		}
	}
	t.remoteMessageMark(m, &p, long)
	t.messages.List = append(t.messages.List, p)
}

// renews reports whether a message only keeps a lease of etcd alive: like a heartbeat, it has no word.
func renews(m *view.Flight) bool {
	return strings.HasPrefix(m.Text, "lease ") && strings.Contains(m.Text, " keep")
}

// onWay returns the position of a message between a client and a node.
func (t *traffic) onWay(i, node int, part float64, up bool) (x, y float64) {
	f := t.f
	var way geom.Path
	t.ways.remoteWay(i, node, &way)
	if !up {
		part = 1 - part
	}
	x, y = way.At(part)
	half, b, p := f.MessageH()/2, t.boxes[node], &f.Spots[i]
	if f.Kind != floor.RemoteKind {
		return x, max(t.sizes.low+half, min(y, b.Y-half))
	}
	bottom := p.Y - floor.RingOf(p.R) - p.R*0.35
	if p.Gap > 0 {
		return x, max(y, b.Bottom()+half)
	}
	return x, min(max(y, b.Bottom()+half), max(bottom-half, b.Bottom()+half))
}

// remoteWords returns the words for a message, in a long and a short form.
func (t *traffic) remoteWords(m *view.Flight) (long, short string) {
	f := t.f
	switch {
	case m.Op == event.Connect:
		word := f.OpWord(m.Op)
		return word, word
	case m.Reply || m.Notify:
		a, says := f.Sizes.Small, t.withoutRoot(m.Text)
		return f.Cut(says, a, a.Size*11), f.Cut(says, a, a.Size*5)
	}
	return f.Command(m.Text)
}

// withoutRoot strips the root from the paths in a text, as the cards do.
func (t *traffic) withoutRoot(s string) string {
	f := t.f
	root := f.State.Root
	if root == "" || root == "/" {
		return s
	}
	for {
		i := strings.Index(s, root)
		if i < 0 || i+len(root) >= len(s) || s[i+len(root)] != '/' {
			break
		}
		f.Say(s[:i])
		s = s[i+len(root)+1:]
	}
	return f.Say(s).Label()
}

// wordRemote gives a message its word if there is room; otherwise it is a dot. A request that sets a watch has an eye.
func (t *traffic) wordRemote(p *message.Plan, long, short string, watch bool) {
	f := t.f
	a, h := f.Sizes.Small, f.MessageH()
	sign := 0.0
	if p.Bad || watch {
		sign = h * 0.9
	}
	p.Look = message.Wordless
	if f.Spots[p.Client].Gap > 0 {
		return
	}
	room := max(f.Routes.Pitch-4, 0)
	edge := 2 * (min(p.X, f.Options.Width-p.X) - h*0.4) // a line through it is longer
	frame := 10*max(f.Sizes.K, 0.7) + sign
	for _, word := range [...]string{long, short} {
		w := a.Width(word) + frame
		r := geom.R(p.X-w/2, p.Y-h/2, w, h)
		if word == "" || w > room || w > edge || t.messages.OnWord(r) {
			continue
		}
		p.Look = message.Worded
		p.Word = text.Tag{Rect: r, Radius: h / 2, Text: text.Centred(word, p.X+sign/2, p.Y, a, text.InkPlain, w)}
		if sign > 0 {
			p.Eye = geom.Round{X: r.X + h*0.7, Y: p.Y, R: h * 0.24}
		}
		return
	}
}

// remoteMessageMark records what a message shows.
func (t *traffic) remoteMessageMark(m *view.Flight, p *message.Plan, says string) {
	f := t.f
	r := p.Word.Rect
	if r.W == 0 {
		r = geom.Around(p.X, p.Y, max(3, 4*f.Sizes.K))
	}
	first, who := len(f.Marks), text.Letter(p.Client)
	switch {
	case p.Look == message.LostMessage:
		if p.Alpha > 0.02 {
			if p.Word.W == 0 {
				r = geom.Around(p.X, p.Y, max(5, 7*f.Sizes.K))
			}
			f.Shows(mark.Lost, who, "", r)
		}
		return
	case p.Reply:
		f.Shows(mark.Reply, m.Op.String(), f.Say(who, " ", says).Label(), r)
	default:
		f.Shows(mark.Message, m.Op.String(), f.Say(who, " ", says).Label(), r)
		says = f.Cut(m.Text, f.Sizes.Small, f.Options.Width)
	}
	f.Saying(first, says)
}

// planRemoteDots plans the messages of clients that are dots.
func (t *traffic) planRemoteDots() {
	f := t.f
	for k := range f.State.Flights.List {
		m := &f.State.Flights.List[k]
		node, i, up := t.remoteOf(m)
		if node < 0 || i < 0 || !f.Spots[i].Dot {
			continue
		}
		part, seen := f.Progress(m)
		if !seen {
			continue
		}
		x, y := t.onWay(i, node, part, up)
		p := message.Particle{X: float32(x), Y: float32(y), R: float32(max(1.4, 2.4*f.Sizes.K)),
			Look: message.ReplyParticle}
		switch {
		case m.Dropped:
			p.Look = message.LostParticle
		case m.Notify:
			p.Look = message.EventParticle
		case up:
			p.Look = message.RequestParticle
		}
		t.messages.Requests = append(t.messages.Requests, p)
	}
}
