package servers

import (
	"strings"

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
	clock       geom.Round   // if its time is off
	pause       geom.Round   // if it's paused and there is no room for the word
	cost        text.Label   // of the last write, at its proposer
	free        [2]geom.Rect // lines that are free for the cost
}

// ensemble has what is planned for the servers of an ensemble.
type ensemble struct {
	f        *floor.Floor
	table    table
	servers  []serverPlan
	details  []detailPlan // on servers, below the entries
	entries  []entryPlan
	visits   []paint.Visit
	refused  []paint.Visit
	fences   []geom.Rect // between servers
	cuts     []cutPlan
	silences []silencePlan
	eyes     []eyePlan
}

// Begin forgets the last plan and keeps its memory.
func (e *ensemble) Begin() {
	*e = ensemble{f: e.f, table: e.table, servers: e.servers[:0], details: e.details[:0], entries: e.entries[:0],
		visits: e.visits[:0], refused: e.refused[:0], fences: e.fences[:0], cuts: e.cuts[:0], silences: e.silences[:0],
		eyes: e.eyes[:0]}
}

// Servers plans the servers of an ensemble, one below the other above ZooKeeper's box.
type Servers struct {
	ensemble
	logs   logs
	votes  votes
	fences fences
	lanes  lanes
	visits visits
	sizes  paint.Sizes // as the table was measured
	copies []string    // what each running server's copy has of what the picture shows; none if all have the same
}

// Connect lets it find what it refers to.
func (sv *Servers) Connect(f *floor.Floor, l *message.Letters) {
	e := &sv.ensemble
	e.f = f
	sv.logs.ensemble, sv.votes.ensemble, sv.fences.ensemble, sv.visits.ensemble = e, e, e, e
	sv.lanes = lanes{e, &sv.fences, l}
}

func (e *ensemble) serverPad() float64 { return max(3, 6*e.f.Sizes.K) }

// outside reports whether the servers are known only from outside. Then their logs and messages are not drawn.
func (e *ensemble) outside() bool { return e.f.State.Ensemble.Servers[0].Outside }

func (e *ensemble) visitorSize() float64 { return max(13.5, 14*e.f.Sizes.K) }

// Plan plans the servers of an ensemble, one below the other.
func (sv *Servers) Plan() {
	f := sv.f
	if f.Sizes.ServersH == 0 {
		return
	}
	in, grown := f.Inner(), f.Sizes
	f.Sizes = sv.sizes // a tree may have grown since
	defer func() { f.Sizes = grown }()
	sv.findCopies()
	for i := range f.State.Ensemble.Servers {
		sv.planServer(i, &f.State.Ensemble.Servers[i], sv.box(i, in))
	}
	sv.logs.planEpochLines()
	sv.fences.planFences()
	sv.lanes.planLetters()
}

func (sv *Servers) planServer(i int, s *view.Server, r geom.Rect) {
	f := sv.f
	sv.servers = append(sv.servers, serverPlan{})
	p := &sv.servers[len(sv.servers)-1]
	p.Rect, p.down = r, !s.Up
	p.id = f.ActorID(event.Server(i + 1))
	p.leads, p.votes = s.Leads(i+1), s.Up && s.Phase == event.Electing
	p.selected, p.stressed = f.Options.Selected == p.id, f.Stressed(p.id)
	from := len(f.Marks)
	f.Shows(mark.Server, p.id, f.Server(i+1), r)
	log := sv.logs.planLog(p, s)
	does, epoch, clients, left := sv.planHead(p, i, s)
	said := sv.planSaid(p, i, s, left)
	cut, _ := sv.fences.cutFrom(i, true)
	f.Marks[from].Said = sv.serverSaid(does, epoch, said, cut, log, clients)
	sv.planCost(p, event.Server(i+1))
}

