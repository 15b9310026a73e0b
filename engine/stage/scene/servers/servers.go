package servers

import (
	"math"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/message"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// serverPlan is one server of an ensemble: its state, its epochs, the end of its log, and its clients.
type serverPlan struct {
	_ view.Incomparable
	geom.Rect
	id          string
	leads, down bool
	votes       bool // it has no leader
	selected    bool
	stressed    bool
	name, epoch text.Label
	cost        text.Label // of the last write, at its proposer
	more        text.Label // number of clients without a place
}

// ensemble has what is planned for the servers of an ensemble.
type ensemble struct {
	f        *floor.Floor
	servers  []serverPlan
	details  []detailPlan // on servers, below the entries
	entries  []entryPlan
	visits   []paint.Visit
	refused  []paint.Visit
	fences   []geom.Rect // between servers
	cuts     []cutPlan
	silences []silencePlan
}

// Begin forgets the last plan and keeps its memory.
func (e *ensemble) Begin() {
	*e = ensemble{f: e.f, servers: e.servers[:0], details: e.details[:0], entries: e.entries[:0],
		visits: e.visits[:0], refused: e.refused[:0], fences: e.fences[:0], cuts: e.cuts[:0], silences: e.silences[:0]}
}

// Servers plans the servers of an ensemble, side by side above ZooKeeper's box.
type Servers struct {
	ensemble
	logs   logs
	votes  votes
	fences fences
	lanes  lanes
	visits visits
}

// Connect lets it find what it refers to.
func (sv *Servers) Connect(f *floor.Floor, l *message.Letters) {
	e := &sv.ensemble
	e.f = f
	sv.logs.ensemble, sv.votes.ensemble, sv.fences.ensemble, sv.visits.ensemble = e, e, e, e
	sv.lanes = lanes{e, &sv.fences, l}
}

// visits plans the clients of each server.
type visits struct{ *ensemble }

// Height returns the height of the band above ZooKeeper's box, 0 for a standalone server.
func (sv *Servers) Height() float64 {
	f := sv.f
	if len(f.State.Ensemble.Servers) == 0 {
		return 0
	}
	m := &f.Sizes
	h := m.Note.Size + m.Small.Size + sv.visitorSize() + max(14, 25*m.K) + float64(sv.lanes.lanes())*f.LaneH()
	if m.Tight {
		return h - sv.serverPad()*0.6
	}
	return h + sv.lanes.logRow()
}

func (e *ensemble) serverPad() float64 { return max(3, 6*e.f.Sizes.K) }

// outside reports whether the servers are known only from outside. Then their logs and messages are not drawn.
func (e *ensemble) outside() bool { return e.f.State.Ensemble.Servers[0].Outside }

// logRow returns the height of a server's log. If the height is small, the log has no row of its own: it follows the
// server's clients.
func (l *lanes) logRow() float64 {
	if l.outside() {
		return 0
	}
	return l.entrySize()
}

func (e *ensemble) entrySize() float64 { return max(6, 10*e.f.Sizes.K) }

func (e *ensemble) visitorSize() float64 { return max(13.5, 14*e.f.Sizes.K) }

// Plan plans the servers of an ensemble, side by side.
func (sv *Servers) Plan() {
	f := sv.f
	n := len(f.State.Ensemble.Servers)
	if n == 0 {
		return
	}
	in, m := f.Inner(), &f.Sizes
	gap := max(3, 8*m.K)
	h, lanes := sv.Height(), float64(sv.lanes.lanes())*f.LaneH()
	w := (in.W - gap*float64(n-1)) / float64(n)
	for i := range f.State.Ensemble.Servers {
		r := geom.R(in.X+float64(i)*(w+gap), in.Y-h+lanes, w, h-gap-lanes)
		sv.planServer(i, &f.State.Ensemble.Servers[i], r)
	}
	sv.fences.planFences(gap, lanes)
	sv.lanes.planLetters()
}

func (sv *Servers) planServer(i int, s *view.Server, r geom.Rect) {
	f := sv.f
	m := &f.Sizes
	sv.servers = append(sv.servers, serverPlan{})
	p := &sv.servers[len(sv.servers)-1]
	p.Rect, p.down = r, !s.Up
	p.id = f.Say("server-").Num(int64(i + 1)).Label()
	p.leads, p.votes = s.Leads(i+1), s.Up && s.Phase == event.Electing
	p.selected, p.stressed = f.Options.Selected == p.id, f.Stressed(p.id)
	pad := sv.serverPad()
	x, room := r.X+pad, r.W-2*pad
	short := f.Say("S").Num(int64(i + 1)).Label()
	does := f.Phrase(does(i+1, s), short)
	y := r.Y + pad*0.7 + m.Note.Size
	p.name = text.At(m.Note.Fit(room, does, short), x, y, m.Note, text.Start, text.InkPlain, room)
	y += m.Small.Size + pad*0.5
	from := len(f.Marks)
	f.Shows(mark.Server, p.id, short, r)
	said := sv.epochs(s)
	switch {
	case s.Outside:
		said = f.State.Header.Address(i + 1)
		p.epoch = text.At(f.CutMiddle(said, m.Small, room), x, y, m.Small, text.Start, text.InkSoft, room)
		said = f.CutMiddle(said, m.Small, math.Inf(1))
	case catchesUp(s):
		said = sv.logs.planChoice(p, s, said, x, y, room)
	case electing(s):
		said = f.Say(sv.votes.planVote(p, s, x, y, room), ", ", sv.votes.ballotSaid(i, s)).Label()
	default:
		sv.planEpochs(p, s, said, x, y, room)
	}
	y += pad * 0.7
	foot := y
	if !m.Tight {
		foot += sv.lanes.logRow() + pad*0.6
	}
	left, rest := x, room-sv.fences.planCuts(p, i, geom.R(x, foot, room, sv.visitorSize()))
	clients := ""
	if catchesUp(s) {
		sv.logs.planSync(p, i, s, geom.R(x, y, rest, foot+sv.visitorSize()-y))
	} else {
		if !m.Tight {
			sv.logs.planLog(p, s, x, y, room)
		}
		if electing(s) {
			left, rest = sv.votes.planBallot(p, i, s, x, foot, rest)
		}
		var behind float64
		clients, behind = sv.visits.planVisitors(p, event.Server(i+1), left, foot, rest)
		if m.Tight {
			sv.logs.planLog(p, s, behind, foot+(sv.visitorSize()-sv.entrySize())/2, left+rest-behind)
		}
	}
	f.Marks[from].Said = sv.serverSaid(does, said, sv.cutSaid(s), sv.logs.logSaid(s), clients)
	if says := sv.planSilences(i, s, r); says != "" {
		sv.saySilence(p, said, says, room)
	}
	sv.planCost(p, event.Server(i+1), room)
}

// cutSaid names the servers that a server is cut off from.
func (sv *Servers) cutSaid(s *view.Server) string {
	f := sv.f
	if s.Cut == 0 {
		return ""
	}
	for n, i := 0, 0; n < len(f.State.Ensemble.Servers); n++ {
		if !s.CutFrom(n + 1) {
			continue
		}
		if i++; i > 1 {
			f.Say(" ")
		}
		f.Say("S").Num(int64(n + 1))
	}
	return f.Phrase("scene.server.cut", f.Label())
}

// serverSaid describes a server in words.
func (sv *Servers) serverSaid(does, epoch, cut, log, clients string) string {
	f := sv.f
	if clients != "" {
		clients = f.Phrase("scene.server.clients", clients)
	}
	f.Say(does)
	for _, more := range [...]string{epoch, cut, log, clients} {
		if more != "" {
			f.Say(", ", more)
		}
	}
	return f.Label()
}

// does returns the key of the words for a server's state.
func does(n int, s *view.Server) string {
	switch {
	case !s.Up && s.Outside:
		return "scene.server.unreached"
	case !s.Up:
		return "scene.server.down"
	case s.Outside && s.Phase == "":
		return "scene.server.answers"
	case s.Paused:
		return "scene.server.paused"
	case s.Leads(n):
		return "scene.server.leads"
	case s.Serves():
		return "scene.server.follows"
	case s.Phase == event.Electing:
		return "scene.server.votes"
	case s.Phase == event.NotServing:
		return "scene.server.waits"
	}
	return "scene.server.joins"
}

// epochs returns a server's epoch, and its accepted epoch if that is newer.
func (sv *Servers) epochs(s *view.Server) string {
	f := sv.f
	if s.Accepted > s.Current {
		current := f.Num(int64(s.Current)).Label()
		return f.Phrase("scene.server.promised", current, f.Num(int64(s.Accepted)).Label())
	}
	return f.Phrase("scene.server.epoch", f.Num(int64(s.Current)).Label())
}

// planEpochs plans as much of a server's epochs as fits.
func (sv *Servers) planEpochs(p *serverPlan, s *view.Server, said string, x, y, room float64) {
	f := sv.f
	p.epoch = text.At(f.Cut(said, f.Sizes.Small, room), x, y, f.Sizes.Small, text.Start, text.InkSoft, room)
	if p.epoch.Text != said {
		return
	}
	f.Num(int64(s.Current))
	if s.Accepted > s.Current {
		f.Say(" ").Num(int64(s.Accepted))
	}
	f.Labelled(mark.Epoch, p.id, f.Label(), &p.epoch)
}

// planVisitors plans the clients connected to a server, and returns their letters and the x at which they end.
func (vs *visits) planVisitors(p *serverPlan, at event.Actor, x, y, room float64) (string, float64) {
	f := vs.f
	m, size := &f.Sizes, vs.visitorSize()
	step := size * 1.2
	n := 0
	for i := range f.State.Clients {
		if f.State.Clients[i].Server == at {
			n++
		}
	}
	fits := max(0, int((room+step-size)/step))
	if n > fits {
		fits = max(0, fits-2)
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
		taken += 2
	}
	taken = vs.planRefused(at, x, y, room, taken)
	if n > drawn {
		left := x + float64(drawn)*step
		more := m.Small.Fit(x+room-left, f.Say("+").Num(int64(n-drawn)).Label())
		p.more = text.At(more, left, y+size*0.75, m.Small, text.Start, text.InkSoft, x+room-left)
	}
	return vs.lettersAt(drawn, n), x + float64(taken)*step
}

// sentAwayFor is how long a refused client is shown at the server.
const sentAwayFor = 2 * time.Second

// planRefused plans the clients that a server has just refused, after its clients, and returns the number of places
// taken.
func (vs *visits) planRefused(at event.Actor, x, y, room float64, drawn int) int {
	f := vs.f
	size := vs.visitorSize()
	for i := range f.State.Clients {
		c := &f.State.Clients[i]
		left := x + float64(drawn)*size*1.2
		if c.SentAway != at || f.At >= c.SentAwayAt+sentAwayFor || left+size > x+room {
			continue
		}
		f.Moving = f.Moving || !f.Options.Still
		vs.refused = append(vs.refused, paint.Visit{X: left + size/2, Y: y + size/2, R: size / 2, Index: i, Refused: true,
			Letter: text.Centred(text.Letter(i), left+size/2, y+size/2, letterFace(size), text.InkPlain, size)})
		name := f.Say("server-").Num(int64(at.Number())).Label()
		first := len(f.Marks)
		f.Shows(mark.Refused, text.Letter(i), name, geom.Around(left+size/2, y+size/2, size/2))
		f.Saying(first, f.Phrase("scene.server.refused", f.Say("S").Num(int64(at.Number())).Label()))
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
