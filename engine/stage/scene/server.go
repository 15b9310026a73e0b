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

// serversHeight returns the height of the band above ZooKeeper's box, 0 for a standalone server.
func (l *Layout) serversHeight() float64 {
	if len(l.s.Servers) == 0 {
		return 0
	}
	m := &l.m
	h := m.note.size + m.small.size + l.visitorSize() + max(14, 25*m.k) + float64(l.lanes())*l.laneH()
	if m.tight {
		return h - l.serverPad()*0.6
	}
	return h + l.logRow()
}

func (l *Layout) serverPad() float64 { return max(3, 6*l.m.k) }

// outside reports whether the servers are known only from outside. Then their logs and messages are not drawn.
func (l *Layout) outside() bool { return l.s.Servers[0].Outside }

// logRow returns the height of a server's log. If the height is small, the log has no row of its own: it follows the
// server's clients.
func (l *Layout) logRow() float64 {
	if l.outside() {
		return 0
	}
	return l.entrySize()
}

func (l *Layout) entrySize() float64   { return max(6, 10*l.m.k) }
func (l *Layout) visitorSize() float64 { return max(13.5, 14*l.m.k) }

// planServers plans the servers of an ensemble, side by side.
func (l *Layout) planServers() {
	n := len(l.s.Servers)
	if n == 0 {
		return
	}
	in, m := l.inner(), &l.m
	gap := max(3, 8*m.k)
	h, lanes := l.serversHeight(), float64(l.lanes())*l.laneH()
	w := (in.w - gap*float64(n-1)) / float64(n)
	for i := range l.s.Servers {
		r := rect{in.x + float64(i)*(w+gap), in.y - h + lanes, w, h - gap - lanes}
		l.planServer(i, &l.s.Servers[i], r)
	}
	l.planFences(gap, lanes)
	l.planLetters()
}

func (l *Layout) planServer(i int, s *view.Server, r rect) {
	m := &l.m
	p := added(&l.p.servers)
	p.rect, p.down = r, !s.Up
	p.id = l.say("server-").num(int64(i + 1)).label()
	p.leads, p.votes = s.Leads(i+1), s.Up && s.Phase == event.Electing
	p.selected, p.stressed = l.o.Selected == p.id, l.stressed(p.id)
	pad := l.serverPad()
	x, room := r.x+pad, r.w-2*pad
	short := l.say("S").num(int64(i + 1)).label()
	does := l.phrase(does(i+1, s), short)
	y := r.y + pad*0.7 + m.note.size
	p.name = text(m.note.fit(room, does, short), x, y, m.note, Start, inkPlain, room)
	y += m.small.size + pad*0.5
	from := len(l.p.marks)
	l.shows(ServerMark, p.id, short, r)
	said := l.epochs(s)
	switch {
	case s.Outside:
		said = l.s.Header.Address(i + 1)
		p.epoch = text(l.cutMiddle(said, m.small, room), x, y, m.small, Start, inkSoft, room)
		said = l.cutMiddle(said, m.small, math.Inf(1))
	case catchesUp(s):
		said = l.planChoice(p, s, said, x, y, room)
	case electing(s):
		said = l.say(l.planVote(p, s, x, y, room), ", ", l.ballotSaid(i, s)).label()
	default:
		l.planEpochs(p, s, said, x, y, room)
	}
	y += pad * 0.7
	foot := y
	if !m.tight {
		foot += l.logRow() + pad*0.6
	}
	left, rest := x, room-l.planCuts(p, i, rect{x, foot, room, l.visitorSize()})
	clients := ""
	if catchesUp(s) {
		l.planSync(p, i, s, rect{x, y, rest, foot + l.visitorSize() - y})
	} else {
		if !m.tight {
			l.planLog(p, s, x, y, room)
		}
		if electing(s) {
			left, rest = l.planBallot(p, i, s, x, foot, rest)
		}
		var behind float64
		clients, behind = l.planVisitors(p, event.Server(i+1), left, foot, rest)
		if m.tight {
			l.planLog(p, s, behind, foot+(l.visitorSize()-l.entrySize())/2, left+rest-behind)
		}
	}
	l.p.marks[from].Said = l.serverSaid(does, said, l.cutSaid(s), l.logSaid(s), clients)
	if says := l.planSilences(i, s, r); says != "" {
		l.saySilence(p, said, says, room)
	}
	l.planCost(p, event.Server(i+1), room)
}