// planHead plans what a row begins with: the server's state, its epoch and its clients. It returns them in words, and
// the x at which they end.
func (sv *Servers) planHead(p *serverPlan, i int, s *view.Server) (does, epoch, clients string, end float64) {
	f, t, r := sv.f, &sv.table, p.Rect
	m, pad, size := &f.Sizes, sv.serverPad(), sv.visitorSize()
	x, room := r.X+pad, t.label
	short := f.Server(i + 1)
	does = f.Phrase(doing(i+1, s), short)
	epoch = sv.epochs(s)
	if s.Outside {
		epoch = f.State.Header.Address(i + 1)
	}
	y := r.Y + pad*0.7 + m.Note.Size
	one := t.form == beside && t.boxH < m.Note.Size+m.Small.Size+max(6, 8*m.K)
	if t.form == stacked {
		y = r.Y + 2 + (size+m.Note.Size*0.72)/2
	} else if one {
		y = r.MidY() + m.Note.Size*0.36
	}
	note, small := m.Note.Size, m.Small.Size
	if need := m.Note.Width(does) + m.Small.Width(epoch) + float64(sv.visits.at(event.Server(i+1)))*1.2*size; one &&
		!sv.votes.shown(s) && need+0.7*size > room {
		m.Note.Size, m.Small.Size = text.MinSize, text.MinSize
	}
	left := sv.planName(p, s, does, short, x, y)
	foot := geom.R(x, y-m.Note.Size*0.36-size/2, room, size) // of the line of the clients
	if t.form == stacked {                                   // what is to be said comes behind
		foot.W = room * 0.6
		if sv.votes.shown(s) {
			foot.W = room * 0.4
		}
	}
	silence := sv.planSilences(i, s, r)
	switch {
	case sv.votes.shown(s): // its vote has its epoch
		epoch = ""
		if t.form == beside && t.says == 0 {
			left += sv.votes.planCount(p, i, geom.R(left, y, x+room-left, 0))
		}
	case t.form == stacked:
		sv.planEpochs(p, s, epoch, silence, geom.R(left, y, room*0.56-(left-x), 0))
		if p.epoch.Text != "" {
			left += m.Small.Width(p.epoch.Text) + size*0.35
		}
	case one:
		if w := m.Small.Width(epoch) + size*0.35; left+w+float64(sv.visits.at(event.Server(i+1)))*1.2*size <= x+room {
			sv.planEpochs(p, s, epoch, "", geom.R(left, y, w, 0))
			left += w
		}
	case s.Outside:
		y += m.Small.Size + pad*0.5
		p.epoch = text.At(f.CutMiddle(epoch, m.Small, room), x, y, m.Small, text.Start, text.InkSoft, room)
		epoch = f.Tidied(epoch).Label()
		foot.Y, left = y+pad*0.7, x
		if m.Tight {
			foot.Y = r.Bottom() - size - 2
		}
	default:
		y += m.Small.Size + pad*0.5
		sv.planEpochs(p, s, epoch, silence, geom.R(x, y, room, 0))
		left = sv.planFoot(p, &foot, left, y)
	}
	m.Note.Size, m.Small.Size = note, small
	foot.W -= left - foot.X
	foot.X = left
	cuts := sv.fences.planCuts(p, i, foot)
	clients, end = sv.visits.planVisitors(event.Server(i+1), foot.X, foot.Y, foot.W-cuts)
	if cuts > 0 {
		end = foot.Right() + pad
	}
	return does, epoch, clients, end
}

// planName plans what a server does, or only its name and a sign, and whether its clock is off. It returns the x at
// which that ends.
func (sv *Servers) planName(p *serverPlan, s *view.Server, does, short string, x, y float64) (left float64) {
	f, room, size := sv.f, sv.table.label, sv.visitorSize()
	a := f.Sizes.Note
	name := a.Fit(room, does, short)
	p.name = text.At(name, x, y, a, text.Start, text.InkPlain, room)
	left = x + a.Width(name) + size*0.35
	if s.Paused && name != does {
		p.pause = geom.Round{X: left + size*0.35, Y: y - a.Size*0.36, R: size * 0.35}
		left += size * 0.8
	}
	face, w := f.OffClock(s.Ahead, p.id, left, y, x+room-left, text.Start)
	if p.clock = face; w > 0 {
		left += w + size*0.7
	}
	return left
}

// planFoot moves the line of the clients below the epoch at y, or behind it if the name leaves no room for two of them.
// It returns the x at which that line begins.
func (sv *Servers) planFoot(p *serverPlan, foot *geom.Rect, left, y float64) float64 {
	small, size := sv.f.Sizes.Small, foot.H
	behind := foot.X + small.Width(p.epoch.Text) + size*0.35
	if below := y + sv.serverPad()*0.5; below+size <= p.Rect.Bottom() {
		foot.Y = below
		return foot.X
	} else if behind < left && left+2.2*size > foot.Right() {
		foot.Y = y - small.Size*0.36 - size/2
		return behind
	}
	return left
}

