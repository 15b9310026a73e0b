package servers

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// visits plans the clients of each server.
type visits struct{ *ensemble }

// planVisitors plans the clients connected to a server, and returns their letters and the x at which they end.
func (vs *visits) planVisitors(at event.Actor, x, y, room float64) (string, float64) {
	f := vs.f
	size := vs.visitorSize()
	step := size * 1.2
	n := vs.at(at)
	if n > 1 { // closer together, before any is left out
		step = min(step, max(size*0.75, (room-size)/float64(n-1)))
	}
	fits := max(0, int((room+step-size)/step+0.01))
	if n > fits {
		fits = max(0, fits-1)
	}
	drawn := 0
	for i := range f.State.Clients {
		if f.State.Clients[i].Server != at || drawn == fits {
			continue
		}
		vs.visits = append(vs.visits, paint.Visit{})
		v := &vs.visits[len(vs.visits)-1]
		v.X, v.Y, v.R, v.Index = x+size/2+float64(drawn)*step, y+size/2, size/2, i
		v.Letter = text.Centred(text.Letter(i), v.X, v.Y, letterFace(size), text.InkPlain, size)
		drawn++
	}
	taken := drawn
	if n > drawn {
		taken++
	}
	taken = vs.planEyes(x, y, room, drawn, taken)
	taken = vs.planRefused(at, x, y, room, taken)
	if r := geom.R(x+float64(drawn)*step, y, size, size); n > drawn && size <= room { // no "+2" as of a log
		vs.detail(saysOther, r)
		more := f.Num(int64(n - drawn)).Label()
		f.Texts = append(f.Texts, text.Centred(more, r.MidX(), r.MidY(), letterFace(size), text.InkPlain, size))
	}
	return vs.lettersAt(drawn, n), x + float64(taken)*step
}

// at counts the clients connected to a server.
func (vs *visits) at(server event.Actor) (n int) {
	for i := range vs.f.State.Clients {
		if vs.f.State.Clients[i].Server == server {
			n++
		}
	}
	return n
}

// eyePlan is the eye of a watch that a server has, while the znodes that are drawn are those of another one.
type eyePlan struct {
	geom.Round
	client int
}

// planEyes plans the watches of the clients that were planned last which their server alone doesn't fire: after the
// clients, or on them without room. It returns the number of places taken.
func (vs *visits) planEyes(x, y, room float64, drawn, taken int) int {
	f, size := vs.f, vs.visitorSize()
	for _, v := range vs.visits[len(vs.visits)-drawn:] {
		if !f.Behind(&f.State.Clients[v.Index]) {
			continue
		}
		for k := range f.State.Watches.List {
			w := &f.State.Watches.List[k]
			if f.Client(w.Client) != v.Index || !f.Elsewhere(w) {
				continue
			}
			at := geom.Round{X: v.X + v.R*0.7, Y: v.Y - v.R*0.7, R: size * 0.28}
			if left := x + float64(taken)*size*1.2; left+size <= x+room {
				at = geom.Round{X: left + size/2, Y: y + size/2, R: size * 0.4}
				taken++
			}
			vs.eyes = append(vs.eyes, eyePlan{at, v.Index})
			f.Shows(mark.Watch, text.Letter(v.Index), w.Path, geom.Around(at.X, at.Y, at.R))
		}
	}
	return taken
}

// sentAwayFor is how long a refused client is shown at the server.
const sentAwayFor = 2 * time.Second

// planRefused plans the clients that a server has just refused, after its clients, and returns the number of places
// taken. Once the server has what they have seen, it wouldn't refuse them any more.
func (vs *visits) planRefused(at event.Actor, x, y, room float64, drawn int) int {
	f := vs.f
	size := vs.visitorSize()
	for i := range f.State.Clients {
		c := &f.State.Clients[i]
		left := x + float64(drawn)*size*1.2
		if f.State.Ensemble.SentAway(c) != at || f.At >= c.SentAwayAt+sentAwayFor || left+size > x+room {
			continue
		}
		f.Moving = f.Moving || !f.Options.Still
		vs.refused = append(vs.refused, paint.Visit{X: left + size/2, Y: y + size/2, R: size / 2, Index: i, Refused: true,
			Letter: text.Centred(text.Letter(i), left+size/2, y+size/2, letterFace(size), text.InkPlain, size)})
		name := f.ActorID(at)
		first := len(f.Marks)
		f.Shows(mark.Refused, text.Letter(i), name, geom.Around(left+size/2, y+size/2, size/2))
		f.Saying(first, f.Phrase("scene.server.refused", f.Server(at.Number())))
		drawn++
	}
	return drawn
}

// lettersAt returns the letters of the clients that were planned last, and how many more there are.
func (vs *visits) lettersAt(drawn, n int) string {
	f := vs.f
	for i, v := range vs.visits[len(vs.visits)-drawn:] {
		if i > 0 {
			f.Say(" ")
		}
		f.Say(v.Letter.Text)
	}
	if n > drawn {
		f.Say(" +").Num(int64(n - drawn))
	}
	return f.Label()
}

// letterFace returns the face of a letter in a disc.
func letterFace(size float64) text.Face {
	return text.Face{Size: max(text.MinSize, size*0.7), Bold: true}
}
