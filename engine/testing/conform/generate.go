package conform

import (
	"math/rand/v2"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Generator makes random scripts. The same seed and number give the same script.
type Generator struct {
	Seed uint64
	// Requests is roughly the number of requests in a script, 0 for 1,000.
	Requests int
}

// names are the connections of a generated script.
func names() []string { return []string{"a", "b", "c", "d"} }

// drawing is a script that is being generated.
type drawing struct {
	guess   *guess
	dice    *dice
	paths   paths
	script  Script
	state   map[string]*peerState
	quotas  bool
	expires int // how many more sessions may expire, which takes time
}

// peerState is what a drawing assumes about a connection.
type peerState struct {
	connected bool
	session   bool // it has an open session
	known     bool // it has many identities; with as many again it would exceed the limit of the embedded server
}

// Script returns the n-th script.
func (g Generator) Script(n int) Script {
	known, random := newGuess(), &dice{rand.New(rand.NewPCG(g.Seed, uint64(n)))}
	d := &drawing{
		guess: known, dice: random, paths: paths{random, known, home(n)}, state: map[string]*peerState{}, expires: 1,
	}
	requests := g.Requests
	if requests <= 0 {
		requests = 1000
	}
	d.begin()
	for sent := 0; sent < requests; {
		before := len(d.script)
		d.round()
		sent += Script(d.script[before:]).Requests()
	}
	d.finish()
	return d.script
}

func (d *drawing) step(s Step) {
	if !leftOut(&s) {
		d.script = append(d.script, s)
	}
}

func (d *drawing) ask(name string, r wire.Request) { d.step(Step{Kind: Ask, Conn: name, Req: r}) }

func (d *drawing) begin() {
	for _, name := range names() {
		d.state[name] = &peerState{}
		d.connect(name)
	}
	r := usual(wire.OpCreate)
	r.Path, r.Data = d.paths.top, []byte("top")
	d.ask("a", r)
	d.guess.create(d.paths.top, "", zoo.Persistent)
	if d.quotas = d.dice.one(2); d.quotas {
		d.beginQuotas()
	}
}

// finish closes every session, so that none expires while another script is played.
func (d *drawing) finish() {
	for _, name := range names() {
		d.step(Step{Kind: Connect, Conn: name, Hello: Hello{Session: name, Timeout: DefaultTimeout}})
		d.ask(name, usual(wire.OpCloseSession))
	}
}

// round adds the steps of one connection that are sent together.
func (d *drawing) round() {
	name := d.pickName()
	if d.dice.one(25) {
		d.trouble(name)
		return
	}
	if d.dice.one(12) {
		d.hostile(name)
		return
	}
	if d.dice.one(30) {
		if st := d.state[name]; d.dice.one(6) && !st.known {
			st.known = true
			d.identifyOften(name)
		} else {
			d.identify(name)
		}
		return
	}
	n := 1 + d.dice.rng.IntN(6)
	if d.dice.one(2) {
		n = 10 + d.dice.rng.IntN(50)
	}
	for range n {
		d.request(name)
	}
	d.step(Step{Kind: Break})
}

// pickName returns a connection, nearly always a connected one.
func (d *drawing) pickName() string {
	name := pick(d.dice, names()...)
	if st := d.state[name]; !st.connected && !d.dice.one(50) {
		d.reconnect(name)
	}
	return name
}

// trouble adds steps that disturb a connection or its session.
func (d *drawing) trouble(name string) {
	st := d.state[name]
	switch d.dice.rng.IntN(9) {
	case 0, 1, 2:
		d.step(Step{Kind: Drop, Conn: name})
		st.connected = false
	case 3, 4:
		d.reconnect(name) // possibly while it is connected
	case 5:
		d.oddHello(name)
	case 6:
		d.ask(name, usual(wire.OpCloseSession))
		st.connected, st.session = false, false
		d.guess.end(name)
	case 7:
		other := pick(d.dice, names()...)
		if other != name { // moves one connection's session to the other
			d.step(Step{Kind: Connect, Conn: name, Hello: Hello{Session: other, Timeout: d.dice.timeout()}})
			d.state[other].connected = false
			st.connected = d.state[other].session
		}
	case 8:
		if d.expires > 0 && st.session {
			d.expires--
			kind := pick(d.dice, Expire, Expire, Starve)
			d.step(Step{Kind: kind, Conn: name, Hello: Hello{Timeout: pick[int32](d.dice, 0, -1, 1, 39, 40, 41, 55)}})
			st.connected, st.session = false, false
			d.guess.end(name)
		}
	}
}

func (d *drawing) connect(name string) {
	h := Hello{Timeout: d.dice.timeout()}
	if d.dice.one(4) {
		h.ReadOnly = pick(d.dice, MayReadOnly, NoReadOnly)
	}
	if d.dice.one(10) {
		h.Password = Password(d.dice.rng.IntN(6)) // ignored for a new session
	}
	if d.dice.one(10) {
		h.Version = pick[int32](d.dice, 1, -1, 0x7fffffff)
	}
	d.step(Step{Kind: Connect, Conn: name, Hello: h})
	d.state[name].connected, d.state[name].session = true, true
}

// reconnect reconnects to the session, or opens one.
func (d *drawing) reconnect(name string) {
	if !d.state[name].session {
		d.connect(name)
		return
	}
	s := Step{Kind: Connect, Conn: name, Hello: Hello{Session: name, Timeout: d.dice.timeout()}}
	if d.dice.one(3) {
		s.Since, s.Hello.Seen = true, pick[int64](d.dice, 0, 0, -1, -5)
	}
	if d.dice.one(6) {
		s.Hello.ReadOnly = pick(d.dice, MayReadOnly, NoReadOnly)
	}
	d.step(s)
	d.state[name].connected = true
	if d.dice.one(2) {
		d.setWatches(name)
	}
}

// oddHello adds a handshake that is refused for some reason. Some refusals close the connection of the session's owner.
func (d *drawing) oddHello(name string) {
	h := Hello{Session: pick(d.dice, name, name, pick(d.dice, names()...), "unknown"), Timeout: d.dice.timeout()}
	s := Step{Kind: Connect, Conn: name, Hello: h}
	switch d.dice.rng.IntN(4) {
	case 0, 1:
		s.Hello.Password = 1 + Password(d.dice.rng.IntN(5))
	case 2:
		s.Since, s.Hello.Seen = true, pick[int64](d.dice, 1, 2, 1<<40)
	case 3:
		s.Hello.Session = "unknown"
	}
	d.step(s)
	d.state[name].connected = false
	if other, ok := d.state[s.Hello.Session]; ok {
		other.connected = false
	}
}