// cutSaid names the servers that a server is cut off from.
func (l *Layout) cutSaid(s *view.Server) string {
	if s.Cut == 0 {
		return ""
	}
	for n, i := 0, 0; n < len(l.s.Servers); n++ {
		if !s.CutFrom(n + 1) {
			continue
		}
		if i++; i > 1 {
			l.say(" ")
		}
		l.say("S").num(int64(n + 1))
	}
	return l.phrase("scene.server.cut", l.label())
}

// serverSaid describes a server in words.
func (l *Layout) serverSaid(does, epoch, cut, log, clients string) string {
	if clients != "" {
		clients = l.phrase("scene.server.clients", clients)
	}
	l.say(does)
	for _, more := range [...]string{epoch, cut, log, clients} {
		if more != "" {
			l.say(", ", more)
		}
	}
	return l.label()
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
func (l *Layout) epochs(s *view.Server) string {
	if s.Accepted > s.Current {
		current := l.num(int64(s.Current)).label()
		return l.phrase("scene.server.promised", current, l.num(int64(s.Accepted)).label())
	}
	return l.phrase("scene.server.epoch", l.num(int64(s.Current)).label())
}

// planEpochs plans as much of a server's epochs as fits.
func (l *Layout) planEpochs(p *serverPlan, s *view.Server, said string, x, y, room float64) {
	p.epoch = text(l.cut(said, l.m.small, room), x, y, l.m.small, Start, inkSoft, room)
	if p.epoch.text != said {
		return
	}
	l.num(int64(s.Current))
	if s.Accepted > s.Current {
		l.say(" ").num(int64(s.Accepted))
	}
	l.labelled(EpochMark, p.id, l.label(), &p.epoch)
}

// planVisitors plans the clients connected to a server, and returns their letters and the x at which they end.
func (l *Layout) planVisitors(p *serverPlan, at event.Actor, x, y, room float64) (string, float64) {
	m, size := &l.m, l.visitorSize()
	step := size * 1.2
	n := 0
	for i := range l.s.Clients {
		if l.s.Clients[i].Server == at {
			n++
		}
	}
	fits := max(0, int((room+step-size)/step))
	if n > fits {
		fits = max(0, fits-2)
	}
	drawn := 0
	for i := range l.s.Clients {
		if l.s.Clients[i].Server != at || drawn == fits {
			continue
		}
		v := added(&l.p.visits)
		v.x, v.y, v.r, v.index = x+size/2+float64(drawn)*step, y+size/2, size/2, i
		v.letter = middle(letter(i), v.x, v.y, face{size: max(minText, size*0.7), bold: true}, inkPlain, size)
		drawn++
	}
	taken := drawn
	if n > drawn {
		taken += 2
	}
	taken = l.planRefused(at, x, y, room, taken)
	if n > drawn {
		left := x + float64(drawn)*step
		more := m.small.fit(x+room-left, l.say("+").num(int64(n-drawn)).label())
		p.more = text(more, left, y+size*0.75, m.small, Start, inkSoft, x+room-left)
	}
	return l.lettersAt(drawn, n), x + float64(taken)*step
}

// sentAwayFor is how long a refused client is shown at the server.
const sentAwayFor = 2 * time.Second

// planRefused plans the clients that a server has just refused, after its clients, and returns the number of places
// taken.
func (l *Layout) planRefused(at event.Actor, x, y, room float64, drawn int) int {
	size := l.visitorSize()
	for i := range l.s.Clients {
		c := &l.s.Clients[i]
		left := x + float64(drawn)*size*1.2
		if c.SentAway != at || l.at >= c.SentAwayAt+sentAwayFor || left+size > x+room {
			continue
		}
		l.p.Moving = l.p.Moving || !l.o.Still
		l.p.refused = append(l.p.refused, visitPlan{x: left + size/2, y: y + size/2, r: size / 2, index: i, refused: true,
			letter: middle(letter(i), left+size/2, y+size/2, face{size: max(minText, size*0.7), bold: true}, inkPlain, size)})
		name := l.say("server-").num(int64(at.Number())).label()
		first := len(l.p.marks)
		l.shows(RefusedMark, letter(i), name, around(left+size/2, y+size/2, size/2))
		l.saying(first, l.phrase("scene.server.refused", l.say("S").num(int64(at.Number())).label()))
		drawn++
	}
	return drawn
}

// lettersAt returns the letters of the clients that were planned last, and how many more there are.
func (l *Layout) lettersAt(drawn, n int) string {
	for i, v := range l.p.visits[len(l.p.visits)-drawn:] {
		if i > 0 {
			l.say(" ")
		}
		l.say(v.letter.text)
	}
	if n > drawn {
		l.say(" +").num(int64(n - drawn))
	}
	return l.label()
}