// saidAt returns the places of the two lines right of a log, or of the one behind the head. The second may be empty.
func (sv *Servers) saidAt(r geom.Rect, left float64) (first, second geom.Rect) {
	t, m, pad := &sv.table, &sv.f.Sizes, sv.serverPad()
	h := m.Small.Size * lineRise
	if t.form == stacked {
		return geom.R(left, r.Y+2, r.X+pad+t.label-left, sv.visitorSize()), geom.Rect{}
	}
	x := r.Right() - pad - t.says + 4
	first = geom.R(x, r.MidY()-h/2, t.says-4, h)
	if r.H >= 2*h+4 {
		first.Y -= h/2 + 1
		second = geom.R(x, first.Bottom()+2, t.says-4, h)
	}
	return first, second
}

// planSaid plans what is to be said about a server's log: its vote, how it catches up, or what its copy has if others
// have something else.
func (sv *Servers) planSaid(p *serverPlan, i int, s *view.Server, left float64) (said string) {
	first, second := sv.saidAt(p.Rect, left)
	p.free[0], p.free[1] = first, second
	if first.W <= 0 {
		return ""
	}
	switch {
	case s.Outside:
	case catchesUp(s):
		p.free[0].W, p.free[1].W = 0, 0
		return sv.logs.planChoice(p, s, first, second)
	case sv.votes.shown(s):
		p.free[0].W, p.free[1].W = 0, 0
		if second.W > 0 {
			sv.votes.planVote(p, s, first)
			sv.votes.planBallot(p, i, s, second)
		} else {
			dots := min(first.W/2, 6*float64(sv.f.State.Ensemble.Voters(&sv.f.State.Header)))
			first.W -= dots
			rest := sv.votes.planVote(p, s, first)
			rest.W += dots
			sv.votes.planBallot(p, i, s, rest)
		}
		return sv.f.Say(sv.votes.voteSaid(s), ", ", sv.votes.ballotSaid(i, s)).Label()
	default:
		sv.planDisk(p, s)
		said = sv.planCopy(p, i, s)
		if r := p.free[0]; p.epoch.Text == "" && sv.f.Sizes.Small.Width(sv.epochs(s)) <= r.W {
			sv.planEpochs(p, s, sv.epochs(s), "", geom.R(r.X, r.MidY()+sv.f.Sizes.Small.Size*0.36, r.W, 0))
			p.free[0].W = 0
		}
	}
	return said
}

// serverSaid describes a server in words.
func (sv *Servers) serverSaid(does, epoch, said, cut, log, clients string) string {
	f := sv.f
	if cut != "" {
		cut = f.Phrase("scene.server.cut", cut)
	}
	if clients != "" {
		clients = f.Phrase("scene.server.clients", clients)
	}
	f.Say(does)
	for _, more := range [...]string{epoch, said, cut, log, clients} {
		if more != "" {
			f.Say(", ", more)
		}
	}
	return f.Label()
}

// doing returns the key of the words for a server's state.
func doing(n int, s *view.Server) string {
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

// planEpochs plans a server's epochs, and the words for a silence after them or in their place, as much as fits on the
// line at.
func (sv *Servers) planEpochs(p *serverPlan, s *view.Server, epoch, silence string, at geom.Rect) {
	f, a, said := sv.f, sv.f.Sizes.Small, epoch
	if silence != "" {
		said = f.Say(epoch, ", ", silence).Label()
	}
	said = a.Fit(at.W, said, silence, epoch)
	if said == "" {
		said = f.Cut(epoch, a, at.W)
	}
	p.epoch = text.At(said, at.X, at.Y, a, text.Start, text.InkSoft, at.W)
	if !strings.HasPrefix(said, epoch) {
		return
	}
	f.Num(int64(s.Current))
	if s.Accepted > s.Current {
		f.Say(" ").Num(int64(s.Accepted))
	}
	f.Labelled(mark.Epoch, p.id, f.Label(), &p.epoch)
}
