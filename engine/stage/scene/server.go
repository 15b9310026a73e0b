package scene

import (
	"math"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// serverPlan is one server of an ensemble: its state, its epochs, the end of its log, and its clients.
type serverPlan struct {
	_ view.Incomparable
	rect
	id          string
	leads, down bool
	votes       bool // it has no leader
	selected    bool
	stressed    bool
	name, epoch label
	cost        label // of the last write, at its proposer
	more        label // number of clients without a place
}

// visitPlan is a client at a server.
type visitPlan struct {
	x, y, r float64
	index   int
	refused bool // the server has just refused it
	letter  label
}

// ensemble has what is planned for the servers of an ensemble.
type ensemble struct {
	*floor
	servers  []serverPlan
	details  []detailPlan // on servers, below the entries
	entries  []entryPlan
	visits   []visitPlan
	refused  []visitPlan
	fences   []rect // between servers
	cuts     []cutPlan
	silences []silencePlan
}

func (e *ensemble) begin() {
	*e = ensemble{floor: e.floor, servers: e.servers[:0], details: e.details[:0], entries: e.entries[:0],
		visits: e.visits[:0], refused: e.refused[:0], fences: e.fences[:0], cuts: e.cuts[:0], silences: e.silences[:0]}
}

// servers plans the servers of an ensemble, side by side above ZooKeeper's box.
type servers struct {
	ensemble
	logs   logs
	votes  votes
	fences fences
	lanes  lanes
	visits visits
}

func (sv *servers) connect(f *floor, l *letters) {
	e := &sv.ensemble
	e.floor = f
	sv.logs.ensemble, sv.votes.ensemble, sv.fences.ensemble, sv.visits.ensemble = e, e, e, e
	sv.lanes = lanes{e, &sv.fences, l}
}

// visits plans the clients of each server.
type visits struct{ *ensemble }

// serversHeight returns the height of the band above ZooKeeper's box, 0 for a standalone server.
func (sv *servers) serversHeight() float64 {
	if len(sv.s.Servers) == 0 {
		return 0
	}
	m := &sv.m
	h := m.note.size + m.small.size + sv.visitorSize() + max(14, 25*m.k) + float64(sv.lanes.lanes())*sv.laneH()
	if m.tight {
		return h - sv.serverPad()*0.6
	}
	return h + sv.lanes.logRow()
}

func (e *ensemble) serverPad() float64 { return max(3, 6*e.m.k) }

// outside reports whether the servers are known only from outside. Then their logs and messages are not drawn.
func (e *ensemble) outside() bool { return e.s.Servers[0].Outside }

// logRow returns the height of a server's log. If the height is small, the log has no row of its own: it follows the
// server's clients.
func (l *lanes) logRow() float64 {
	if l.outside() {
		return 0
	}
	return l.entrySize()
}

func (e *ensemble) entrySize() float64   { return max(6, 10*e.m.k) }
func (e *ensemble) visitorSize() float64 { return max(13.5, 14*e.m.k) }

// planServers plans the servers of an ensemble, side by side.
func (sv *servers) planServers() {
	n := len(sv.s.Servers)
	if n == 0 {
		return
	}
	in, m := sv.inner(), &sv.m
	gap := max(3, 8*m.k)
	h, lanes := sv.serversHeight(), float64(sv.lanes.lanes())*sv.laneH()
	w := (in.w - gap*float64(n-1)) / float64(n)
	for i := range sv.s.Servers {
		r := rect{in.x + float64(i)*(w+gap), in.y - h + lanes, w, h - gap - lanes}
		sv.planServer(i, &sv.s.Servers[i], r)
	}
	sv.fences.planFences(gap, lanes)
	sv.lanes.planLetters()
}

func (sv *servers) planServer(i int, s *view.Server, r rect) {
	m := &sv.m
	p := added(&sv.servers)
	p.rect, p.down = r, !s.Up
	p.id = sv.say("server-").num(int64(i + 1)).label()
	p.leads, p.votes = s.Leads(i+1), s.Up && s.Phase == event.Electing
	p.selected, p.stressed = sv.o.Selected == p.id, sv.stressed(p.id)
	pad := sv.serverPad()
	x, room := r.x+pad, r.w-2*pad
	short := sv.say("S").num(int64(i + 1)).label()
	does := sv.phrase(does(i+1, s), short)
	y := r.y + pad*0.7 + m.note.size
	p.name = text(m.note.fit(room, does, short), x, y, m.note, Start, inkPlain, room)
	y += m.small.size + pad*0.5
	from := len(sv.marks)
	sv.shows(ServerMark, p.id, short, r)
	said := sv.epochs(s)
	switch {
	case s.Outside:
		said = sv.s.Header.Address(i + 1)
		p.epoch = text(sv.cutMiddle(said, m.small, room), x, y, m.small, Start, inkSoft, room)
		said = sv.cutMiddle(said, m.small, math.Inf(1))
	case catchesUp(s):
		said = sv.logs.planChoice(p, s, said, x, y, room)
	case electing(s):
		said = sv.say(sv.votes.planVote(p, s, x, y, room), ", ", sv.votes.ballotSaid(i, s)).label()
	default:
		sv.planEpochs(p, s, said, x, y, room)
	}
	y += pad * 0.7
	foot := y
	if !m.tight {
		foot += sv.lanes.logRow() + pad*0.6
	}
	left, rest := x, room-sv.fences.planCuts(p, i, rect{x, foot, room, sv.visitorSize()})
	clients := ""
	if catchesUp(s) {
		sv.logs.planSync(p, i, s, rect{x, y, rest, foot + sv.visitorSize() - y})
	} else {
		if !m.tight {
			sv.logs.planLog(p, s, x, y, room)
		}
		if electing(s) {
			left, rest = sv.votes.planBallot(p, i, s, x, foot, rest)
		}
		var behind float64
		clients, behind = sv.visits.planVisitors(p, event.Server(i+1), left, foot, rest)
		if m.tight {
			sv.logs.planLog(p, s, behind, foot+(sv.visitorSize()-sv.entrySize())/2, left+rest-behind)
		}
	}
	sv.marks[from].Said = sv.serverSaid(does, said, sv.cutSaid(s), sv.logs.logSaid(s), clients)
	if says := sv.planSilences(i, s, r); says != "" {
		sv.saySilence(p, said, says, room)
	}
	sv.planCost(p, event.Server(i+1), room)
}

// cutSaid names the servers that a server is cut off from.
func (sv *servers) cutSaid(s *view.Server) string {
	if s.Cut == 0 {
		return ""
	}
	for n, i := 0, 0; n < len(sv.s.Servers); n++ {
		if !s.CutFrom(n + 1) {
			continue
		}
		if i++; i > 1 {
			sv.say(" ")
		}
		sv.say("S").num(int64(n + 1))
	}
	return sv.phrase("scene.server.cut", sv.label())
}

// serverSaid describes a server in words.
func (sv *servers) serverSaid(does, epoch, cut, log, clients string) string {
	if clients != "" {
		clients = sv.phrase("scene.server.clients", clients)
	}
	sv.say(does)
	for _, more := range [...]string{epoch, cut, log, clients} {
		if more != "" {
			sv.say(", ", more)
		}
	}
	return sv.label()
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
func (sv *servers) epochs(s *view.Server) string {
	if s.Accepted > s.Current {
		current := sv.num(int64(s.Current)).label()
		return sv.phrase("scene.server.promised", current, sv.num(int64(s.Accepted)).label())
	}
	return sv.phrase("scene.server.epoch", sv.num(int64(s.Current)).label())
}

// planEpochs plans as much of a server's epochs as fits.
func (sv *servers) planEpochs(p *serverPlan, s *view.Server, said string, x, y, room float64) {
	p.epoch = text(sv.cut(said, sv.m.small, room), x, y, sv.m.small, Start, inkSoft, room)
	if p.epoch.text != said {
		return
	}
	sv.num(int64(s.Current))
	if s.Accepted > s.Current {
		sv.say(" ").num(int64(s.Accepted))
	}
	sv.labelled(EpochMark, p.id, sv.label(), &p.epoch)
}

// planVisitors plans the clients connected to a server, and returns their letters and the x at which they end.
func (vs *visits) planVisitors(p *serverPlan, at event.Actor, x, y, room float64) (string, float64) {
	m, size := &vs.m, vs.visitorSize()
	step := size * 1.2
	n := 0
	for i := range vs.s.Clients {
		if vs.s.Clients[i].Server == at {
			n++
		}
	}
	fits := max(0, int((room+step-size)/step))
	if n > fits {
		fits = max(0, fits-2)
	}
	drawn := 0
	for i := range vs.s.Clients {
		if vs.s.Clients[i].Server != at || drawn == fits {
			continue
		}
		v := added(&vs.visits)
		v.x, v.y, v.r, v.index = x+size/2+float64(drawn)*step, y+size/2, size/2, i
		v.letter = middle(letter(i), v.x, v.y, face{size: max(minText, size*0.7), bold: true}, inkPlain, size)
		drawn++
	}
	taken := drawn
	if n > drawn {
		taken += 2
	}
	taken = vs.planRefused(at, x, y, room, taken)
	if n > drawn {
		left := x + float64(drawn)*step
		more := m.small.fit(x+room-left, vs.say("+").num(int64(n-drawn)).label())
		p.more = text(more, left, y+size*0.75, m.small, Start, inkSoft, x+room-left)
	}
	return vs.lettersAt(drawn, n), x + float64(taken)*step
}

// sentAwayFor is how long a refused client is shown at the server.
const sentAwayFor = 2 * time.Second

// planRefused plans the clients that a server has just refused, after its clients, and returns the number of places
// taken.
func (vs *visits) planRefused(at event.Actor, x, y, room float64, drawn int) int {
	size := vs.visitorSize()
	for i := range vs.s.Clients {
		c := &vs.s.Clients[i]
		left := x + float64(drawn)*size*1.2
		if c.SentAway != at || vs.at >= c.SentAwayAt+sentAwayFor || left+size > x+room {
			continue
		}
		vs.moving = vs.moving || !vs.o.Still
		vs.refused = append(vs.refused, visitPlan{x: left + size/2, y: y + size/2, r: size / 2, index: i, refused: true,
			letter: middle(letter(i), left+size/2, y+size/2, face{size: max(minText, size*0.7), bold: true}, inkPlain, size)})
		name := vs.say("server-").num(int64(at.Number())).label()
		first := len(vs.marks)
		vs.shows(RefusedMark, letter(i), name, around(left+size/2, y+size/2, size/2))
		vs.saying(first, vs.phrase("scene.server.refused", vs.say("S").num(int64(at.Number())).label()))
		drawn++
	}
	return drawn
}

// lettersAt returns the letters of the clients that were planned last, and how many more there are.
func (vs *visits) lettersAt(drawn, n int) string {
	for i, v := range vs.visits[len(vs.visits)-drawn:] {
		if i > 0 {
			vs.say(" ")
		}
		vs.say(v.letter.text)
	}
	if n > drawn {
		vs.say(" +").num(int64(n - drawn))
	}
	return vs.label()
}
