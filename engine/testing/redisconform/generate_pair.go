package redisconform

import (
	"math/rand/v2"
	"slices"
)

// GeneratePair returns a random script of about that many steps for a primary and its replica. It ends with a failover:
// the replica misses the primary's last commands, becomes the primary, and the old one rejoins.
func GeneratePair(seed uint64, steps int) (script []Step) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x70616972))}
	some := func(n int, held bool) {
		for end := len(script) + n; len(script) < end; {
			if held && g.IntN(8) == 0 {
				script = append(script, g.vainWait()...)
				continue
			}
			next := g.step()
			if slices.Equal(next[0].Args, []string{"WAIT", "0", "0"}) {
				continue // how much the replica has acknowledged depends on the moment
			}
			script = append(script, next...)
		}
	}
	turn := func(what What) { script = append(script, Step{Do: what}) }
	for range 2 {
		some(steps/8, false)
		turn(Hold)
		some(steps/8, true)
		turn(Release)
		script = append(script, Step{Conn: 0, Args: []string{"WAIT", "1", "0"}})
	}
	turn(Hold)
	some(steps/8, true)
	turn(Failover)
	some(steps/8, false)
	turn(Rejoin)
	for conn := range Conns { // the server closes blocked connections
		g.subscribed[conn] = false
		script = append(script, Step{Conn: conn, Do: HangUp})
	}
	some(steps/8, false)
	return script
}

// vainWait writes something, and waits for a replica that doesn't receive it.
func (g *generator) vainWait() []Step {
	const conn = 1
	g.subscribed[conn] = false
	return []Step{{Conn: conn, Do: HangUp}, {Conn: conn, Args: []string{"SET", one(g, keys...), "x"}},
		{Conn: conn, Do: Pass, Args: []string{"WAIT", "1", "1"}}}
}
